import { HivemailError, systemCode } from '../protocol/errors.ts';

/** Says why the history could not be written, in a sentence. */
export function troubleOf(error: unknown): string {
  if (error instanceof HivemailError) return error.message;
  const code = systemCode(error) ?? 'unknown error';
  return `The history could not be written (${code}). Mail still flows; the history catches up.`;
}
