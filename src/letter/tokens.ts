/** What a stretch of a letter's text is; `bare` is any run that is none of the others. */
export type TokenKind =
  | 'space'
  | 'odd-space'
  | 'comment'
  | 'fence'
  | 'string'
  | 'open'
  | 'close'
  | 'comma'
  | 'colon'
  | 'bare';

/** A stretch of a letter's text, by its offsets. */
export interface Token {
  kind: TokenKind;
  start: number;
  end: number;
  /** False for a string or a block comment that the text ends in. */
  closed: boolean;
}

const PUNCTUATION: ReadonlyMap<string, TokenKind> = new Map([
  ['{', 'open'],
  ['[', 'open'],
  ['}', 'close'],
  [']', 'close'],
  [',', 'comma'],
  [':', 'colon'],
]);

// Sticky, and made of runs that share no character, so none can backtrack.
const SPACE = /[ \t\n\r]+/y;
const ODD_SPACE = /[\v\f\u0085\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff]+/y;
const LINE_COMMENT = /\/\/[^\n\r]*/y;
const FENCE = /(?:`{3,}|~{3,})[ \t]*[\w+.-]*/y;
const BARE = /[^\s\u0085\u200b{}[\],:"/`~]+/y;

const BACKSLASH = 0x5c;

/**
 * Reads the token that begins at an offset, as JSON text with the faults that agents make: strings may
 * hold raw control characters and any escape, comments and code fences are told from the rest.
 * Reading a text token by token looks at each character a bounded number of times.
 * @param start - an offset inside the text
 */
export function readToken(text: string, start: number): Token {
  const first = text[start] ?? '';
  const punctuation = PUNCTUATION.get(first);
  if (punctuation !== undefined) return token(punctuation, start, start + 1);
  if (first === '"') return readString(text, start);
  if (first === '/' && text[start + 1] === '*') return readBlockComment(text, start);
  return readRun(text, start) ?? token('bare', start, start + 1);
}

function token(kind: TokenKind, start: number, end: number): Token {
  return { kind, start, end, closed: true };
}

/** Goes from quote to quote; the backslashes before one tell whether the string ends with it. */
function readString(text: string, start: number): Token {
  let quote = text.indexOf('"', start + 1);
  while (quote >= 0) {
    let run = quote;
    while (text.charCodeAt(run - 1) === BACKSLASH) run -= 1;
    if ((quote - run) % 2 === 0) return token('string', start, quote + 1);
    quote = text.indexOf('"', quote + 1);
  }
  return { kind: 'string', start, end: text.length, closed: false };
}

function readBlockComment(text: string, start: number): Token {
  const end = text.indexOf('*/', start + 2);
  if (end < 0) return { kind: 'comment', start, end: text.length, closed: false };
  return token('comment', start, end + 2);
}

const RUNS: readonly (readonly [TokenKind, RegExp])[] = [
  ['space', SPACE],
  ['bare', BARE],
  ['comment', LINE_COMMENT],
  ['fence', FENCE],
  ['odd-space', ODD_SPACE],
];

function readRun(text: string, start: number): Token | undefined {
  for (const [kind, pattern] of RUNS) {
    pattern.lastIndex = start;
    if (pattern.test(text)) return token(kind, start, pattern.lastIndex);
  }
  return undefined;
}
