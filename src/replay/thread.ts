import type { Act } from '../protocol/acts.ts';
import type { LogRow } from '../protocol/event.ts';
import { isMessageId, type MessageId, messageIdTime } from '../protocol/ids.ts';
import type { Outcome } from '../protocol/outcomes.ts';
import type { RecordedMessage } from '../protocol/record.ts';
import { isOwnRow, seekTime } from './own-row.ts';
import { collect, type Past } from './past.ts';
import type { PastLog } from './past-log.ts';

/** A letter of a conversation, or a notice in it, without its body. */
export interface ThreadEntry {
  id: MessageId;
  /** Nothing for a letter that no message could be made of. */
  conversation: string | undefined;
  /** ISO 8601, UTC: when the router accepted it. */
  at: string;
  from: string;
  to: readonly string[];
  act?: Act | undefined;
  /** At most 300 characters, secrets redacted, where the log tells it. */
  subject: string;
  in_reply_to: string | null;
  /** `delivered` for a notice. */
  outcome: Outcome;
  code: string;
  hops: number;
}

/** Reads what the log tells of a letter or notice; nothing from a row that is not about one. */
export function entryOfRow(row: LogRow | undefined): ThreadEntry | undefined {
  if (row === undefined) return undefined;
  const { id, conversation, from, to = [], act, subject = '', hops = 0 } = row;
  if (!isOwnRow(row) || !isMessageId(id) || from === undefined) return undefined;
  const outcome = row.outcome ?? 'delivered';
  const code = row.kind === 'notice' ? 'delivered' : (row.code ?? outcome);
  const at = new Date(messageIdTime(id)).toISOString();
  return {
    ...{ id, conversation, at, from, to, act, subject, outcome, code, hops },
    in_reply_to: row.in_reply_to ?? null,
  };
}

/** Tells the same of a message as the history has it. */
export function entryOfMessage(message: RecordedMessage): ThreadEntry {
  const { id, conversation, created_at: at, from, to, act, subject, outcome } = message;
  return {
    ...{ id, conversation, at, from, to, act, subject, outcome },
    ...{ code: message.code, hops: message.hops, in_reply_to: message.in_reply_to },
  };
}

/** Where a conversation is looked for. */
export interface ThreadSource {
  log: PastLog;
  past: Past;
}

/**
 * Collects the letters and notices of a conversation, oldest first: from the log, and from the history
 * what was said before the log begins.
 */
export async function collectThread(
  source: ThreadSource,
  conversation: string,
): Promise<ThreadEntry[]> {
  const beginMs = isMessageId(conversation) ? messageIdTime(conversation) : 0;
  const older = await fromHistory(source, conversation, beginMs);
  const entries = new Map(older.map((entry) => [entry.id, entry]));
  const names = [conversation];
  const log = await source.log.reaching({ sinceMs: beginMs, names });
  for (const row of log.rows({ from: seekTime(log, beginMs), names })) {
    const entry = row.conversation === conversation ? entryOfRow(row) : undefined;
    if (entry !== undefined) entries.set(entry.id, entry);
  }
  return [...entries.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * Collects a conversation from the history where the log does not tell all of it.
 * @param sinceMs - nothing of it was said earlier, in milliseconds
 */
export async function fromHistory(
  source: ThreadSource,
  conversation: string,
  sinceMs: number,
): Promise<ThreadEntry[]> {
  if (await isToldByLog(source, sinceMs)) return [];
  const found = await source.past.fromHistory(async (history) => {
    const ids = await history.ofConversation(conversation);
    return await collect(history.messages(ids));
  });
  return (found ?? []).flatMap((message) =>
    message === undefined ? [] : [entryOfMessage(message)],
  );
}

/**
 * Tells whether all mail since a moment is in the log, so that the history need not be gone through: it is
 * when the first message that the history has of that time has its row.
 */
async function isToldByLog({ log, past }: ThreadSource, sinceMs: number): Promise<boolean> {
  if (log.isHereSince(sinceMs)) return true;
  const oldest = await past.fromHistory(async (history) => {
    for await (const { id } of history.find({ sinceMs })) return id;
    return undefined;
  });
  if (oldest === undefined) return !log.isEmpty();
  return (await log.ownRow(oldest)) !== undefined;
}
