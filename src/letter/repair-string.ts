/**
 * Repair of one JSON string literal, which may hold anything but an unescaped quote.
 *
 * Invariants: a valid literal stays as it is; a mended one parses to exactly the text that stands in the
 * file; linear in its length. Not here: where a string ends (`tokens.ts`), and strings that never do.
 */
import type { Repair } from './letter.ts';

/** A JSON string literal made parsable, or the offset of the backslash that could mean two things. */
export type MendedString =
  | { ok: true; literal: string; repairs: Repair[] }
  | { ok: false; offset: number };

interface Faults {
  hasControl: boolean;
  hasContinuation: boolean;
  /** Offset of the first backslash that begins no JSON escape. */
  strayBackslash: number | undefined;
  /** Whether an escape stands there that its author can have meant: `\n \t \b \f \r \uXXXX`. */
  hasMeantEscape: boolean;
}

const FIRST_PRINTABLE = 0x20;
/** Every escape and every raw control character; a shell continuation with its whole line break. */
const UNITS = /\\(?:u[0-9a-fA-F]{4}|\r\n|[^])|[\u0000-\u001f]/g;

/**
 * Mends a closed string literal so that its text is exactly what stands in the file.
 * - A raw control character becomes its escape: the author meant that character.
 * - A backslash before a raw control character stays a backslash: a shell continuation, as text.
 * - A backslash that begins no escape says that the author did not escape at all (a Windows path, a
 *   regular expression), so every backslash becomes text, but the one before a quote, without which the
 *   literal would end there. Not where an escape may have been meant: `C:\Users\new` is two texts.
 * @param literal - with its quotes
 */
export function mendString(literal: string): MendedString {
  const faults = findFaults(literal);
  const { hasControl, hasContinuation, strayBackslash, hasMeantEscape } = faults;
  if (strayBackslash !== undefined && hasMeantEscape) return { ok: false, offset: strayBackslash };
  const repairs: Repair[] = [];
  if (hasControl) repairs.push('control-characters');
  if (hasContinuation) repairs.push('backslash-newline');
  if (strayBackslash !== undefined) repairs.push('path-backslashes');
  if (repairs.length === 0) return { ok: true, literal, repairs };
  return { ok: true, literal: rewrite(literal, strayBackslash !== undefined), repairs };
}

function findFaults(literal: string): Faults {
  const faults: Faults = {
    hasControl: false,
    hasContinuation: false,
    strayBackslash: undefined,
    hasMeantEscape: false,
  };
  UNITS.lastIndex = 0;
  for (let found = UNITS.exec(literal); found !== null; found = UNITS.exec(literal)) {
    classify(found[0], found.index, faults);
  }
  return faults;
}

function classify(unit: string, offset: number, faults: Faults): void {
  if (isControl(unit, 0)) faults.hasControl = true;
  else if (isControl(unit, 1)) faults.hasContinuation = true;
  else if (unit.length > 2 || 'bfnrt'.includes(unit.charAt(1))) faults.hasMeantEscape = true;
  else if (!'"\\/'.includes(unit.charAt(1))) faults.strayBackslash ??= offset;
}

/** @param isRaw - whether the author wrote text without escaping it */
function rewrite(literal: string, isRaw: boolean): string {
  return literal.replace(UNITS, (unit) => {
    const isValid = !isControl(unit, 0) && !isControl(unit, 1);
    if (unit === '\\"' || (isValid && !isRaw)) return unit;
    return JSON.stringify(unit).slice(1, -1);
  });
}

function isControl(literal: string, at: number): boolean {
  return literal.charCodeAt(at) < FIRST_PRINTABLE;
}
