/** Parses JSON text by the standard; nothing when it is not JSON. No exception text leaves here. */
export function parseStrictly(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
