import { foldCase } from '../protocol/addresses.ts';
import { toTimestamp } from '../protocol/clock.ts';
import { HivemailError } from '../protocol/errors.ts';
import type { EventKind, LogRow } from '../protocol/event.ts';

/** Which rows of the log are wanted; what is left out does not matter. */
export interface RowFilter {
  /** Any of these kinds. */
  kinds?: readonly EventKind[] | undefined;
  /** What this agent sent or got. */
  agent?: string | undefined;
  /** What belongs to this conversation. */
  conversation?: string | undefined;
  /** ISO 8601: only rows from then on. */
  since?: string | undefined;
  /** ISO 8601: only rows up to then, that moment included. */
  until?: string | undefined;
}

/** A filter, ready for use. */
export interface CompiledFilter {
  passes(row: LogRow): boolean;
  /** A row that passes has one of these texts in its line; every row may when there are none. */
  needles: string[] | undefined;
  /** A row that passes is about one of these; when there are none, it may be about anything. */
  names: string[] | undefined;
  /** ISO 8601, UTC, milliseconds, as rows have it. */
  since: string | undefined;
  until: string | undefined;
}

/**
 * Makes a filter ready for use.
 * @throws HivemailError `usage` for a time that is none
 */
export function compileFilter(filter: RowFilter = {}): CompiledFilter {
  const { kinds, conversation } = filter;
  const agent = filter.agent === undefined ? undefined : foldCase(filter.agent);
  const since = asTimestamp(filter.since);
  const until = asTimestamp(filter.until);
  return {
    needles: conversation === undefined ? needlesOf({ ...filter, agent }) : undefined,
    names: conversation === undefined ? undefined : [conversation],
    since,
    until,
    passes: (row) =>
      isWithin(row.ts, since, until) &&
      (kinds === undefined || kinds.includes(row.kind)) &&
      (conversation === undefined || row.conversation === conversation) &&
      (agent === undefined || row.from === agent || row.to?.includes(agent) === true),
  };
}

function isWithin(ts: string, since: string | undefined, until: string | undefined): boolean {
  return (since === undefined || ts >= since) && (until === undefined || ts <= until);
}

/** The rarest of what a row must have. */
function needlesOf({ kinds, agent }: RowFilter): string[] {
  if (agent !== undefined) return [JSON.stringify(agent)];
  return (kinds ?? []).map((kind) => JSON.stringify(kind));
}

function asTimestamp(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const timeMs = Date.parse(text);
  if (Number.isNaN(timeMs)) throw new HivemailError('usage', `${JSON.stringify(text)} is no time.`);
  return toTimestamp(timeMs);
}
