import { parseStrictly } from '../protocol/parse-strictly.ts';
import { decodeLetter } from './decode.ts';
import { isJsonObject } from './json-object.ts';
import type { Completeness, LetterLimits } from './letter.ts';
import { scanStructure } from './structure.ts';

/**
 * Tells by a file's bytes alone how far its writer has come; see {@link Completeness}.
 * Only a strict parse says `complete`: a lenient one would take a half-written letter for a whole one.
 * A text that nests too deep is never parsed, and so is `closed` at best.
 * @param bytes - the whole file, within the size limit (a larger one is the caller's matter)
 */
export function assessLetter(bytes: Uint8Array, limits: LetterLimits): Completeness {
  const { text, fault, repairs } = decodeLetter(bytes);
  if (text.trim() === '') return fault === undefined ? 'empty' : 'open';
  const structure = scanStructure(text, limits.depth);
  const isStrict = fault === undefined && structure.tooDeepAt === undefined;
  const parsed = isStrict ? parseStrictly(text) : undefined;
  if (parsed === undefined) return structure.closed ? 'closed' : 'open';
  if (!isJsonObject(parsed.value) || repairs.includes('nul-padding')) return 'closed';
  return 'complete';
}
