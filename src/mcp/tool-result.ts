import type { CallToolResult } from '@modelcontextprotocol/server';
import { escapeUnsafe, HivemailError } from '../index.ts';

/**
 * Makes a tool's result: text for a model to read, and the same as data; clients show one or the other. Neither holds a character that
 * hides or reorders text, whatever a letter says.
 */
export function toolResult(text: string, data: Record<string, unknown>): CallToolResult {
  return {
    content: [{ type: 'text', text: escapeUnsafe(text) }],
    structuredContent: made(data) as Record<string, unknown>,
  };
}

/**
 * Runs a tool. What a caller can do something about comes back as an error result with a sentence that
 * says what; anything else is thrown on.
 */
export async function answered(tool: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await tool();
  } catch (error) {
    if (!(error instanceof HivemailError)) throw error;
    const { code, message } = error;
    return { ...toolResult(message, { error: { code, message } }), isError: true };
  }
}

/** Makes every text in a value safe to show. */
function made(value: unknown): unknown {
  if (typeof value === 'string') return escapeUnsafe(value);
  if (Array.isArray(value)) return value.map((entry) => made(entry));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => entry !== undefined)
      .map(([name, entry]) => [escapeUnsafe(name), made(entry)]),
  );
}
