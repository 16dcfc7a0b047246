import type { Act } from './acts.ts';
import type { Outcome, OutcomeCode } from './outcomes.ts';

/**
 * What a log row tells of. `letter`: the one outcome of a letter. `notice`: a notice was delivered.
 * `late`: a copy that was owed reached its inbox. `release`: a held message was delivered.
 * `expired`: an owed copy was given up and put into `held/`. `handled`: a recipient has moved a letter
 * to `.done`, or removed it. `roster`: an agent was added or changed.
 * `router`: start, stop, takeover. `stray`: a file that is not routed. `announced`: a session was told of
 * a letter. `escalated`: a letter for the person that its orchestrator left was copied to the desk.
 * `needs-human`: a session can't go on before a person decides. `wake`: an idle session was to be woken.
 * `warning`: anything else a person should know.
 */
export const EVENT_KINDS = [
  'letter',
  'notice',
  'late',
  'release',
  'expired',
  'handled',
  'roster',
  'router',
  'stray',
  'escalated',
  'announced',
  'needs-human',
  'wake',
  'warning',
] as const;

/** One of {@link EVENT_KINDS}. */
export type EventKind = (typeof EVENT_KINDS)[number];

/** What a row tells, before the log gives it its sequence number, time and epoch. Never a body. */
export interface HiveEvent {
  kind: EventKind;
  /** With `id`, the key that keeps a row from being written twice. */
  batch?: string | undefined;
  id?: string | undefined;
  conversation?: string | undefined;
  in_reply_to?: string | null | undefined;
  /** Agent id, `human` or `system`. */
  from?: string | undefined;
  /** The recipients as resolved; as addressed where none resolved. */
  to?: string[] | undefined;
  act?: Act | undefined;
  /** At most 300 characters, secrets redacted. */
  subject?: string | undefined;
  hops?: number | undefined;
  outcome?: Outcome | undefined;
  code?: OutcomeCode | (string & {}) | undefined;
  /** Inboxes that really got the file. */
  delivered?: string[] | undefined;
  /** Inboxes that will get it once they can be written to. */
  owed?: string[] | undefined;
  /** Agents in whose `held/` it waits. */
  held?: string[] | undefined;
  /** Recipients it did not reach, each with the code. */
  failed?: Record<string, string> | undefined;
  repairs?: string[] | undefined;
  /** The letter's file name, as its sender named it. */
  file?: string | undefined;
  /** The letter went to everyone. */
  broadcast?: boolean | undefined;
  /** Agent through whom the letter is to reach the person. */
  through?: string | undefined;
  /** The letter that a notice is about. */
  of?: string | undefined;
  /** When it happened, of what the router learns later: ISO 8601, UTC, milliseconds. */
  at?: string | undefined;
  /** A short sentence for a person; never payload, never exception text. */
  note?: string | undefined;
}

/** One line of log.jsonl. */
export interface LogRow extends HiveEvent {
  /** Grows by one from row to row, over rotation and restarts. */
  seq: number;
  /** ISO 8601, UTC, milliseconds. */
  ts: string;
  /** Number of the router's start; tells rows of two routers apart. */
  epoch: number;
}
