import type { Surface } from './surface.ts';

/** Where a failure is told, and whether a program reads it too. */
export interface Telling {
  surface: Surface;
  json: boolean;
}

/**
 * Tells what went wrong in one line, without a stack unless HIVEMAIL_DEBUG asks for it.
 * @returns the exit code
 */
export async function reportFailure(error: unknown, telling: Telling): Promise<number> {
  const { ERRORS, HivemailError } = await import('../index.ts');
  const code = error instanceof HivemailError ? error.code : isOfSystem(error) ? 'io' : 'internal';
  const message = error instanceof Error ? error.message : String(error);
  const hint = ' `hivemail doctor` looks at what stands in the hive, and says what to do.';
  await tell(code, isOfSystem(error) ? `${message}.${hint}` : message, telling);
  const { stderr, env } = telling.surface;
  if (env['HIVEMAIL_DEBUG'] && error instanceof Error) {
    const { escapeUnsafe } = await import('../index.ts');
    stderr.write(`${escapeUnsafe(error.stack ?? '')}\n`);
  }
  return ERRORS[code].exitCode;
}

/** Tells an error of a system call from a fault of ours. */
function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

/**
 * Tells that the call is not of a form that a command takes.
 * @param text - as commander says it: `error: …`, perhaps with a suggestion below
 */
export async function reportUsage(text: string, telling: Telling): Promise<void> {
  const [, problem = text, meant] =
    /^error: (.*?)(?:\n\((Did you mean .*?\?)\))?\s*$/s.exec(text) ?? [];
  const sentence = `${problem.replace(/\.?\s*$/, '.')} ${meant ?? ''}`.trimEnd();
  await tell('usage', sentence, telling);
}

async function tell(code: string, message: string, { surface, json }: Telling): Promise<void> {
  const { escapeLine, escapeUnsafe } = await import('../index.ts');
  surface.stderr.write(`hivemail: ${escapeLine(message)}\n`);
  if (!json) return;
  surface.stdout.write(`${escapeUnsafe(JSON.stringify({ error: { code, message } }))}\n`);
}
