import type { Readable } from 'node:stream';
import { isMessageId, type MessageId } from '../protocol/ids.ts';
import { ByteReader } from './byte-reader.ts';
import type { ReadingGit } from './git.ts';

const ID = 'Message-Id: ';
const CONVERSATION = 'Conversation: ';

/**
 * Lists the messages of a conversation by the trailers of the commits that recorded them.
 * @param tip - the commit to go back from
 * @returns ids, oldest first
 */
export async function findIdsOfConversation(
  git: ReadingGit,
  { tip, conversation }: { tip: string; conversation: string },
  signal?: AbortSignal,
): Promise<MessageId[]> {
  const wanted = `${CONVERSATION}${conversation}`;
  const ids = new Set<MessageId>();
  const args = ['rev-list', '--fixed-strings', `--grep=${wanted}`, '--format=%B', tip];
  await git.run(args, {
    dialogue: (output) => listen(output, ids, wanted),
    signal,
    timeoutMs: Number.POSITIVE_INFINITY,
  });
  return [...ids].sort();
}

/** Reads what git prints, and tells it nothing. */
async function* listen(
  output: Readable,
  ids: Set<MessageId>,
  wanted: string,
): AsyncGenerator<Uint8Array> {
  const lines = new ByteReader(output);
  let id = '';
  for (let line = await lines.line(); line !== undefined; line = await lines.line()) {
    if (line.startsWith(ID)) id = line.slice(ID.length);
    else if (line === wanted && isMessageId(id)) ids.add(id);
  }
  yield* [];
}
