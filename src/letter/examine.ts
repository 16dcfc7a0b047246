import { parseStrictly } from '../protocol/parse-strictly.ts';
import { type DecodedLetter, decodeLetter } from './decode.ts';
import type { LetterLimits } from './letter.ts';
import { type Structure, scanStructure } from './structure.ts';

/** What a letter file's bytes come to before anything is judged or mended. */
export interface ExaminedLetter extends DecodedLetter {
  sizeBytes: number;
  structure: Structure;
  /** The value that the text is by the standard; nothing where it is none, or was not tried. */
  strict: { value: unknown } | undefined;
  limits: LetterLimits;
}

/**
 * Decodes a letter file, scans its nesting and parses it strictly, once for all who ask: whether its
 * writer is done, and what letter it is. A text that nests too deep is never parsed.
 * @param bytes - the file's bytes; at most one more than the limit is needed to see that it is too large
 */
export function examineLetter(bytes: Uint8Array, limits: LetterLimits): ExaminedLetter {
  const decoded = decodeLetter(bytes);
  const structure = scanStructure(decoded.text, limits.depth);
  const isParsed = decoded.fault !== 'not-text' && structure.tooDeepAt === undefined;
  const strict = isParsed ? parseStrictly(decoded.text) : undefined;
  return { ...decoded, sizeBytes: bytes.byteLength, structure, strict, limits };
}
