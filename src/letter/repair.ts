/**
 * Repair of a letter's JSON text: one pass over its tokens that knows the grammar of JSON and the faults
 * that agents make.
 *
 * Invariants: text that parses strictly comes out as it went in; what is passed parses; nothing is ever
 * completed, so a text that ends early is a fault whatever else was mended; each token is looked at once.
 *
 * Not here: guessing (unquoted names, single quotes, missing commas) and what the fields mean.
 */
import type { Repair } from './letter.ts';
import { mendString } from './repair-string.ts';
import { readToken, type Token, type TokenKind } from './tokens.ts';

/**
 * Why a text can not be repaired. `cut-off`: it ends too early. `bad-escape`: a backslash that could mean
 * two things. `more-follows`: something after the value. `syntax`: anything else.
 */
export type FaultKind = 'cut-off' | 'bad-escape' | 'more-follows' | 'syntax';

/** The first thing in a text that repair leaves alone, and where; of a cut-off one, what it left open. */
export interface Fault {
  kind: FaultKind;
  offset: number;
}

/** A text that parses strictly, or why there is none. */
export type RepairedText =
  | { ok: true; text: string; repairs: Repair[] }
  | { ok: false; fault: Fault };

type Expected =
  | 'value'
  | 'element-or-close'
  | 'element-after-comma'
  | 'name-or-close'
  | 'name-after-comma'
  | 'colon'
  | 'comma-or-close'
  | 'end';

interface Edit {
  start: number;
  end: number;
  replacement: string;
}

interface Mending {
  text: string;
  expected: Expected;
  /** Offsets of the brackets that are open, outermost first. */
  open: number[];
  edits: Edit[];
  /** Offset of the last comma, which a closing bracket after it takes out. */
  commaAt: number;
  /** The fences still allowed: one before the value, one after it. */
  fenceBefore: boolean;
  fenceAfter: boolean;
  repairs: Set<Repair>;
}

