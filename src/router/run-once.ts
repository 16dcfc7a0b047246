import { setTimeout as pause } from 'node:timers/promises';
import { HivemailError, systemCode } from '../protocol/errors.ts';
import { type OpenRouterOptions, openRouter } from './open-router.ts';
import { type PassReport, runPass } from './pass.ts';
import type { Router } from './router.ts';

/** What a run came to. */
export interface OnceReport {
  /** Letters that got their outcome. */
  letters: number;
  /** Something still waits for its writer. */
  waiting: boolean;
  /** Everything is in the history. */
  recorded: boolean;
}

const MOST_MS = 60_000;
const GAP_MS = 100;
/** Passes in a row that the machine may refuse before the run is given up. */
const MOST_FAILURES = 5;

/**
 * Runs passes until nothing more can move: files that may still be written are waited for, at most a
 * minute; then the history is flushed, at most 10 s.
 * @throws HivemailError `locked` naming the router that is up; `io` when the machine refuses pass after
 *   pass
 */
export async function runOnce(options: OpenRouterOptions): Promise<OnceReport> {
  const { clock } = options;
  const open = await openRouter(options);
  try {
    const until = clock.monotonic() + MOST_MS;
    let letters = 0;
    let report = { letters: 0, more: true, waiting: true };
    let idle = 0;
    while ((report.more || report.waiting || idle < 2) && clock.monotonic() < until) {
      report = await tryPass(open.router);
      letters += report.letters;
      idle = report.letters === 0 ? idle + 1 : 0;
      if (report.waiting && !report.more) await pause(GAP_MS);
    }
    return { letters, waiting: report.waiting, recorded: await open.history.flush() };
  } finally {
    await open[Symbol.asyncDispose]();
  }
}

async function tryPass(router: Router): Promise<PassReport> {
  for (let failures = 1; ; failures++) {
    try {
      return await runPass(router, { takeIn: true });
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined || error instanceof HivemailError) throw error;
      if (failures === MOST_FAILURES) throw refusedByMachine(code, error);
      await pause(GAP_MS);
    }
  }
}

/** Says that the machine refused a pass. */
export function refusedByMachine(code: string, cause: unknown): HivemailError {
  const sentence = `The file system refuses an operation (${code}), so the pass could not be finished. Nothing is lost; mend it and run again.`;
  return new HivemailError('io', sentence, { cause });
}
