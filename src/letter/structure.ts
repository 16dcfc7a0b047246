import { readToken, type Token } from './tokens.ts';

/** What the brackets of a letter's text tell, whatever else is wrong with it. */
export interface Structure {
  /** Offset of the first bracket that nests deeper than allowed. */
  tooDeepAt: number | undefined;
  /** Whether an object, array or string at the top has ended, and no fence or comment is left open. */
  closed: boolean;
  /** How many fields are written at the top of the first object; repeated names count each time. */
  fieldCount: number;
}

interface Progress extends Structure {
  depth: number;
  isFenceOpen: boolean;
  isCommentOpen: boolean;
}

/**
 * Scans a letter's text once for its nesting, so that no recursive reader ever meets a text that is
 * too deep for it, and so that an unfinished file is told from a finished one.
 * @param depthLimit - the deepest nesting allowed; an object with plain fields has depth 1
 */
export function scanStructure(text: string, depthLimit: number): Structure {
  const progress: Progress = {
    tooDeepAt: undefined,
    closed: false,
    fieldCount: 0,
    depth: 0,
    isFenceOpen: false,
    isCommentOpen: false,
  };
  let at = 0;
  while (at < text.length) {
    const token = readToken(text, at);
    follow(progress, token, depthLimit);
    at = token.end;
  }
  const { tooDeepAt, closed, fieldCount, isFenceOpen, isCommentOpen } = progress;
  return { tooDeepAt, closed: closed && !isFenceOpen && !isCommentOpen, fieldCount };
}

function follow(progress: Progress, token: Token, depthLimit: number): void {
  const { kind, start, closed } = token;
  if (kind === 'open') enter(progress, start, depthLimit);
  else if (kind === 'close') leave(progress);
  else if (kind === 'comment') progress.isCommentOpen = !closed;
  else if (progress.depth === 0) followAtTop(progress, token);
  else if (progress.depth === 1 && kind === 'colon' && !progress.closed) progress.fieldCount += 1;
}

function enter(progress: Progress, start: number, depthLimit: number): void {
  progress.depth += 1;
  if (progress.depth > depthLimit) progress.tooDeepAt ??= start;
}

function leave(progress: Progress): void {
  if (progress.depth === 1) progress.closed = true;
  progress.depth = Math.max(0, progress.depth - 1);
}

function followAtTop(progress: Progress, { kind, closed }: Token): void {
  if (kind === 'string' && closed) progress.closed = true;
  if (kind === 'fence') progress.isFenceOpen = !progress.closed;
}
