/**
 * The letters of a probe, by which `hivemail doctor wake` proves each way to reach a session apart from
 * the others: `agents/<id>/.doorbell/probe.json` names the only moment at which each of them may be told.
 *
 * Invariants: no other letter is held up by a probe; what was told once is told as any letter is; after
 * its deadline a probe says nothing, so one that was left behind does no harm.
 */
import { unlinkSync } from 'node:fs';
import { readRegular } from '../hive/read-file.ts';
import { systemCode } from '../protocol/errors.ts';
import { parseStrictly } from '../protocol/parse-strictly.ts';
import type { Moment, Signal } from './moment.ts';
import type { DoorbellPaths } from './paths.ts';
import { listUnread, readUnread } from './unread.ts';

/** The moments that a letter can be told at by itself, without a person who writes to the session. */
export const PROBE_MOMENTS = ['tool', 'turn-end', 'idle'] as const satisfies readonly Moment[];

/** A moment that a probe tries. */
export type ProbeMoment = (typeof PROBE_MOMENTS)[number];

/** What a probe asks of the hooks. */
export interface Probe {
  /** Milliseconds since the epoch: from then on nothing is asked any more. */
  until: number;
  /** Its letters have ids behind this one; empty when any may be one of them. */
  after: string;
  /** The moment of each letter, by the conversation that the letter begins. */
  moments: Readonly<Record<string, ProbeMoment>>;
}

/** A probe lasts no longer, in milliseconds; a clock that was set back must not make one last. */
const MOST_MS = 2 * 3_600_000;
const MOST_BYTES = 65_536;

/** How a probe's file stands: none there, one that holds, one whose time is over, or something else. */
export type ProbeState =
  | { state: 'none' | 'over' | 'unreadable' }
  | { state: 'under-way'; probe: Probe };

/**
 * Reads the file of a probe.
 * @throws the system's error
 */
export function readProbe(path: string, now: number): ProbeState {
  let text: string;
  try {
    text = Buffer.from(readRegular(path, MOST_BYTES).bytes).toString('utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { state: 'none' };
    throw error;
  }
  const probe = parseProbe(text);
  if (probe === undefined) return { state: 'unreadable' };
  const leftMs = probe.until - now;
  return leftMs > 0 && leftMs <= MOST_MS ? { state: 'under-way', probe } : { state: 'over' };
}

function parseProbe(text: string): Probe | undefined {
  const value = parseStrictly(text)?.value;
  if (typeof value !== 'object' || value === null) return undefined;
  const { until, after, moments }: Record<string, unknown> = { ...value };
  if (typeof until !== 'number' || typeof after !== 'string') return undefined;
  if (typeof moments !== 'object' || moments === null) return undefined;
  const entries = Object.entries(moments).flatMap(([name, moment]) => {
    const known = PROBE_MOMENTS.find((each) => each === moment);
    return known === undefined ? [] : [[name, known] as const];
  });
  return { until, after, moments: Object.fromEntries(entries) };
}

/** The moment that a letter is told at: the prompt of a wake from outside is the wake of an idle session. */
export function tellingMoment({ moment, wake }: Signal): Moment {
  return wake === true ? 'idle' : moment;
}

/** What letters are listed for. */
export interface Telling {
  signal: Signal;
  /** Ids that the session was told of. */
  told: readonly string[];
  /** Milliseconds since the epoch. */
  now: number;
}

/** Lists the ids of the unread letters that a session may be told of at this moment, oldest first. */
export function listTellable(paths: DoorbellPaths, { signal, told, now }: Telling): string[] {
  const unread = listUnread(paths.inbox);
  const probe = probeUnderWay(paths.probe, now);
  if (probe === undefined) return unread;
  const moment = tellingMoment(signal);
  const known = new Set(told);
  return unread.filter((id) => {
    if (known.has(id) || id <= probe.after) return true;
    const conversation = readUnread(paths.inbox, id)?.conversation ?? '';
    return !Object.hasOwn(probe.moments, conversation) || probe.moments[conversation] === moment;
  });
}

function probeUnderWay(path: string, now: number): Probe | undefined {
  try {
    const found = readProbe(path, now);
    if (found.state === 'over') unlinkSync(path);
    return found.state === 'under-way' ? found.probe : undefined;
  } catch (error) {
    // Whatever stands there, mail is told of.
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}
