import type { ExaminedLetter } from './examine.ts';
import { isJsonObject } from './json-object.ts';
import type { Completeness } from './letter.ts';

/**
 * Tells by a file's bytes alone how far its writer has come; see {@link Completeness}.
 * Only a strict parse says `complete`: a lenient one would take a half-written letter for a whole one.
 * A text that nests too deep is never parsed, and so is `closed` at best.
 * @param letter - of the whole file, within the size limit (a larger one is the caller's matter)
 */
export function assessLetter({
  text,
  fault,
  repairs,
  structure,
  strict,
}: ExaminedLetter): Completeness {
  if (text.trim() === '') return fault === undefined ? 'empty' : 'open';
  if (fault !== undefined || strict === undefined) return structure.closed ? 'closed' : 'open';
  if (!isJsonObject(strict.value) || repairs.includes('nul-padding')) return 'closed';
  return 'complete';
}
