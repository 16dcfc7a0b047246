import { parseStrictly } from '../protocol/parse-strictly.ts';
import { isRouterField } from './fields.ts';
import { type JsonObject } from './json-object.ts';
import { readToken } from './tokens.ts';

/** Every number that a double may not hold has as many digits, or such an exponent. */
const SUSPECT = /[\d.]{16}|\d[eE][+-]?\d{3}/;
const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Fields whose numbers are as their author wrote them. */
export interface ExactFields {
  fields: JsonObject;
  /** A number in a field that is not the router's has become a text. */
  changed: boolean;
}

/**
 * Keeps numbers that a double can't hold, such as ids of twenty digits, as texts of what was written:
 * rounded, they would be others, and beyond the largest they would be null.
 * @param text - the JSON text that `fields` was parsed from
 */
export function keepNumbers(fields: JsonObject, text: string): ExactFields {
  const quoted = SUSPECT.test(text) ? quoteInexact(text) : undefined;
  const parsed = quoted === undefined ? undefined : parseStrictly(quoted.text);
  if (quoted === undefined || parsed === undefined) return { fields, changed: false };
  const changed = [...quoted.names].some((name) => !isRouterField(name));
  return { fields: parsed.value as JsonObject, changed };
}

/** Puts each number that is not exact between quotes, and tells in which fields; nothing when all are. */
function quoteInexact(text: string): { text: string; names: Set<string> } | undefined {
  const pieces: string[] = [];
  const names = new Set<string>();
  let kept = 0;
  let depth = 0;
  // The string that was read last at the top: before a value, the name of its field.
  let name = { start: 0, end: 0 };
  for (let at = 0; at < text.length; ) {
    const token = readToken(text, at);
    const { kind, start, end } = token;
    at = end;
    if (kind === 'open') depth += 1;
    else if (kind === 'close') depth -= 1;
    else if (kind === 'string' && depth === 1) name = token;
    if (kind !== 'bare' || isExact(text.slice(start, end))) continue;
    names.add(text.slice(name.start, name.end));
    pieces.push(text.slice(kept, start), `"${text.slice(start, end)}"`);
    kept = end;
  }
  if (pieces.length === 0) return undefined;
  return { text: [...pieces, text.slice(kept)].join(''), names: new Set([...names].map(nameOf)) };
}

function nameOf(literal: string): string {
  return String(parseStrictly(literal)?.value);
}

/** Most digits that a double holds whatever they are. */
const SURE_DIGITS = 15;

function isExact(literal: string): boolean {
  if (literal.length <= SURE_DIGITS && !/[eE]/.test(literal)) return true;
  const written = decimalOf(literal);
  return written === undefined || written === decimalOf(String(Number(literal)));
}

/** Spells a number in one way only: its digits without zeros around them, and the power of ten. */
function decimalOf(literal: string): string | undefined {
  const [, whole, fraction = '', exponent = '0'] = NUMBER.exec(literal) ?? [];
  if (whole === undefined) return undefined;
  const digits = whole + fraction;
  let start = 0;
  while (digits[start] === '0') start += 1;
  let end = digits.length;
  while (end > start && digits[end - 1] === '0') end -= 1;
  if (start === end) return '0';
  const power = Number(exponent) - fraction.length + (digits.length - end);
  return `${digits.slice(start, end)}e${power}`;
}
