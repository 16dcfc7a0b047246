import { setTimeout as pause } from 'node:timers/promises';
import { type OpenRouterOptions, openRouter } from './open-router.ts';
import { runPass } from './pass.ts';

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

/**
 * Runs passes until nothing more can move: files that may still be written are waited for, at most a
 * minute; then the history is flushed, at most 10 s.
 * @throws HivemailError `locked` naming the router that is up
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
      report = await runPass(open.router, { takeIn: true });
      letters += report.letters;
      idle = report.letters === 0 ? idle + 1 : 0;
      if (report.waiting && !report.more) await pause(GAP_MS);
    }
    return { letters, waiting: report.waiting, recorded: await open.history.flush() };
  } finally {
    await open[Symbol.asyncDispose]();
  }
}
