import { HivemailError } from '../protocol/errors.ts';
import { idPrefixTimes, isMessageId, type MessageId } from '../protocol/ids.ts';
import type { RecordedMessage } from '../protocol/record.ts';
import { findId } from './find-id.ts';
import { Past, type PastOptions } from './past.ts';
import { PastLog } from './past-log.ts';
import { collectThread, entryOfRow, type ThreadEntry, type ThreadSource } from './thread.ts';

/** One letter or notice of a conversation, with its body. */
export interface ConversationPart {
  entry: ThreadEntry;
  /** As it was sent; nothing where no message was made of the letter, or nothing has it any more. */
  message: RecordedMessage | undefined;
}

/**
 * Yields a conversation, oldest first. Holds what identifies its letters, and a few of their bodies.
 * @param given - its name, or a message of it by its id or the beginning of one
 * @throws HivemailError `not-found`; `usage` for the beginning of several ids
 */
export async function* readConversation(
  options: PastOptions,
  given: string,
): AsyncGenerator<ConversationPart> {
  await using past = await Past.open(options);
  using log = new PastLog(options, past);
  const thread = await findThread(given, { log, past });
  if (thread.length === 0) {
    const sentence = `No conversation "${given}" is known, and no message of that id. \`hivemail conversations\` lists the open ones.`;
    throw new HivemailError('not-found', sentence);
  }
  const wanted = thread.map(({ id, to }) => ({ id, agents: to }));
  let place = 0;
  for await (const message of past.findAll(wanted)) {
    const entry = thread[place++];
    if (entry !== undefined) yield { entry, message };
  }
}

async function findThread(given: string, source: ThreadSource): Promise<ThreadEntry[]> {
  if (isMessageId(given)) return threadOf(given, source);
  const named = await collectThread(source, given);
  if (named.length > 0) return named;
  const id = idPrefixTimes(given) === undefined ? undefined : await findId(given, source);
  return id === undefined ? [] : threadOf(id, source);
}

async function threadOf(id: MessageId, source: ThreadSource): Promise<ThreadEntry[]> {
  const { log, past } = source;
  const own = await log.ownRow(id);
  const message = own === undefined ? await past.find({ id, agents: [] }) : undefined;
  const alone = own?.conversation === undefined ? entryOfRow(own) : undefined;
  if (alone !== undefined) return [alone];
  return collectThread(source, own?.conversation ?? message?.conversation ?? id);
}
