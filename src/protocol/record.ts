import type { MessageId } from './ids.ts';
import type { Message } from './message.ts';
import type { Outcome, OutcomeCode } from './outcomes.ts';

/** A message as the history keeps it: one record for all recipients it went to. */
export interface RecordedMessage extends Omit<Message, 'to' | 'held'> {
  /** Those it went to: delivered, filed, owed or held. */
  to: string[];
  outcome: Outcome;
  code: OutcomeCode;
}

/** What the history keeps of one letter. At least one of `message` and `original` is there. */
export interface HistoryRecord {
  id: MessageId;
  /** Stored as `messages/<YYYY-MM-DD>/<HH>/<id>.json`, by the time in the id (UTC). */
  message?: RecordedMessage;
  /**
   * The letter's bytes in base64 where the message does not tell them all (repaired, quarantined,
   * refused, bounced). Stored as `letters/<YYYY-MM-DD>/<HH>/<id>`.
   */
  original?: string;
}

/** One batch in the history's queue. Recorded as one commit, exactly once. */
export interface RecordedBatch {
  batch: MessageId;
  /** ISO 8601, UTC: when the batch was decided. */
  at: string;
  records: HistoryRecord[];
}
