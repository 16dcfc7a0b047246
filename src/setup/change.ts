/**
 * What is written into a client's settings, in one of three forms, and how each is taken away again.
 *
 * What must hold: `withdraw` undoes `apply` byte for byte; what somebody else wrote is never touched.
 */

import { UnfitText } from './json-document.ts';
import {
  addEntries,
  type Before,
  type Entry,
  listOwned,
  type Owns,
  removeOwned,
} from './json-entries.ts';

/** What is to be written. */
export type Change =
  /** Entries of a JSON file. `owns` knows those of this owner, `isOurs` those of any. */
  | { form: 'entries'; entries: readonly Entry[]; owns: Owns; isOurs: Owns }
  /**
   * Lines at the end of a text, for a format whose sections may stand in any order. The first names their
   * owner. Where somebody else's text is like `unless`, they do not fit.
   */
  | { form: 'block'; lines: readonly string[]; unless?: RegExp }
  /** A file of its own; `mark` is in its first line and in no other's. */
  | { form: 'file'; text: string; mark: string };

/** What is remembered of a change that was made. */
export type Trace =
  | { form: 'entries'; before: Before }
  | { form: 'block'; text: string; before: Before }
  | { form: 'file' };

/** A text after a change; nothing for no file. */
export interface Changed {
  text: string | undefined;
  trace: Trace;
}

/**
 * Makes a change in a text that does not hold it.
 * @param known - what others of ours in the same text remember
 */
export function applyChange(text: string | undefined, change: Change, known: Before): Changed {
  if (change.form === 'entries') {
    const { entries, isOurs } = change;
    const { before, ...added } = addEntries(text, { entries, known, isOurs });
    return { ...added, trace: { form: 'entries', before } };
  }
  if (change.form === 'block') {
    if (change.unless?.test(text ?? '') === true) {
      throw new UnfitText('already has a section of this name, which is not from here');
    }
    const block = blockIn(text ?? '', change.lines);
    const before: Before = text === undefined ? { '': 'missing' } : known;
    return { text: (text ?? '') + block, trace: { form: 'block', text: block, before } };
  }
  if (text !== undefined) throw new UnfitText('is there already, and not from here');
  return { text: change.text, trace: { form: 'file' } };
}

/** A text that ends with a line break goes on doing so, and one that does not, too. */
function blockIn(text: string, lines: readonly string[]): string {
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n';
  const block = lines.join(eol);
  return text === '' || text.endsWith('\n') ? block + eol : eol + block;
}

/**
 * Takes a change away.
 * @param trace - what is remembered of it; without it, what is found is taken away as well as can be
 * @returns nothing for a file that had not been there
 */
export function withdrawChange(text: string, change: Change, trace?: Trace): string | undefined {
  if (change.form === 'entries') {
    return removeOwned(text, change.owns, trace?.form === 'entries' ? trace.before : undefined);
  }
  if (change.form === 'file') return isFileOf(text, change) ? undefined : text;
  const isKnown = trace?.form === 'block';
  const block = isKnown ? trace.text : blockIn('', change.lines);
  const wasMissing = isKnown && trace.before[''] === 'missing';
  const at = text.lastIndexOf(block);
  if (at === -1) return text;
  const left = text.slice(0, at) + text.slice(at + block.length);
  return left === '' && wasMissing ? undefined : left;
}

/** Tells whether a text holds all of a change, as it is now, and nothing else of its owner. */
export function holdsChange(text: string | undefined, change: Change): boolean {
  if (text === undefined) return false;
  if (change.form === 'file') return text === change.text;
  if (change.form === 'block') return text.replaceAll('\r', '').includes(change.lines.join('\n'));
  const wanted = addEntries(undefined, { ...change, known: {} }).text;
  return sorted(listOwned(text, change.owns)) === sorted(listOwned(wanted, change.owns));
}

/** Tells whether a text holds anything of a change, perhaps of an older version or edited. */
export function holdsSomeOf(text: string | undefined, change: Change): boolean {
  if (text === undefined) return false;
  if (change.form === 'file') return isFileOf(text, change);
  if (change.form === 'block') return text.includes(change.lines[0] ?? '');
  return listOwned(text, change.owns).length > 0;
}

function isFileOf(text: string, { mark }: { mark: string }): boolean {
  return (text.split('\n', 1)[0] ?? '').includes(mark);
}

function sorted(values: readonly unknown[]): string {
  return values
    .map((value) => JSON.stringify(value))
    .sort()
    .join('\n');
}
