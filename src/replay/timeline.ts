import type { HistoryReader, TimeRange } from '../history/history-reader.ts';
import { systemClock } from '../hive/system-clock.ts';
import { foldCase } from '../protocol/addresses.ts';
import { HivemailError } from '../protocol/errors.ts';
import { type MessageId, messageIdTime } from '../protocol/ids.ts';
import type { RecordedMessage } from '../protocol/record.ts';
import { Past, type PastOptions } from './past.ts';

/** Which messages are to be gone through. */
export interface TimelineOptions {
  /** ISO 8601: from then on. */
  since?: string | undefined;
  /** ISO 8601: up to then, that moment included. */
  until?: string | undefined;
  /** Only what this agent sent or got. */
  agent?: string | undefined;
  /** Only what belongs to this conversation. */
  conversation?: string | undefined;
  /** Told how far it is, from 0 to 1, by the time of what is looked at. */
  onProgress?: ((share: number) => void) | undefined;
}

/**
 * Yields what was said, oldest first, out of the history and of what it has not recorded yet: letters that
 * were delivered or held, and notices. Holds a few messages at a time, however many there are.
 * @throws HivemailError `not-found` where the hive has no history, `git` where it can't be read
 */
export async function* readTimeline(
  options: PastOptions,
  { since, until, agent, conversation, onProgress }: TimelineOptions = {},
): AsyncGenerator<RecordedMessage> {
  const range = { sinceMs: toMs(since), untilMs: toMs(until) };
  const name = agent === undefined ? undefined : foldCase(agent);
  await using past = await Past.open(options);
  const history = requireHistory(past, options);
  const shareOf = onProgress === undefined ? () => 0 : await shares(history, range);
  for await (const message of walk(past, history, range)) {
    onProgress?.(shareOf(message.id));
    const { from, to } = message;
    if (name !== undefined && from !== name && !to.includes(name)) continue;
    if (conversation !== undefined && message.conversation !== conversation) continue;
    yield message;
  }
}

/** Tells how far in a time a message lies; what ends it is the last message, or the end that was asked for. */
async function shares(
  history: HistoryReader,
  range: TimeRange,
): Promise<(id: MessageId) => number> {
  const firstMs = await timeOfFirst(history, range);
  const lastMs = range.untilMs ?? systemClock.now();
  return (id) => (messageIdTime(id) - firstMs) / Math.max(1, lastMs - firstMs);
}

async function timeOfFirst(history: HistoryReader, range: TimeRange): Promise<number> {
  for await (const { id } of history.find(range)) return messageIdTime(id);
  return 0;
}

function requireHistory({ history, problem }: Past, { layout }: PastOptions): HistoryReader {
  if (history !== undefined) return history;
  if (problem !== undefined) throw new HivemailError('git', problem);
  const sentence = `${layout.root} has no history: no router has run there.`;
  throw new HivemailError('not-found', sentence);
}

function toMs(time: string | undefined): number | undefined {
  if (time === undefined) return undefined;
  const timeMs = Date.parse(time);
  if (Number.isNaN(timeMs)) throw new HivemailError('usage', `${JSON.stringify(time)} is no time.`);
  return timeMs;
}

/**
 * Goes through the history as it stands, then through what waits to be recorded. What moves from there
 * into the history meanwhile is looked for in the history again.
 */
async function* walk(
  past: Past,
  history: HistoryReader,
  range: TimeRange,
): AsyncGenerator<RecordedMessage> {
  const waiting = past.queue();
  let last: MessageId | undefined;
  for await (const message of history.walk(range)) {
    last = message.id;
    yield message;
  }
  const moved = { some: false };
  for (const message of waitingIn(past, waiting, moved)) {
    if (!isWithin(message.id, range)) continue;
    const mayBeTold = last !== undefined && message.id <= last;
    if (mayBeTold && (await history.message(message.id)) !== undefined) continue;
    if (!mayBeTold) last = message.id;
    yield message;
  }
  if (moved.some) yield* walkAfter(history, range, last);
}

/** Yields the messages of what waited when its names were listed, and notes whether some have gone. */
function* waitingIn(
  past: Past,
  names: readonly string[],
  moved: { some: boolean },
): Generator<RecordedMessage> {
  for (const record of past.queued(names)) {
    if (record === undefined) moved.some = true;
    else if (record.message !== undefined) yield record.message;
  }
}

async function* walkAfter(
  history: HistoryReader,
  range: TimeRange,
  last: MessageId | undefined,
): AsyncGenerator<RecordedMessage> {
  const sinceMs = last === undefined ? range.sinceMs : messageIdTime(last);
  for await (const message of history.walk({ ...range, sinceMs })) {
    if (last === undefined || message.id > last) yield message;
  }
}

function isWithin(id: MessageId, { sinceMs, untilMs }: TimeRange): boolean {
  const timeMs = messageIdTime(id);
  return timeMs >= (sinceMs ?? timeMs) && timeMs <= (untilMs ?? timeMs);
}
