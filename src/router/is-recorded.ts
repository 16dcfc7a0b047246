import { join } from 'node:path';
import type { HistoryReader } from '../history/history-reader.ts';
import type { FileStat, HiveFs } from '../hive/hive-fs.ts';
import { readMessageText } from '../hive/read-message.ts';
import type { AgentId } from '../protocol/addresses.ts';
import { messageIdTime } from '../protocol/ids.ts';
import { parseMessage } from '../protocol/parse-message.ts';
import type { RecordedMessage } from '../protocol/record.ts';
import type { OldLetter } from './old-letters.ts';

/** Where a letter lies that may be in the history. */
export interface LetterPlace {
  /** `inbox/.done` or `outbox/.sent` of the agent, as it is reached now. */
  dir: string;
  place: 'done' | 'sent';
  agent: AgentId;
  /** A file that was put there, or changed, after this moment stays; milliseconds since the epoch. */
  sinceMs: number;
}

/** What the history has of a letter. */
export interface Recorded {
  message: RecordedMessage | undefined;
  original: Uint8Array | undefined;
}

/** A letter is accepted within moments of its last change, or long after it. */
const ACCEPTED_WITHIN_MS = 60_000;

/** Reads what the history has of letters, in their order; the objects themselves, not only their names. */
export async function readRecorded(
  history: Pick<HistoryReader, 'messages' | 'original'>,
  letters: readonly OldLetter[],
): Promise<Recorded[]> {
  const messages: (RecordedMessage | undefined)[] = [];
  const ids = letters.map(({ id }) => id);
  for await (const message of history.messages(ids)) messages.push(message);
  const recorded: Recorded[] = [];
  for (const [index, id] of ids.entries()) {
    recorded.push({ message: messages[index], original: await history.original(id) });
  }
  return recorded;
}

/**
 * Tells whether a file of a letter is old, and the history holds what it holds: the same words, for the
 * same agent. What was changed since, or is no regular file, is not held by it.
 * @throws the system's error
 */
export function isRecorded(
  fs: HiveFs,
  { id, name }: OldLetter,
  { dir, place, agent, sinceMs }: LetterPlace,
  recorded: Recorded,
): boolean {
  const path = join(dir, name);
  const { message, original } = recorded;
  const stat = fs.stat(path);
  if (stat?.kind !== 'file' || toMs(stat.ctimeNs) > sinceMs) return false;
  if (place === 'done') return message !== undefined && holdsCopy(fs, path, message, agent);
  if (original !== undefined) return isSame(fs, path, original);
  const isOwn = message?.from === agent && message.id === id;
  return isOwn && wasUnchanged(stat, messageIdTime(id));
}

function holdsCopy(fs: HiveFs, path: string, message: RecordedMessage, agent: AgentId): boolean {
  const copy = parseMessage(readMessageText(fs, path));
  if (copy === undefined || !message.to.includes(agent)) return false;
  const keys = ['id', 'conversation', 'from', 'act', 'subject', 'body'] as const;
  return keys.every((key) => copy[key] === message[key]);
}

function isSame(fs: HiveFs, path: string, original: Uint8Array): boolean {
  const { bytes, stat } = fs.read(path, original.length + 1);
  return stat.sizeBytes === original.length && Buffer.compare(bytes, original) === 0;
}

function wasUnchanged({ mtimeNs }: FileStat, acceptedMs: number): boolean {
  return toMs(mtimeNs) <= acceptedMs + ACCEPTED_WITHIN_MS;
}

function toMs(ns: bigint): number {
  return Number(ns / 1_000_000n);
}
