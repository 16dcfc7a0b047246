/** A JSON object as the strict parser gives it. */
export type JsonObject = Record<string, unknown>;

/** Tells whether a JSON value is an object, and not an array or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
