import { HivemailError, systemCode } from '../protocol/errors.ts';
import { escapeLine } from '../protocol/escape.ts';
import type { Finding } from './finding.ts';

/** What became of a fix. */
export interface FixResult {
  check: string;
  /** What was to be done. */
  says: string;
  done: boolean;
  /** Why it was not done, and what to do; a sentence. */
  problem?: string | undefined;
}

/** Applies what can be fixed, one after the other. One that fails holds up no other. */
export async function applyFixes(findings: readonly Finding[]): Promise<FixResult[]> {
  const results: FixResult[] = [];
  for (const { check, fix } of findings) {
    if (fix === undefined) continue;
    const problem = await problemOf(fix.apply);
    results.push({ check, says: fix.says, done: problem === undefined, problem });
  }
  return results;
}

async function problemOf(apply: () => Promise<void>): Promise<string | undefined> {
  try {
    await apply();
    return undefined;
  } catch (error) {
    if (error instanceof HivemailError && error.code === 'locked') {
      return escapeLine(`Stop the router first. ${error.message}`);
    }
    const known = error instanceof HivemailError || systemCode(error) !== undefined;
    if (!known || !(error instanceof Error)) throw error;
    return escapeLine(error.message);
  }
}
