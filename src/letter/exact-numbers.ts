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
  const parsed = quoted === undefined ? undefined : parseStrictly(quoted);
  if (parsed === undefined) return { fields, changed: false };
  const exact = parsed.value as JsonObject;
  const isChanged = (name: string): boolean =>
    !isRouterField(name) && JSON.stringify(exact[name]) !== JSON.stringify(fields[name]);
  return { fields: exact, changed: Object.keys(exact).some(isChanged) };
}

/** Puts each number that is not exact between quotes; nothing when all are. */
function quoteInexact(text: string): string | undefined {
  const pieces: string[] = [];
  let kept = 0;
  for (let at = 0; at < text.length; ) {
    const { kind, start, end } = readToken(text, at);
    at = end;
    if (kind !== 'bare' || isExact(text.slice(start, end))) continue;
    pieces.push(text.slice(kept, start), `"${text.slice(start, end)}"`);
    kept = end;
  }
  return pieces.length === 0 ? undefined : [...pieces, text.slice(kept)].join('');
}

function isExact(literal: string): boolean {
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
