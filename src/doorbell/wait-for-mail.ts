/**
 * Waiting beside an idle session to wake it when mail comes: what `hivemail hook CLIENT EVENT --wake`
 * does, as a process of its own that the client has started.
 *
 * What must hold: one waiter a session, whatever the number of turns that end; it ends with its client,
 * with the session, when another session reads the mail, and when the agent no longer wants to be woken.
 * The poll is the guarantee, file events only bring the next look forward. Whether to ring is decided by
 * what every hook decides by.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { watchInbox } from '../hive/inbox-watch.ts';
import { commandLineOf } from '../hive/process-command-line.ts';
import { isSameProcessAlive, ownIdentity } from '../hive/process-identity.ts';
import { systemCode } from '../protocol/errors.ts';
import { answerHook, type HookCall, type HookResult } from './answer-hook.ts';
import { CLIENTS } from './clients.ts';
import { clientProcess } from './holder.ts';
import { doorbellPaths } from './paths.ts';
import { readDoorbellSettings } from './settings.ts';
import { readState, writeState } from './state-file.ts';

/** A waiter's call, without what changes while it waits. */
export interface WaitCall extends Omit<HookCall, 'now' | 'checkTime' | 'idle'> {
  /** Milliseconds since the epoch. */
  now(): number;
  /** The parent at this moment; another one when the one that called has ended. */
  currentParent(): number;
  /** Longest time between two looks, in milliseconds. */
  pollMs: number;
  /** Ends the waiting. */
  signal: AbortSignal;
}

/** Letters that come together are told of together, in milliseconds. */
const SETTLE_MS = 20;

/** So many looks may fail in a row; a disk in trouble comes back, a hive that is gone does not. */
const MOST_FAILED = 40;

/** So many looks may find no session: hooks of one event start side by side, ours may be the first. */
const MOST_UNKNOWN = 10;

/** Waits until there is something to tell the idle session, or nothing to wait for any more. */
export async function waitForMail(call: WaitCall): Promise<HookResult> {
  if (isOneShot(call)) return over(call, 'the client ends with its prompt');
  using watched = watchInbox(doorbellPaths(call.root).inbox);
  const look = lookFrom(call);
  for (;;) {
    const seen = look();
    if (typeof seen !== 'string') return seen;
    if (seen !== WAIT || call.signal.aborted) return over(call, seen);
    if (await watched.change(call.pollMs, call.signal)) await pause(SETTLE_MS);
  }
}

const WAIT = 'nothing to tell of yet';

function over({ client }: WaitCall, why: string): HookResult {
  return { answer: CLIENTS[client].quiet, why, rang: false };
}

/** A client that ends with its prompt would wait for its waiter first. */
function isOneShot({ client, parent }: WaitCall): boolean {
  const pid = clientProcess(parent)?.pid ?? parent;
  return CLIENTS[client].isOneShot?.(commandLineOf(pid) ?? []) === true;
}

/** Makes the look at one moment: what to ring, {@link WAIT}, or why the waiting is over. */
function lookFrom(call: WaitCall): () => HookResult | string {
  const client = clientProcess(call.parent);
  const paths = doorbellPaths(call.root);
  const place = { isKnown: false, looks: 0 };
  let failed = 0;
  return () => {
    if (call.currentParent() !== call.parent || (client !== undefined && !isInUse(client.pid))) {
      return 'the client has ended';
    }
    try {
      if (readDoorbellSettings(paths.settings).mode !== 'continue') return 'it is not to be woken';
      const none = takePlace(call, paths.state, place);
      if (none !== undefined) return none;
      const result = answerHook({ ...call, now: call.now(), checkTime: () => {}, idle: true });
      failed = 0;
      return result.rang ? result : WAIT;
    } catch (error) {
      failed += 1;
      if (systemCode(error) === undefined || failed > MOST_FAILED) throw error;
      return WAIT;
    }
  };
}

/** Takes the place of the session's one waiter, or keeps it. @returns why there is none, if so */
function takePlace(
  call: WaitCall,
  dir: string,
  place: { isKnown: boolean; looks: number },
): string | undefined {
  const { number, state } = readState(dir);
  const { holder, waiter } = state;
  if (holder === undefined) {
    place.looks += 1;
    return place.isKnown || place.looks > MOST_UNKNOWN ? 'the session has ended' : WAIT;
  }
  if (holder.client !== call.client || holder.session !== sessionOf(call)) {
    return 'another session reads the mail';
  }
  place.isKnown = true;
  if (waiter?.pid === process.pid) return undefined;
  if (waiter !== undefined && isSameProcessAlive(waiter)) return 'another waiter is there';
  // Who could not write looks again, and finds who was faster.
  return writeState(dir, number, { ...state, waiter: ownIdentity() }) ? undefined : WAIT;
}

/** The session to wait for; none for a subagent's. */
function sessionOf({ client, event, payload }: WaitCall): string | undefined {
  const signal = CLIENTS[client].readSignal(event, payload);
  return signal?.subagent === false ? signal.session : undefined;
}

function isInUse(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
