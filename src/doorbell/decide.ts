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
export const LADDER_MS: readonly number[] = [60_000, 300_000, 1_800_000];

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
  const known = remembered(before, occasion);
  const state = observe(known, occasion);
  const unread = occasion.unread.slice(-MOST_TOLD);
  const ring = mayRing(state, occasion) ? dueRing(state, unread, now) : undefined;
  // A wake that has nothing to tell is taken back by the client: the session stays as it was.
  if (ring === undefined) return { state: signal.wake === true ? known : state, ring };
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
      if (signal.goesOn === true) return state;
      return { ...state, ...activity(state, 'idle', now), ...ALONE };
    case 'prompt':
      return { ...state, ...activity(state, 'busy', now), ...afterPrompt(state, signal), ...ALONE };
    case 'tool':
      return { ...state, ...activity(state, 'busy', now), ...afterTool(state, signal) };
    case 'turn-end':
      return { ...state, activity: 'idle', activeAt: now, ...rest(state, signal), ...ALONE };
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

/** A prompt to a session that was idle is the person's, unless it is the wake or comes right after it. */
function afterPrompt(
  { activity: was, continued }: DoorbellState,
  { wake }: Signal,
): Pick<DoorbellState, 'continued'> {
  return { continued: was === 'idle' && wake !== true ? 0 : continued };
}

/** Between two turns no tool runs, and nobody is asked about one. */
const ALONE = { dialog: undefined, helpers: 0 } as const;

/**
 * A turn that the person broke off, or that failed, says so at an event that takes no text: the person is
 * about to say something, or the model is not to be had. The session rests before mail wakes it.
 */
function rest({ continued }: DoorbellState, { deaf }: Signal): Pick<DoorbellState, 'continued'> {
  return { continued: deaf === true ? MOST_CONTINUED : continued };
}

/** Several tools may run at once: only the one that was asked about tells that the person has decided. */
function afterTool(
  { dialog, helpers }: DoorbellState,
  { tool, helper }: Signal,
): Pick<DoorbellState, 'dialog' | 'helpers'> {
  const isOther = dialog?.tool !== undefined && tool !== undefined && dialog.tool !== tool;
  const change = { begins: 1, ends: -1 };
  return {
    dialog: isOther ? dialog : undefined,
    helpers: Math.max(0, helpers + (helper === undefined ? 0 : change[helper])),
  };
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
  // What a tool has printed may be for a subagent's eyes alone.
  if (ring === 'read') return signal.moment !== 'tool' || state.helpers === 0;
  if (mode !== 'continue') return false;
  if (ring === 'goes-on') return state.continued < MOST_CONTINUED;
  return state.activity === 'idle' && !isSpent(state, now);
}

/** Tells whether a session has gone on for mail as often as it may, and has to rest. */
export function isSpent({ continued, activeAt }: DoorbellState, now: number): boolean {
  return continued >= MOST_CONTINUED && Math.abs(now - activeAt) < REST_MS;
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
  if (signal.moment !== 'idle' && signal.wake !== true) return {};
  return { ...busy, continued: state.continued < MOST_CONTINUED ? state.continued : 0 };
}
