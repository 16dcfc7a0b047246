import { isJsonObject, type JsonObject } from './json-object.ts';
import type { Repair } from './letter.ts';

// What all harm comes of, as it stands in a text or as escapes can spell any letter of it.
const SUSPECT = /__proto__|\\u(?:00[5-7]|[dD][89a-fA-F])|\p{Surrogate}/u;

/**
 * Gives a parsed JSON object as one that can do no harm further on, however it is merged or written:
 * no `__proto__` field, unpaired surrogates replaced by U+FFFD (UTF-8 has no form for them, so they would
 * change unseen when written). It is copied only where its text can hold one of these: copying 80 000
 * fields takes as long as parsing them.
 * @param fields - from the JSON parser, within the depth limit: this recurses
 * @param text - the JSON text that they were parsed from
 * @param repairs - what had to change is added here
 */
export function makeSafe(fields: JsonObject, text: string, repairs: Set<Repair>): JsonObject {
  return SUSPECT.test(text) ? copySafely(fields, repairs) : fields;
}

function copySafely(fields: JsonObject, repairs: Set<Repair>): JsonObject {
  const copy = Object.create(null) as JsonObject;
  for (const name of Object.keys(fields)) {
    if (name === '__proto__') repairs.add('proto-key');
    else copy[wellFormed(name, repairs)] = copyValue(fields[name], repairs);
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
