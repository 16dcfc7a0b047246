import { parseStrictly } from '../protocol/parse-strictly.ts';
import { decodeLetter } from './decode.ts';
import { keepNumbers } from './exact-numbers.ts';
import { emptyFile, notAnObject, notText, tooDeep, tooLarge, unparsable } from './file-issues.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';
import type { LetterIssue, LetterLimits, ParsedLetter, Repair } from './letter.ts';
import { normalizeLetter } from './normalize.ts';
import { repairText } from './repair.ts';
import { scanStructure } from './structure.ts';

/**
 * Parses a settled file into the letter its author meant: size, encoding, nesting, strict JSON, repair of
 * what is not, then the fields. Never throws for anything a file can hold.
 * @param bytes - the file's bytes; at most one more than the limit is needed to see that it is too large
 */
export function parseLetter(bytes: Uint8Array, limits: LetterLimits): ParsedLetter {
  if (bytes.byteLength > limits.letterBytes) return rejected(tooLarge(limits.letterBytes));
  const { text, fault, faultAt = 0, repairs } = decodeLetter(bytes);
  if (fault === 'not-text') return rejected(notText(text, faultAt));
  if (text.trim() === '' && fault === undefined) return rejected(emptyFile());
  const { tooDeepAt, fieldCount } = scanStructure(text, limits.depth);
  if (tooDeepAt !== undefined) return rejected(tooDeep(text, tooDeepAt, limits.depth));
  const read = readObject(text);
  if (!read.ok) return rejected(read.issue);
  if (fault !== undefined) return rejected(notText(text, faultAt));
  repairs.push(...read.repairs);
  if (fieldCount > Object.keys(read.fields).length) repairs.push('duplicate-fields');
  return normalizeLetter(read.fields, limits, repairs);
}

/** What can not be read was not mended, however far that came. */
function rejected(issue: LetterIssue): ParsedLetter {
  return { ok: false, issues: [issue], repairs: [] };
}

type ReadObject =
  | { ok: true; fields: JsonObject; repairs: Repair[] }
  | { ok: false; issue: LetterIssue };

function readObject(text: string): ReadObject {
  const strict = parseStrictly(text);
  if (strict !== undefined) return asObject(strict.value, text, []);
  const repaired = repairText(text);
  if (!repaired.ok) return { ok: false, issue: unparsable(text, repaired.fault) };
  const parsed = parseStrictly(repaired.text);
  if (parsed !== undefined) return asObject(parsed.value, repaired.text, repaired.repairs);
  return { ok: false, issue: unparsable(text, { kind: 'syntax', offset: 0 }) };
}

function asObject(value: unknown, text: string, repairs: Repair[]): ReadObject {
  if (!isJsonObject(value)) return { ok: false, issue: notAnObject(value) };
  const { fields, changed } = keepNumbers(value, text);
  return { ok: true, fields, repairs: changed ? [...repairs, 'numbers-as-text'] : repairs };
}
