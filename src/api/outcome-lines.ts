import { escapeLine } from '../protocol/escape.ts';
import type { LogRow } from '../protocol/event.ts';
import { shellQuote } from '../protocol/shell-quote.ts';
import type { SendResult } from './send.ts';

/** Tells whether a letter ended where nobody reads it. */
export function isLost({ outcome }: LogRow): boolean {
  return outcome === 'bounced' || outcome === 'refused' || outcome === 'quarantined';
}

/**
 * Renders what became of a letter that was sent, for a person or a model: id, outcome, whom it reached;
 * where there is more to know, a sentence that says what to do.
 * @param hive - absolute path, for the sentence on a router that is down
 */
export function sendResultLines(result: SendResult, hive: string): string[] {
  return result.status === 'queued' ? queuedLines(result, hive) : outcomeLines(result.row);
}

function queuedLines({ file, isUp }: { file: string; isUp: boolean }, hive: string): string[] {
  const why = isUp
    ? 'It is in the outbox and the router has not got to it yet.'
    : `No router is up, so it waits in the outbox; start one with \`hivemail up ${shellQuote(hive)}\`.`;
  return [`queued  ${escapeLine(file)}`, `${why} Do not send it again.`];
}

/** Renders the outcome of a letter: id, outcome, whom it reached; where there is more to know, a sentence. */
function outcomeLines(row: LogRow): string[] {
  const { id = '', outcome = '', code = '' } = row;
  const why = code === outcome ? '' : ` (${code})`;
  const first = `${id}  ${outcome}${why}${whom(row)}`;
  return [escapeLine(first), ...advice(row)];
}

function whom({
  outcome,
  code,
  delivered = [],
  held = [],
  owed = [],
  failed = {},
}: LogRow): string {
  const missed = Object.entries(failed).map(([name, reason]) =>
    reason === code ? name : `${name} (${reason})`,
  );
  const parts = [
    outcome === 'delivered' || outcome === 'partial' ? list(' to ', delivered) : '',
    list(' for ', held),
    list('; not yet to ', owed),
    list('; not to ', missed),
  ];
  return parts.join('');
}

function list(before: string, names: readonly string[]): string {
  return names.length === 0 ? '' : before + names.join(', ');
}

function advice(row: LogRow): string[] {
  if (isLost(row)) {
    return ['It did not arrive. A notice in your inbox says why and what to do: `hivemail inbox`.'];
  }
  if (row.code === 'filed') return ['The recipient is archived and may never read it.'];
  if (row.outcome !== 'held') return [];
  return [`${HELD[row.code ?? ''] ?? HELD_OTHERWISE} Do not send it again.`];
}

const HELD: Readonly<Record<string, string>> = {
  'on-hold': 'It is delivered when the hold on the recipient ends.',
  owed: 'It is delivered as soon as the inbox can be written to.',
};
const HELD_OTHERWISE = 'It is kept; the person can deliver it with `hivemail release`.';
