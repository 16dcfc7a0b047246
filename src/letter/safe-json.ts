import { isJsonObject, type JsonObject } from './json-object.ts';
import type { Repair } from './letter.ts';

/**
 * Copies a parsed JSON object into one that can do no harm further on, however it is merged or written:
 * objects without a prototype, no `__proto__` field, unpaired surrogates replaced by U+FFFD (UTF-8 has no
 * form for them, so they would change unseen when written).
 * @param fields - from the JSON parser, within the depth limit: this recurses
 * @param repairs - what had to change is added here
 */
export function copySafely(fields: JsonObject, repairs: Set<Repair>): JsonObject {
  const copy = Object.create(null) as JsonObject;
  for (const [name, value] of Object.entries(fields)) {
    if (name === '__proto__') repairs.add('proto-key');
    else copy[wellFormed(name, repairs)] = copyValue(value, repairs);
  }
  return copy;
}

function copyValue(value: unknown, repairs: Set<Repair>): unknown {
  if (typeof value === 'string') return wellFormed(value, repairs);
  if (Array.isArray(value)) return value.map((item) => copyValue(item, repairs));
  return isJsonObject(value) ? copySafely(value, repairs) : value;
}

const UNPAIRED_SURROGATE = /\p{Surrogate}/gu;

function wellFormed(text: string, repairs: Set<Repair>): string {
  const whole = text.replace(UNPAIRED_SURROGATE, '\ufffd');
  if (whole !== text) repairs.add('lone-surrogates');
  return whole;
}
