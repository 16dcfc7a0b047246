import { EVENT_KINDS, type EventKind, HivemailError, type RowFilter } from '../index.ts';
import { splitList } from './lists.ts';
import { parseMoment } from './moment.ts';

/** Options that say which rows, or messages, are wanted. */
export interface FilterOptions {
  kind?: string;
  since?: string;
  until?: string;
  conversation?: string;
}

/**
 * Makes a filter of what was asked for.
 * @param agent - `--agent`: what that one sent or got
 * @throws HivemailError `usage`
 */
export function parseFilter(
  { kind, since, until, conversation }: FilterOptions,
  agent: string | undefined,
  nowMs: number,
): RowFilter {
  const filter = {
    kinds: kind === undefined ? undefined : parseKinds(kind),
    agent,
    conversation,
    since: since === undefined ? undefined : parseMoment(since, nowMs),
    until: until === undefined ? undefined : parseMoment(until, nowMs),
  };
  if (filter.since !== undefined && filter.until !== undefined && filter.since > filter.until) {
    throw new HivemailError(
      'usage',
      `--since (${filter.since}) is after --until (${filter.until}).`,
    );
  }
  return filter;
}

function parseKinds(text: string): EventKind[] {
  const kinds = splitList(text.toLowerCase());
  const known: readonly string[] = EVENT_KINDS;
  const unknown = kinds.find((kind) => !known.includes(kind));
  if (unknown === undefined && kinds.length > 0) return kinds as EventKind[];
  const problem = unknown === undefined ? 'No kind is named.' : `"${unknown}" is no kind of row.`;
  throw new HivemailError('usage', `${problem} Use ${EVENT_KINDS.join(', ')}.`);
}
