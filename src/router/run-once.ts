import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../protocol/clock.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';
import { isLeftBehind, readLeftovers } from '../spool/leftovers.ts';
import type { Health } from './health.ts';
import { lookAtState } from './look-at-state.ts';
import { noteHandled } from './note-handled.ts';
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
  /** What could not be brought to its end, where it is and what stands in the way, in sentences. */
  left: readonly string[];
  /** Some of that puts a promise at risk, as `status` would say: not what git is still to record. */
  unhealthy: boolean;
}

const MOST_MS = 60_000;
const GAP_MS = 100;
/** Passes in a row that the machine may refuse, or something in them, before the run is given up. */
const MOST_FAILURES = 5;

/**
 * Runs passes until nothing more can move: files that may still be written are waited for, at most a
 * minute; what the machine refuses is tried a few times. Then the history is flushed, at most 10 s.
 * @throws HivemailError `locked` naming the router that is up; `io` when the machine refuses pass after
 *   pass
 */
export async function runOnce(options: OpenRouterOptions): Promise<OnceReport> {
  const open = await openRouter(options);
  try {
    const { letters, waiting } = await runToTheEnd(open.router, options.clock);
    noteHandled(open.router, 'all');
    lookAtState(open, 'all');
    const recorded = await open.history.flush();
    const { health, fs, layout } = open.router;
    const isRed = health.problems.some(({ red }) => red);
    const left = [...inTheWay(health), ...(await open.close())];
    const unhealthy = isRed || isLeftBehind(readLeftovers(fs, layout));
    return { letters, waiting, recorded, left, unhealthy };
  } finally {
    await open[Symbol.asyncDispose]();
  }
}

type Passes = Pick<OnceReport, 'letters' | 'waiting'>;

/** What the passes have asked the history for goes on once it has answered. */
async function runToTheEnd(router: Router, clock: Clock): Promise<Passes> {
  const passes = await runPasses(router, clock);
  if (!(await router.accepted.settled())) return passes;
  router.personLookMs = 0;
  const { letters, waiting } = await runPasses(router, clock);
  return { letters: passes.letters + letters, waiting };
}

async function runPasses(router: Router, clock: Clock): Promise<Passes> {
  const until = clock.monotonic() + MOST_MS;
  let letters = 0;
  let idle = 0;
  for (;;) {
    const report = await tryPass(router);
    letters += report.letters;
    idle = report.letters === 0 ? idle + 1 : 0;
    const next = nextPass(report, idle);
    if (next === 'none' || clock.monotonic() >= until) return { letters, waiting: report.waiting };
    if (next === 'later') await pause(GAP_MS);
  }
}

/**
 * Tells when another pass may move something.
 * @param idle - passes in a row without a letter
 */
function nextPass({ more, waiting, refused }: PassReport, idle: number): 'now' | 'later' | 'none' {
  if (more) return 'now';
  if (waiting || (refused && idle < MOST_FAILURES)) return 'later';
  return idle < 2 ? 'now' : 'none';
}

/** Keys of problems that `close` tells of by what it finds in `.router/`. */
const TOLD_BY_REMAINS = /^(inbox|batch|deferred|sent)\/|^outbox\/[^/]+:claims$/;

/** What keeps mail from moving, and lies outside of `.router/`. */
function inTheWay({ problems }: Health): string[] {
  const telling = problems.filter(({ key, red }) => red && !TOLD_BY_REMAINS.test(key));
  return telling.map(({ message }) => message);
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
