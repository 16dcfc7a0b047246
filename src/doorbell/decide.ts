/**
 * Whether the doorbell rings: pure, from what is remembered, what happened, and what is unread.
 *
 * What must hold: told on the edge, checked by the level: a session hears of a letter once, then on a
 * ladder while it is unhandled, whatever the number of events. A subagent hears nothing and changes
 * nothing. A session goes on for mail a few times in a row and no more. While a person has to decide
 * something nothing rings. What the session may have forgotten is offered again.
 */
import type { Moment, Signal } from './moment.ts';
import { type DoorbellState, HEARD_EVERY_MS, type Holder, MOST_TOLD, NO_STATE } from './state.ts';

/** Whether mail may have a session go on by itself, or waits for its next tool call or prompt. */
export type DoorbellMode = 'notify' | 'continue';

/** Reminders of what is still unhandled come so long after it was first told, in milliseconds. */
const LADDER_MS: readonly number[] = [60_000, 300_000, 1_800_000];

/** Most turns in a row that go on for mail. */
const MOST_CONTINUED = 3;

/** So long an idle session rests that has gone on for mail as often as it may, in milliseconds. */
const REST_MS = 30_000;

/** What a decision is made from. */
export interface Occasion {
  signal: Signal;
  /** The session that the signal is from. */
  holder: Holder;
  /** Ids in the inbox that are not handled, oldest first. */
  unread: readonly string[];
  mode: DoorbellMode;
  /** Milliseconds since the epoch; may step back. */
  now: number;
}

/** What is told, and what is remembered of it. */
export interface Decision {
  state: DoorbellState;
  /** The letters to tell of; nothing to say when undefined. */
  ring: Ring | undefined;
}

/** A ring of the doorbell. */
export interface Ring {
  why: 'new' | 'reminder';
  /** What it tells of: the new ones, or all that are unread. */
  ids: readonly string[];
}

/** Decides on one signal of the session that holds, or may take, the agent's identity. */
export function decide(before: DoorbellState, occasion: Occasion): Decision {
  const { signal, now } = occasion;
  if (signal.moment === 'end') return { state: NO_STATE, ring: undefined };
  const state = observe(remembered(before, occasion), occasion);
  const unread = occasion.unread.slice(-MOST_TOLD);
  const ring = mayRing(state, occasion) ? dueRing(state, unread, now) : undefined;
  if (ring === undefined) return { state, ring };
  const ladder =
    ring.why === 'new' ? { toldAt: now, rung: 0 } : { rung: rungAt(now - state.toldAt) };
  return { ring, state: { ...state, ...goingOn(state, occasion), ...ladder, told: unread } };
}

/** What is remembered of the session that speaks: nothing when it is another one, or has forgotten. */
function remembered(before: DoorbellState, { signal, holder, now }: Occasion): DoorbellState {
  const { holder: last } = before;
  const isSame = last?.session === holder.session && last.client === holder.client;
  if (!isSame) return { ...NO_STATE, activeAt: now, holder: { ...holder, heardAt: now } };
  const isAnew = signal.moment === 'start';
  const isRecent = now >= last.heardAt && now - last.heardAt < HEARD_EVERY_MS;
  return {
    ...before,
    holder: isRecent && !isAnew ? last : { ...holder, heardAt: now },
    told: isAnew ? [] : before.told,
  };
}

/** Takes in what the signal says of the session itself. */
function observe(state: DoorbellState, { signal, now }: Occasion): DoorbellState {
  switch (signal.moment) {
    case 'start':
      return {
        ...state,
        ...activity(state, signal.busy === true ? 'busy' : 'idle', now),
        dialog: undefined,
      };
    case 'prompt':
      // A prompt to a session that was idle is the person's; one right after a wake is the wake.
      return {
        ...state,
        ...activity(state, 'busy', now),
        continued: state.activity === 'idle' ? 0 : state.continued,
        dialog: undefined,
      };
    case 'tool':
      return { ...state, ...activity(state, 'busy', now), dialog: afterTool(state, signal) };
    case 'turn-end':
      return { ...state, activity: 'idle', activeAt: now, dialog: undefined };
    case 'dialog':
      return { ...state, dialog: state.dialog ?? dialogOf(signal, now) };
    case 'dialog-over':
      return { ...state, dialog: undefined };
    case 'idle':
    case 'end':
      return state;
  }
}

function activity(
  state: DoorbellState,
  is: DoorbellState['activity'],
  now: number,
): Partial<DoorbellState> {
  return state.activity === is ? {} : { activity: is, activeAt: now };
}

/** Several tools may run at once: only the one that was asked about tells that the person has decided. */
function afterTool({ dialog }: DoorbellState, { tool }: Signal): DoorbellState['dialog'] {
  const isOther = dialog?.tool !== undefined && tool !== undefined && dialog.tool !== tool;
  return isOther ? dialog : undefined;
}

function dialogOf({ need, tool }: Signal, now: number): DoorbellState['dialog'] {
  return { what: need ?? 'a decision', tool, since: now };
}

/** When a ring is welcome: it is only read, it has the session go on, it wakes it; else never. */
const RINGS: Readonly<Partial<Record<Moment, 'read' | 'goes-on' | 'wakes'>>> = {
  start: 'read',
  prompt: 'read',
  tool: 'read',
  'turn-end': 'goes-on',
  idle: 'wakes',
};

function mayRing(state: DoorbellState, { signal, mode, now }: Occasion): boolean {
  const ring = RINGS[signal.moment];
  if (ring === undefined || state.dialog !== undefined || signal.deaf === true) return false;
  if (ring === 'read') return true;
  if (mode !== 'continue') return false;
  if (ring === 'goes-on') return state.continued < MOST_CONTINUED;
  return state.activity === 'idle' && isRested(state, now);
}

function isRested({ continued, activeAt }: DoorbellState, now: number): boolean {
  return continued < MOST_CONTINUED || Math.abs(now - activeAt) >= REST_MS;
}

function dueRing(state: DoorbellState, unread: readonly string[], now: number): Ring | undefined {
  const told = new Set(state.told);
  const fresh = unread.filter((id) => !told.has(id));
  if (fresh.length > 0) return { why: 'new', ids: fresh };
  const isDue = unread.length > 0 && rungAt(now - state.toldAt) > state.rung;
  return isDue ? { why: 'reminder', ids: unread } : undefined;
}

/** Counts the steps of the ladder that so much time has passed. */
function rungAt(sinceToldMs: number): number {
  return LADDER_MS.filter((afterMs) => sinceToldMs >= afterMs).length;
}

/** A ring that has the session go on makes it busy, and is counted. */
function goingOn(state: DoorbellState, { signal, now }: Occasion): Partial<DoorbellState> {
  const busy = { activity: 'busy', activeAt: now } as const;
  if (signal.moment === 'turn-end') return { ...busy, continued: state.continued + 1 };
  if (signal.moment !== 'idle') return {};
  return { ...busy, continued: state.continued < MOST_CONTINUED ? state.continued : 0 };
}
