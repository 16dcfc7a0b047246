/** A JSON object as the strict parser gives it. */
export type JsonObject = Record<string, unknown>;

/** Parses JSON text by the standard; nothing when it is not JSON. No exception text leaves here. */
export function parseStrictly(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Tells whether a JSON value is an object, and not an array or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
