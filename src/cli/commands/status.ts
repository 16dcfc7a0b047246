import { ERRORS, type HiveStatus, isLeftBehind, systemClock } from '../../index.ts';
import type { Context } from '../context.ts';
import { showAgain } from '../show-again.ts';
import { isSilent, statusLines } from '../status-lines.ts';

/** Options of `status`. */
export interface StatusOptions {
  /** Seconds between two looks; `true` for the usual ones. */
  watch?: number | true;
}

const WATCH_SECONDS = 2;
const LEAST_SECONDS = 0.2;

/** Shows how the hive stands; on demand again and again, until it is interrupted. */
export async function status(context: Context, { watch }: StatusOptions): Promise<number> {
  if (watch === undefined) return show(context);
  const seconds = Math.max(LEAST_SECONDS, watch === true ? WATCH_SECONDS : watch);
  return await showAgain(context, seconds * 1000, () => read(context));
}

function show(context: Context): number {
  const { value, lines, exitCode } = read(context);
  if (context.json) context.printJson(value);
  else for (const line of lines()) context.print(line);
  return exitCode;
}

function read(context: Context): { value: object; lines: () => string[]; exitCode: number } {
  const now = context.hive.status();
  const nowMs = systemClock.now();
  const atRisk = isAtRisk(now, nowMs);
  return {
    value: { ...now, atRisk },
    lines: () => statusLines(now, nowMs),
    exitCode: atRisk ? ERRORS.unhealthy.exitCode : 0,
  };
}

/** A router that is down has nothing to be red about, unless it left something that it had accepted. */
function isAtRisk(now: HiveStatus, nowMs: number): boolean {
  const { health, router, problems, leftovers } = now;
  if (problems.length > 0 || isSilent(now, nowMs)) return true;
  return router === 'down' ? isLeftBehind(leftovers) : health?.state === 'red';
}