/** A closing fence names no language. */
const BARE_FENCE = /^[`~]+[ \t]*$/;
const LITERAL = /^(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/;

/**
 * Repairs JSON text: raw control characters and single backslashes in strings, trailing commas, comments,
 * odd white space between tokens, a code fence around the whole.
 * @param text - meant for text that the strict parser refused; other text is returned as it is
 */
export function repairText(text: string): RepairedText {
  const mending: Mending = {
    text,
    expected: 'value',
    open: [],
    edits: [],
    commaAt: -1,
    fenceBefore: true,
    fenceAfter: true,
    repairs: new Set(),
  };
  let at = 0;
  while (at < text.length) {
    const token = readToken(text, at);
    const kind = TAKERS[token.kind](mending, token);
    if (kind !== undefined) return fail(mending, kind, token.start);
    at = token.end;
  }
  if (mending.expected !== 'end') return fail(mending, 'cut-off', mending.open.at(-1) ?? 0);
  return { ok: true, text: applyEdits(text, mending.edits), repairs: [...mending.repairs] };
}

/** Edits are made in the order they are found, and a trailing comma is found late. */
function applyEdits(text: string, edits: Edit[]): string {
  const pieces: string[] = [];
  let kept = 0;
  for (const { start, end, replacement } of edits.toSorted((a, b) => a.start - b.start)) {
    pieces.push(text.slice(kept, start), replacement);
    kept = end;
  }
  pieces.push(text.slice(kept));
  return pieces.join('');
}

function fail(mending: Mending, kind: FaultKind, tokenStart: number): RepairedText {
  const offset = kind === 'bad-escape' ? badEscapeAt(mending.text, tokenStart) : tokenStart;
  return { ok: false, fault: { kind, offset } };
}

function badEscapeAt(text: string, stringStart: number): number {
  const mended = mendString(text.slice(stringStart, readToken(text, stringStart).end));
  return stringStart + (mended.ok ? 0 : mended.offset);
}

const TAKERS: Readonly<
  Record<TokenKind, (mending: Mending, token: Token) => FaultKind | undefined>
> = {
  space: () => undefined,
  'odd-space': (mending, token) => blankOut(mending, token, 'odd-white-space'),
  comment: (mending, token) => (token.closed ? blankOut(mending, token, 'comments') : 'cut-off'),
  fence: takeFence,
  string: takeString,
  bare: takeLiteral,
  open: takeOpen,
  close: takeClose,
  comma: takeSeparator,
  colon: takeSeparator,
};

function textOf(mending: Mending, token: Token): string {
  return mending.text.slice(token.start, token.end);
}

/** Why a token is wrong where it stands. */
function misplaced(mending: Mending): FaultKind {
  return mending.expected === 'end' ? 'more-follows' : 'syntax';
}

function blankOut(mending: Mending, { start, end }: Token, repair: Repair): undefined {
  mending.edits.push({ start, end, replacement: ' ' });
  mending.repairs.add(repair);
}

function takeFence(mending: Mending, token: Token): FaultKind | undefined {
  const isBefore = mending.expected === 'value' && mending.open.length === 0;
  const isAfter = mending.expected === 'end' && BARE_FENCE.test(textOf(mending, token));
  if (!(isBefore && mending.fenceBefore) && !(isAfter && mending.fenceAfter)) {
    return misplaced(mending);
  }
  mending.fenceBefore = false;
  if (isAfter) mending.fenceAfter = false;
  return blankOut(mending, token, 'code-fence');
}

function takesValue(expected: Expected): boolean {
  return (
    expected === 'value' || expected === 'element-or-close' || expected === 'element-after-comma'
  );
}

function takesName(expected: Expected): boolean {
  return expected === 'name-or-close' || expected === 'name-after-comma';
}

function afterValue(mending: Mending): Expected {
  return mending.open.length === 0 ? 'end' : 'comma-or-close';
}

function takeString(mending: Mending, token: Token): FaultKind | undefined {
  const isName = takesName(mending.expected);
  if (!isName && !takesValue(mending.expected)) return misplaced(mending);
  if (!token.closed) return 'cut-off';
  const mended = mendString(textOf(mending, token));
  if (!mended.ok) return 'bad-escape';
  if (mended.repairs.length > 0) {
    mending.edits.push({ start: token.start, end: token.end, replacement: mended.literal });
  }
  for (const repair of mended.repairs) mending.repairs.add(repair);
  mending.expected = isName ? 'colon' : afterValue(mending);
  return undefined;
}

function takeLiteral(mending: Mending, token: Token): FaultKind | undefined {
  if (!takesValue(mending.expected)) return misplaced(mending);
  const literal = textOf(mending, token);
  const isAtEnd = token.end === mending.text.length && mending.open.length > 0;
  if (!LITERAL.test(literal)) return isAtEnd ? 'cut-off' : 'syntax';
  mending.expected = afterValue(mending);
  return undefined;
}

function takeOpen(mending: Mending, token: Token): FaultKind | undefined {
  if (!takesValue(mending.expected)) return misplaced(mending);
  mending.open.push(token.start);
  mending.expected = mending.text[token.start] === '{' ? 'name-or-close' : 'element-or-close';
  return undefined;
}

function takeClose(mending: Mending, token: Token): FaultKind | undefined {
  const bracket = mending.text[token.start];
  const opened = mending.text[mending.open.at(-1) ?? -1];
  const isPair = (opened === '{' && bracket === '}') || (opened === '[' && bracket === ']');
  const { expected } = mending;
  if (!isPair || expected === 'value' || expected === 'colon') return misplaced(mending);
  if (expected === 'name-after-comma' || expected === 'element-after-comma') {
    mending.edits.push({ start: mending.commaAt, end: mending.commaAt + 1, replacement: '' });
    mending.repairs.add('trailing-comma');
  }
  mending.open.pop();
  mending.expected = afterValue(mending);
  return undefined;
}

function takeSeparator(mending: Mending, token: Token): FaultKind | undefined {
  const isColon = token.kind === 'colon';
  if (mending.expected !== (isColon ? 'colon' : 'comma-or-close')) return misplaced(mending);
  if (isColon) mending.expected = 'value';
  else {
    const isInObject = mending.text[mending.open.at(-1) ?? -1] === '{';
    mending.expected = isInObject ? 'name-after-comma' : 'element-after-comma';
    mending.commaAt = token.start;
  }
  return undefined;
}
