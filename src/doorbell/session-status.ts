import { isSameProcessAlive, type ProcessIdentity } from '../hive/process-identity.ts';
import { toTimestamp } from '../protocol/clock.ts';
import { cutText } from '../protocol/escape.ts';
import { redactSecrets } from '../protocol/redact.ts';
import type { ClientName } from './clients.ts';
import { type DoorbellMode, isSpent } from './decide.ts';
import type { DoorbellState, Holder } from './state.ts';
import type { WakeAnswer, WakeReason } from './wake/answer.ts';
import { isCurrent, type WakeRecord } from './wake/records.ts';
import { isWakeable } from './wake/ways.ts';

/**
 * Why a session was not told of a letter that was delivered. `no-session`: none has shown itself.
 * `ended`: the last one has. `dialog`: a person has to decide something first. `at-work`: it is told at
 * its next tool call. `notify`: it is idle and in mode notify, so it is told at its next prompt. `rests`:
 * it went on for mail as often as it may in a row. `waking`: it is being woken. `not-woken`: it is idle, and
 * the router had no way to wake it, see {@link SessionStatus.wake}. `nothing-wakes`: it is idle, and nothing
 * waits to wake it.
 */
export type Untold =
  | 'no-session'
  | 'ended'
  | 'dialog'
  | 'at-work'
  | 'notify'
  | 'rests'
  | 'waking'
  | 'not-woken'
  | 'nothing-wakes';

/** How an agent's session stands, as far as its hooks tell. Times are ISO 8601, UTC. */
export interface SessionStatus {
  /** The session that reads the agent's mail; nothing when none has shown itself. */
  session?: {
    client: ClientName;
    activity: 'busy' | 'idle' | 'ended';
    /** Since when it is busy or idle. */
    since: string;
    /** When it was last heard of, to within half a minute. */
    lastSeen: string;
  };
  /** What a person has to decide before it goes on. */
  dialog?: { what: string; since: string };
  /** When it was last told of something new. */
  announcedAt?: string;
  /** Letters that were delivered and that no session was told of. */
  unannounced?: { letters: number; why: Untold };
  /** What came of the last wake that the router asked for in this idle time. */
  wake?: { at: string; result: WakeAnswer['result']; why: WakeReason };
  /** Why none of this is known: a code of the system's. */
  problem?: string;
}

/** What a status is made from, beside what is remembered. */
export interface StatusContext {
  mode: DoorbellMode;
  /** Keystrokes into its terminal are allowed. */
  tmux: boolean;
  /** Ids in the inbox that are not handled. */
  unread: readonly string[];
  /** Milliseconds since the epoch. */
  now: number;
  /** Tells whether a process still runs; asks the system unless something else is given. */
  isAlive?: (identity: ProcessIdentity) => boolean;
  /** The wakes that a router asked for; nothing where none is up to ask for any. */
  wakes?: { last: WakeRecord | undefined } | undefined;
}

const NEED_LENGTH = 200;

/** Says how an agent's session stands. Text from the agent's files is cut and free of secrets. */
export function sessionStatus(state: DoorbellState, context: StatusContext): SessionStatus {
  const { holder } = state;
  const isOver = holder?.process !== undefined && !isAlive(holder.process, context);
  const told = new Set(holder === undefined || isOver ? [] : state.told);
  const letters = context.unread.filter((id) => !told.has(id)).length;
  return {
    ...(holder === undefined ? {} : { session: sessionOf(holder, state, isOver) }),
    ...(holder === undefined || isOver ? {} : nowIn(state, context)),
    ...(holder === undefined || state.toldAt === 0 ? {} : { announcedAt: timeOf(state.toldAt) }),
    ...(letters === 0 ? {} : { unannounced: { letters, why: reasonOf(state, isOver, context) } }),
  };
}

/** What is so in a session that lives. */
function nowIn(
  state: DoorbellState,
  context: StatusContext,
): Pick<SessionStatus, 'dialog' | 'wake'> {
  const { dialog } = state;
  const wake = currentWake(state, context);
  const what = cutText(redactSecrets(dialog?.what ?? ''), NEED_LENGTH);
  return {
    ...(dialog === undefined ? {} : { dialog: { what, since: timeOf(dialog.since) } }),
    ...(wake === undefined
      ? {}
      : { wake: { at: timeOf(wake.at), result: wake.result, why: wake.why } }),
  };
}

function sessionOf(
  { client, heardAt }: Holder,
  { activity, activeAt }: DoorbellState,
  isOver: boolean,
): NonNullable<SessionStatus['session']> {
  const lastSeen = timeOf(Math.max(heardAt, activeAt));
  return { client, activity: isOver ? 'ended' : activity, since: timeOf(activeAt), lastSeen };
}

function reasonOf(state: DoorbellState, isOver: boolean, context: StatusContext): Untold {
  const { holder, dialog, activity, waiter } = state;
  if (holder === undefined) return 'no-session';
  if (isOver) return 'ended';
  if (dialog !== undefined) return 'dialog';
  if (activity === 'busy') return 'at-work';
  if (context.mode === 'notify') return 'notify';
  if (isSpent(state, context.now)) return 'rests';
  if (waiter !== undefined && isAlive(waiter, context)) return 'waking';
  return reasonFromOutside(holder, state, context);
}

/** Why a session was not told yet that only the router can wake. */
function reasonFromOutside(holder: Holder, state: DoorbellState, context: StatusContext): Untold {
  if (context.wakes === undefined || !isWakeable(holder, context)) return 'nothing-wakes';
  return currentWake(state, context)?.result === 'no-way' ? 'not-woken' : 'waking';
}

function currentWake(state: DoorbellState, { wakes }: StatusContext): WakeRecord | undefined {
  return isCurrent(wakes?.last, state) ? wakes?.last : undefined;
}

function isAlive(
  identity: ProcessIdentity,
  { isAlive: ask = isSameProcessAlive }: StatusContext,
): boolean {
  return ask(identity);
}

/** Whoever can write the file chose the number, and not every number is a time. */
function timeOf(timeMs: number): string {
  return toTimestamp(Math.min(timeMs, LAST_MS));
}

const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');
