import { parseStrictly } from '../protocol/parse-strictly.ts';
import { keepNumbers } from './exact-numbers.ts';
import type { ExaminedLetter } from './examine.ts';
import { emptyFile, notAnObject, notText, tooDeep, tooLarge, unparsable } from './file-issues.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';
import type { LetterIssue, ParsedLetter, Repair } from './letter.ts';
import { normalizeLetter } from './normalize.ts';
import { repairText } from './repair.ts';
import { makeSafe } from './safe-json.ts';

/**
 * Parses a settled file into the letter its author meant: size, encoding, nesting, strict JSON, repair of
 * what is not, then the fields. Never throws for anything a file can hold.
 */
export function parseLetter(letter: ExaminedLetter): ParsedLetter {
  const { text, fault, faultAt = 0, structure, limits } = letter;
  if (letter.sizeBytes > limits.letterBytes) return rejected(tooLarge(limits.letterBytes));
  if (fault === 'not-text') return rejected(notText(text, faultAt));
  if (text.trim() === '' && fault === undefined) return rejected(emptyFile());
  const { tooDeepAt, fieldCount } = structure;
  if (tooDeepAt !== undefined) return rejected(tooDeep(text, tooDeepAt, limits.depth));
  const read = readObject(letter);
  if (!read.ok) return rejected(read.issue);
  if (fault !== undefined) return rejected(notText(text, faultAt));
  const repairs = new Set([...letter.repairs, ...read.repairs]);
  if (fieldCount > Object.keys(read.fields).length) repairs.add('duplicate-fields');
  return normalizeLetter(makeSafe(read.fields, read.text, repairs), limits, repairs);
}

/** What can not be read was not mended, however far that came. */
function rejected(issue: LetterIssue): ParsedLetter {
  return { ok: false, issues: [issue], repairs: [] };
}

type ReadObject =
  | { ok: true; fields: JsonObject; text: string; repairs: Repair[] }
  | { ok: false; issue: LetterIssue };

function readObject({ text, strict }: ExaminedLetter): ReadObject {
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
  return { ok: true, fields, text, repairs: changed ? [...repairs, 'numbers-as-text'] : repairs };
}
