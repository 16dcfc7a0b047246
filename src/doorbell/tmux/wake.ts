/**
 * Waking an idle session by keystrokes: the last resort, for clients that have no other way in, and only
 * where the agent's settings allow it.
 *
 * What must hold: no key is sent unless the session's hooks say that it is idle and asks nothing, its pane
 * lives and takes keys, its own process is in the foreground there, nothing is typed in its line of input,
 * and the screen is at rest. What is typed is one fixed line, never a word of a letter. Enter is a second
 * write, after another look, and only where the line stands there and nothing else has changed. A retry
 * is Enter alone. Whatever is in doubt means no key.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { findInPath } from '../../hive/path-lookup.ts';
import { isSameProcessAlive, type ProcessIdentity } from '../../hive/process-identity.ts';
import { parentOf, placeOfProcess } from '../process-tree.ts';
import { noWay, type WakeAnswer, type WakeReason } from '../wake/answer.ts';
import type { WakeCall } from '../wake/call.ts';
import { passedOn } from '../wake/passed-on.ts';
import { isEmptyInput, showsTyped } from './input-line.ts';
import { isSameScreen, openPane, type Pane, type PaneView, type Screen } from './pane.ts';
import { findTmuxSocket } from './socket.ts';

/** In milliseconds. */
export interface TypingTimes {
  /** The screen must not change for so long before anything is typed. */
  restMs: number;
  /** So long a client may take to show what is typed, or to begin a turn. */
  answerMs: number;
  /** Between two looks. */
  lookMs: number;
}

const TIMES: TypingTimes = { restMs: 500, answerMs: 8000, lookMs: 200 };
/** Enter, and once more where a client did not take it. */
const ENTERS = 2;

/** Wakes an agent's idle session by keystrokes, or says why not. */
export async function wakeByTmux(call: WakeCall, times = TIMES): Promise<WakeAnswer> {
  const pane = paneOf(call);
  if (typeof pane === 'string') return noWay(pane);
  const before = await restingScreen(call, pane, times);
  if (typeof before === 'string') return noWay(before);
  await pane.type(call.line);
  const typed = await shownLine(call, pane, { before, times });
  if (typed === undefined) return noWay('unsent');
  for (let tries = 0; tries < ENTERS; tries += 1) {
    const seen = await look(call, pane);
    if (typeof seen === 'string' || !isSameScreen(seen, typed)) break;
    await pane.enter();
    if (await hasBegun(call, times)) return { result: 'woken', why: 'typed' };
    if (tries === 0) await pause(times.restMs);
  }
  return (await hasBegun(call, times)) ? { result: 'woken', why: 'typed' } : noWay('unsent');
}

function paneOf({ holder, env, tmuxSockets, signal }: WakeCall): Pane | WakeReason {
  const { TMUX: tmux, TMUX_PANE: id = '' } = holder.place;
  const socket = findTmuxSocket(tmux, { env, tmuxSockets });
  if (socket === undefined || !/^%\d{1,9}$/.test(id)) return 'no-pane';
  const file = findInPath('tmux', env['PATH'] ?? '');
  if (file === undefined) return 'no-tmux';
  return openPane({ file, socket, id, signal, env: passedOn(env) });
}

/** Waits a moment for the screen to come to rest, since right after a turn a client still draws. */
async function restingScreen(
  call: WakeCall,
  pane: Pane,
  times: TypingTimes,
): Promise<Screen | WakeReason> {
  const until = performance.now() + times.answerMs;
  for (;;) {
    const seen = await readyScreen(call, pane, times);
    const mayPass = seen === 'restless' || seen === 'draft';
    if (!mayPass || performance.now() >= until) return seen;
    await pause(times.lookMs, undefined, { signal: call.signal });
  }
}

/** Makes sure of everything, twice. @returns the screen at rest, or why there is to be no key */
async function readyScreen(
  call: WakeCall,
  pane: Pane,
  { restMs }: TypingTimes,
): Promise<Screen | WakeReason> {
  let last: Screen | undefined;
  for (const waitMs of [0, restMs]) {
    await pause(waitMs, undefined, { signal: call.signal });
    const seen = await look(call, pane);
    if (typeof seen === 'string') return seen;
    if (!isEmptyInput(seen, call.holder.client)) return 'draft';
    if (last !== undefined && !isSameScreen(last, seen)) return 'restless';
    last = seen;
  }
  return last ?? 'restless';
}

/** Looks at pane and session at once. @returns why there is to be no key at this moment, if so */
async function look(call: WakeCall, pane: Pane): Promise<PaneView | WakeReason> {
  const view = await pane.look();
  // The session after the screen: what its hooks tell is the newer.
  const state = call.current();
  const { session } = call.holder;
  if (state?.holder?.session !== session || state.activity !== 'idle') return 'not-idle';
  if (state.dialog !== undefined) return 'dialog';
  if (view === undefined || view.isDead) return 'pane-gone';
  if (view.isInMode) return 'copy-mode';
  return isInFront(call.holder.process, view.pid) ? view : 'not-in-front';
}

const MOST_ANCESTORS = 64;

/**
 * Tells whether a process is one of a pane's and gets what is typed there: not one that was put into the
 * background, that has another program in front of it, or that has a terminal of its own within the pane.
 * Where the platform does not say, it is not.
 */
function isInFront(identity: ProcessIdentity | undefined, panePid: number): boolean {
  if (identity === undefined || !isSameProcessAlive(identity)) return false;
  const place = placeOfProcess(identity.pid);
  const first = placeOfProcess(panePid);
  if (place?.isInForeground !== true || place.terminal !== first?.terminal) return false;
  let pid = identity.pid;
  for (let steps = 0; steps < MOST_ANCESTORS && pid > 1; steps += 1) {
    if (pid === panePid) return true;
    pid = parentOf(pid) ?? 0;
  }
  return false;
}

/** Waits until the screen shows the line, and rests. @returns that screen */
async function shownLine(
  call: WakeCall,
  pane: Pane,
  { before, times }: { before: Screen; times: TypingTimes },
): Promise<Screen | undefined> {
  let last: Screen | undefined;
  const until = performance.now() + times.answerMs;
  while (performance.now() < until) {
    await pause(times.lookMs, undefined, { signal: call.signal });
    const seen = await look(call, pane);
    if (typeof seen === 'string') return undefined;
    const isShown = showsTyped(call.line, seen, before);
    if (isShown && last !== undefined && isSameScreen(last, seen)) return seen;
    last = isShown ? seen : undefined;
  }
  return undefined;
}

async function hasBegun(call: WakeCall, { answerMs, lookMs }: TypingTimes): Promise<boolean> {
  const until = performance.now() + answerMs;
  for (;;) {
    if (call.current()?.activity === 'busy') return true;
    if (performance.now() >= until) return false;
    await pause(lookMs, undefined, { signal: call.signal });
  }
}
