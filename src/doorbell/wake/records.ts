/**
 * What a router remembers of the wakes it asked for, one for each agent: `.router/wakes.json`. A wake that
 * was asked for is not asked for again while nothing shows that it has come: only on the ladder of
 * reminders. Without this memory, at worst a line more is queued, and taken back.
 */
import { parseStrictly } from '../../protocol/parse-strictly.ts';
import { type ClientName, isClientName } from '../clients.ts';
import { LADDER_MS } from '../decide.ts';
import type { DoorbellState } from '../state.ts';
import { isWakeReason, type WakeAnswer } from './answer.ts';

/** The last wake of an agent's session. */
export interface WakeRecord extends WakeAnswer {
  client: ClientName;
  session: string;
  /** Which idle time of the session it was for: when that began, in milliseconds since the epoch. */
  idleSince: number;
  /** Milliseconds since the epoch: when it was asked for. */
  at: number;
  /** How often in this idle time. */
  asked: number;
}

/** Tells whether a wake was for the idle time that a session is in now. */
export function isCurrent(
  record: WakeRecord | undefined,
  { holder, activeAt }: Pick<DoorbellState, 'holder' | 'activeAt'>,
): record is WakeRecord {
  return (
    record !== undefined &&
    record.client === holder?.client &&
    record.session === holder.session &&
    record.idleSince === activeAt
  );
}

/** Tells whether a wake may be asked for again in the same idle time. */
export function isAskedAgain({ at, asked }: WakeRecord, now: number): boolean {
  return Math.abs(now - at) >= (LADDER_MS[Math.min(asked, LADDER_MS.length) - 1] ?? 0);
}

/** Writes records as text. */
export function formatWakes(records: ReadonlyMap<string, WakeRecord>): string {
  return `${JSON.stringify(Object.fromEntries(records), undefined, 2)}\n`;
}

/** Reads records back; what does not fit is left out. */
export function parseWakes(text: string): Map<string, WakeRecord> {
  const value = parseStrictly(text)?.value;
  if (typeof value !== 'object' || value === null) return new Map();
  return new Map(
    Object.entries(value).flatMap(([agent, entry]) => {
      const record = recordOf(entry);
      return record === undefined ? [] : [[agent, record]];
    }),
  );
}

const RESULTS = ['woken', 'queued', 'no-way'] as const;

function recordOf(value: unknown): WakeRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { client, session, idleSince, at, asked, result, why }: Record<string, unknown> = {
    ...value,
  };
  const known = RESULTS.find((each) => each === result);
  if (known === undefined || !isWakeReason(why) || !isClientName(client)) return undefined;
  if (typeof session !== 'string' || !areNumbers(idleSince, at, asked)) return undefined;
  return {
    ...{ client, session, why, result: known },
    ...{ idleSince: Number(idleSince), at: Number(at), asked: Number(asked) },
  };
}

function areNumbers(...values: unknown[]): boolean {
  return values.every((value) => typeof value === 'number' && value >= 0);
}
