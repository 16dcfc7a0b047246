import { setTimeout as pause } from 'node:timers/promises';
import {
  type ControlRequest,
  type ControlResult,
  putRequest,
  takeResult,
  withdrawRequest,
} from '../hive/control.ts';
import { layoutOf } from '../hive/layout.ts';
import { createNodeFs } from '../hive/node-fs.ts';
import type { Clock } from '../protocol/clock.ts';
import { HivemailError } from '../protocol/errors.ts';
import { type OpenRouter, openRouter } from './open-router.ts';
import { runPass } from './pass.ts';

const ANSWER_MS = 5000;
const LOOK_MS = 20;

/**
 * Has a request carried out: by the router that is up, or else here, under its lock and by its code.
 * @returns the sentence to tell the person
 * @throws HivemailError with the code of the refusal; `timeout` when a router is up and does not answer
 */
export async function requestControl(
  dir: string,
  request: ControlRequest,
  clock: Clock,
): Promise<string> {
  const result =
    (await carryOutHere(dir, request, clock)) ?? (await askRouter(dir, request, clock));
  if (!result.ok) throw new HivemailError(result.code, result.message);
  return result.said;
}

async function carryOutHere(
  dir: string,
  request: ControlRequest,
  clock: Clock,
): Promise<ControlResult | undefined> {
  let open: OpenRouter;
  try {
    open = await openRouter({ dir, clock });
  } catch (error) {
    if (error instanceof HivemailError && error.code === 'locked') return undefined;
    throw error;
  }
  const { fs, layout } = open.router;
  try {
    const name = await putRequest(fs, layout, request, clock.now());
    await runPass(open.router, { takeIn: false });
    const result = takeResult(fs, layout, name);
    if (result !== undefined) return result;
    withdrawRequest(fs, layout, name);
    const message = 'The change could not be made. `hivemail status` says what stands in the way.';
    return { ok: false, code: 'unhealthy', message };
  } finally {
    await open[Symbol.asyncDispose]();
  }
}

async function askRouter(
  dir: string,
  request: ControlRequest,
  clock: Clock,
): Promise<ControlResult> {
  const fs = createNodeFs();
  const layout = layoutOf(dir);
  const name = await putRequest(fs, layout, request, clock.now());
  const until = clock.monotonic() + ANSWER_MS;
  while (clock.monotonic() < until) {
    const result = takeResult(fs, layout, name);
    if (result !== undefined) return result;
    await pause(LOOK_MS);
  }
  const last = takeResult(fs, layout, name);
  if (last !== undefined) return last;
  const taken = !withdrawRequest(fs, layout, name);
  const message = taken
    ? 'The router has the request and has not answered yet. Look again before you repeat it.'
    : 'The router that holds this hive did not answer within 5 seconds; the request was taken back. See `hivemail status`.';
  return { ok: false, code: 'timeout', message };
}
