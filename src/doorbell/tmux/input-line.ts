/**
 * What a client's line of input shows, as far as a screen tells. Whatever is in doubt counts as typed: a
 * draft, a menu and a dialog all have words where an empty line has none.
 */
import type { ClientName } from '../clients.ts';
import type { Screen } from './pane.ts';

/** What stands behind the cursor of an empty line, besides nothing. */
const PLACEHOLDERS: Readonly<Partial<Record<ClientName, string>>> = {
  codex: 'Ask Codex to do anything',
  gemini: 'Type your message or @path/to/file',
};

/** A prompt: some sign before the cursor, and no word. */
const PROMPT = /^[^\p{L}\p{N}]*[^\p{L}\p{N}\s│┃|][^\p{L}\p{N}]*$/u;

/** What frames a line of input at its end. */
const FRAME = /^[\s│┃|]*$/u;

/** Tells whether the cursor stands behind a prompt with nothing typed. */
export function isEmptyInput({ before, after }: Screen, client: ClientName): boolean {
  if (!PROMPT.test(before)) return false;
  const rest = after.trim().replace(/[\s│┃|]+$/u, '');
  return FRAME.test(after) || rest === PLACEHOLDERS[client];
}

/** Tells whether a screen shows a line once more than the one before; it may be broken and framed. */
export function showsTyped(line: string, screen: Screen, before: Screen): boolean {
  return timesIn(screen, line) === timesIn(before, line) + 1;
}

function timesIn({ text }: Screen, line: string): number {
  return lettersOf(text).split(lettersOf(line)).length - 1;
}

function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}
