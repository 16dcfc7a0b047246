import { CommanderError } from 'commander';
import { reportFailure, reportUsage } from './failure.ts';
import { createProgram } from './program.ts';
import type { Surface } from './surface.ts';

const USAGE = 2;

/**
 * Runs one command line.
 * @param args - what follows the program's name
 * @returns the exit code
 */
export async function run(args: readonly string[], surface: Surface): Promise<number> {
  const outcome = { exitCode: 0, usage: '' };
  const program = createProgram(surface, outcome);
  try {
    await program.parseAsync(args, { from: 'user' });
    return outcome.exitCode;
  } catch (error) {
    const json = args.includes('--json');
    if (!(error instanceof CommanderError)) return reportFailure(error, { surface, json });
    if (error.exitCode === 0) return 0;
    if (outcome.usage !== '') await reportUsage(outcome.usage, { surface, json });
    return USAGE;
  }
}
