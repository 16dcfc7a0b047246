import { setTimeout as pause } from 'node:timers/promises';
import {
  type ControlRequest,
  type ControlResult,
  putRequest,
  takeResult,
  withdrawRequest,
} from '../hive/control.ts';
import type { HiveFs } from '../hive/hive-fs.ts';
import { type HiveLayout, layoutOf } from '../hive/layout.ts';
import { makeMissing } from '../hive/make-missing.ts';
import { createNodeFs } from '../hive/node-fs.ts';
import type { Clock } from '../protocol/clock.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';
import { type OpenRouter, openRouter } from './open-router.ts';
import { runPass } from './pass.ts';
import { refusedByMachine } from './run-once.ts';

const ANSWER_MS = 5000;
const LOOK_MS = 20;
/** How long an answer is waited for before the lock is tried again: its holder may be a command too. */
const LOCK_AGAIN_MS = 400;

/** A request on its way. */
interface Asking {
  dir: string;
  fs: HiveFs;
  layout: HiveLayout;
  clock: Clock;
  request: ControlRequest;
  /** Its name in `.router/control/`, once it lies there. */
  name?: string;
}

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
  const asking: Asking = { dir, fs: createNodeFs(), layout: layoutOf(dir), clock, request };
  const until = clock.monotonic() + ANSWER_MS;
  let result = await carryOutHere(asking);
  while (result === undefined && clock.monotonic() < until) {
    result = (await waitForAnswer(asking)) ?? (await carryOutHere(asking));
  }
  result ??= giveUp(asking);
  if (!result.ok) throw new HivemailError(result.code, result.message);
  return result.said;
}

/** Carries the request out when nobody holds the hive; nothing when somebody does. */
async function carryOutHere(asking: Asking): Promise<ControlResult | undefined> {
  const { dir, clock, fs, layout, request } = asking;
  let open: OpenRouter;
  try {
    open = await openRouter({ dir, clock });
  } catch (error) {
    if (error instanceof HivemailError && error.code === 'locked') return undefined;
    throw error;
  }
  try {
    asking.name ??= await putRequest(fs, layout, request, clock.now());
    await runPass(open.router, { takeIn: false });
    const result = takeResult(fs, layout, asking.name);
    if (result !== undefined) return result;
    withdrawRequest(fs, layout, asking.name);
    const message = 'The change could not be made. `hivemail status` says what stands in the way.';
    return { ok: false, code: 'unhealthy', message };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined || error instanceof HivemailError) throw error;
    throw refusedByMachine(code, error);
  } finally {
    await open[Symbol.asyncDispose]();
  }
}

async function waitForAnswer(asking: Asking): Promise<ControlResult | undefined> {
  const { fs, layout, request, clock } = asking;
  // Whoever holds the hive may have only just begun.
  makeMissing(fs, layout.control);
  asking.name ??= await putRequest(fs, layout, request, clock.now());
  const until = clock.monotonic() + LOCK_AGAIN_MS;
  while (clock.monotonic() < until) {
    const result = takeResult(fs, layout, asking.name);
    if (result !== undefined) return result;
    await pause(LOOK_MS);
  }
  return undefined;
}

function giveUp({ fs, layout, name = '' }: Asking): ControlResult {
  const last = takeResult(fs, layout, name);
  if (last !== undefined) return last;
  const taken = !withdrawRequest(fs, layout, name);
  const message = taken
    ? 'The router has the request and has not answered yet. Look again before you repeat it.'
    : 'The router that holds this hive did not answer within 5 seconds; the request was taken back. See `hivemail status`.';
  return { ok: false, code: 'timeout', message };
}
