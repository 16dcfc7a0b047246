/**
 * What the doorbell of one agent remembers: which session holds the agent's identity, what that session
 * was told of, and how it stands. One small file, see state-file.ts; this module reads and shapes it.
 *
 * Invariants: what can't be read is no memory, so that a letter is rather told of again than never;
 * nothing here grows with the inbox.
 */
import type { ProcessIdentity } from '../hive/process-identity.ts';
import { parseStrictly } from '../protocol/parse-strictly.ts';
import { type ClientName, isClientName } from './clients.ts';

/** The session that reads an agent's mail. */
export interface Holder {
  client: ClientName;
  /** The client's id of the session. */
  session: string;
  /** The client's process, as far as the platform names it. */
  process?: ProcessIdentity | undefined;
  /** Milliseconds since the epoch: when it was last heard of, to within {@link HEARD_EVERY_MS}. */
  heardAt: number;
  /** Its process serves other sessions as well, so that this one may be over while the process lives. */
  shared?: boolean | undefined;
  /** What a wake from outside needs to know of it: paths and environment variables. */
  place: Readonly<Record<string, string>>;
}

/** What a person has to decide before the session goes on. */
export interface Dialog {
  what: string;
  tool?: string | undefined;
  /** Milliseconds since the epoch. */
  since: number;
}

/** What is remembered of an agent's doorbell. */
export interface DoorbellState {
  holder: Holder | undefined;
  /** Ids in the inbox that the session was told of. */
  told: readonly string[];
  /** Milliseconds since the epoch: when something new was last told of. */
  toldAt: number;
  /** How often it was reminded of that; see decide.ts for the ladder. */
  rung: number;
  /** Turns in a row that went on for mail. */
  continued: number;
  activity: 'busy' | 'idle';
  /** Milliseconds since the epoch: since when. */
  activeAt: number;
  dialog: Dialog | undefined;
  /** Subagents at work, as far as the client's tools tell. */
  helpers: number;
  /** The process that waits to wake the idle session. */
  waiter?: ProcessIdentity | undefined;
}

/** A holder's time of last sign is only as exact as this, so that most hooks have nothing to write. */
export const HEARD_EVERY_MS = 30_000;

/** An inbox with more letters than this is not told of letter by letter. */
export const MOST_TOLD = 2000;

const MOST_TEXT = 4096;

/** The memory of a doorbell that never rang. */
export const NO_STATE: DoorbellState = {
  holder: undefined,
  told: [],
  toldAt: 0,
  rung: 0,
  continued: 0,
  activity: 'idle',
  activeAt: 0,
  dialog: undefined,
  helpers: 0,
};

/** Reads a state back; parts that do not hold what they should are as in {@link NO_STATE}. */
export function parseState(text: string): DoorbellState {
  const value = objectOf(parseStrictly(text)?.value);
  if (value === undefined) return NO_STATE;
  return {
    holder: holderOf(value['holder']),
    told: textsOf(value['told']),
    toldAt: numberOf(value['toldAt']),
    rung: numberOf(value['rung']),
    continued: numberOf(value['continued']),
    activity: value['activity'] === 'busy' ? 'busy' : 'idle',
    activeAt: numberOf(value['activeAt']),
    dialog: dialogOf(value['dialog']),
    helpers: numberOf(value['helpers']),
    waiter: processOf(value['waiter']),
  };
}

function holderOf(value: unknown): Holder | undefined {
  const holder = objectOf(value);
  const session = textOf(holder?.['session']);
  const client = holder?.['client'];
  if (holder === undefined || session === undefined || !isClientName(client)) return undefined;
  const place = Object.entries(objectOf(holder['place']) ?? {}).flatMap(([name, entry]) =>
    textOf(entry) === undefined ? [] : [[name, String(entry)] as const],
  );
  return {
    client,
    session,
    process: processOf(holder['process']),
    heardAt: numberOf(holder['heardAt']),
    shared: holder['shared'] === true ? true : undefined,
    place: Object.fromEntries(place),
  };
}

function dialogOf(value: unknown): Dialog | undefined {
  const dialog = objectOf(value);
  const what = textOf(dialog?.['what']);
  if (dialog === undefined || what === undefined) return undefined;
  return { what, tool: textOf(dialog['tool']), since: numberOf(dialog['since']) };
}

function processOf(value: unknown): ProcessIdentity | undefined {
  const identity = objectOf(value);
  const pid = numberOf(identity?.['pid']);
  if (identity === undefined || !Number.isInteger(pid) || pid < 1) return undefined;
  return { pid, startedAt: textOf(identity['startedAt']), bootId: textOf(identity['bootId']) };
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= MOST_TEXT ? value : undefined;
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
}
