import type { LogReader } from '../log/log-reader.ts';
import type { LogRow } from '../protocol/event.ts';
import { idTimePrefix, isMessageId, type MessageId, messageIdTime } from '../protocol/ids.ts';

/** A batch gets its id after its letters, and a notice after its batch, by less than this. */
const BATCH_SPAN_MS = 60_000;

/** The beginning of an id that no batch with messages of a time comes before. */
export function firstBatchAt(timeMs: number): string {
  return idTimePrefix(timeMs - BATCH_SPAN_MS);
}

/**
 * Finds where the rows of messages of a time begin. Goes by the ids of the batches, which never step back
 * in the log, as the clock may: so no index is needed, and none can be wrong.
 * @returns an offset that no row about those messages comes before
 */
export function seekTime(log: LogReader, timeMs: number): number {
  const from = firstBatchAt(timeMs);
  return log.seek(({ batch }) => (isMessageId(batch) ? batch < from : undefined));
}

/** Tells whether a row is the one that says what became of a message, or that a notice was delivered. */
export function isOwnRow(row: LogRow): boolean {
  return row.kind === 'letter' || row.kind === 'notice';
}

/** Finds the row that says what became of a message, or of a notice. */
export function findOwnRow(log: LogReader, id: MessageId): LogRow | undefined {
  const from = seekTime(log, messageIdTime(id));
  for (const row of log.rows({ from, names: [id] })) {
    if (row.id === id && isOwnRow(row)) return row;
  }
  return undefined;
}
