import { HivemailError } from '../protocol/errors.ts';
import { idPrefixTimes, isMessageId, type MessageId } from '../protocol/ids.ts';
import { isOwnRow, seekTime } from './own-row.ts';
import type { Past } from './past.ts';
import type { PastLog } from './past-log.ts';

/**
 * Finds the one id that begins as given, in the log or the history. The beginning tells the time, so only
 * what was said then, and the log from there on, is looked at.
 * @returns nothing when there is none; a whole id is taken as it is
 * @throws HivemailError `usage` when no id begins so, or several do
 */
export async function findId(
  given: string,
  { log, past }: { log: PastLog; past: Past },
): Promise<MessageId | undefined> {
  if (isMessageId(given)) return given;
  const times = idPrefixTimes(given);
  if (times === undefined) throw noId(given);
  const ids = new Set<MessageId>();
  const add = (id: string | undefined): void => {
    if (isMessageId(id) && id.startsWith(given)) ids.add(id);
    if (ids.size > 1) throw severalFit(given);
  };
  const { firstMs, lastMs } = times;
  await past.fromHistory(async (history) => {
    for await (const { id } of history.find({ sinceMs: firstMs, untilMs: lastMs })) add(id);
  });
  const needles = [JSON.stringify(given).slice(0, -1)];
  const reader = await log.reaching({ sinceMs: firstMs, untilMs: lastMs });
  for (const row of reader.rows({ from: seekTime(reader, firstMs), needles })) {
    if (isOwnRow(row)) add(row.id);
  }
  const [only] = ids;
  return only;
}

function severalFit(given: string): HivemailError {
  return new HivemailError('usage', `"${given}" fits several messages. Give more of the id.`);
}

function noId(given: string): HivemailError {
  const sentence = `${JSON.stringify(given)} is no id of a message, and no id begins so. \`hivemail log\` shows ids.`;
  return new HivemailError('usage', sentence);
}
