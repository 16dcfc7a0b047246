/**
 * One message's life. Needs no index: where to begin in the log is read off the id, and one pass over the
 * bytes from there on, parsing only the lines that name the message or its conversation, finds the rest.
 */
import { join } from 'node:path';
import { hasMailbox } from '../protocol/addresses.ts';
import { HivemailError } from '../protocol/errors.ts';
import type { LogRow } from '../protocol/event.ts';
import { isMessageId, type MessageId, messageIdTime } from '../protocol/ids.ts';
import type { RecordedMessage } from '../protocol/record.ts';
import { archiveName } from '../routing/archive-name.ts';
import { type CopyNow, findCopies, statIfAllowed } from './copies-now.ts';
import { findId } from './find-id.ts';
import { seekTime } from './own-row.ts';
import { Past, type PastOptions } from './past.ts';
import { PastLog } from './past-log.ts';
import {
  entryOfMessage,
  entryOfRow,
  fromHistory,
  type ThreadEntry,
  type ThreadSource,
} from './thread.ts';
import { lifeSteps, type TraceStep } from './trace-steps.ts';

/** One message's life, and the conversation around it. */
export interface Trace {
  id: MessageId;
  /** Who wrote to whom, about what; with the letter's outcome. */
  entry: ThreadEntry;
  /** The message as it was sent; nothing where none was made of the letter, or nothing has it any more. */
  message: RecordedMessage | undefined;
  /** In the order in which they happened. */
  steps: TraceStep[];
  /** Where each copy lies now. */
  copies: CopyNow[];
  /**
   * The letters and notices of the conversation, this one among them, oldest first: all of one that is
   * named by its first message; of another at least those it grew out of, and what came after them.
   */
  thread: ThreadEntry[];
  /** What could not be looked at, in sentences; then this says less than it should. */
  gaps: string[];
}

/** Most ancestors that are looked up one by one. */
const MOST_ANCESTORS = 100;

/**
 * Tells one message's life. Costs what was said since, at the speed of reading.
 * @param given - an id, or the beginning of one
 * @throws HivemailError `not-found`; `usage` for what is no id, or the beginning of several
 */
export async function traceMessage(options: PastOptions, given: string): Promise<Trace> {
  await using past = await Past.open(options);
  using log = new PastLog(options, past);
  const id = await findId(given, { log, past });
  const trace = id === undefined ? undefined : await traceId(id, { log, past }, options);
  if (trace !== undefined) return trace;
  const sentence = `No message "${given}" is known: neither the log nor the history has it. \`hivemail log\` shows ids.`;
  throw new HivemailError('not-found', sentence);
}

async function traceId(
  id: MessageId,
  source: ThreadSource,
  options: PastOptions,
): Promise<Trace | undefined> {
  const own = await source.log.ownRow(id);
  const message = await source.past.find({ id, agents: own?.to ?? [] });
  const entry = entryOf(own, message);
  if (entry === undefined) return undefined;
  const { about, thread } = await readAround(entry, source);
  const agents = message?.to ?? own?.to ?? [];
  return {
    ...{ id, entry, message },
    steps: lifeSteps({ id, own, about, writtenMs: whenWritten(options, own) }),
    copies: findCopies(options, { id, agents, about }),
    thread,
    gaps: gapsOf(source.past, own),
  };
}

function entryOf(row: LogRow | undefined, message?: RecordedMessage): ThreadEntry | undefined {
  return entryOfRow(row) ?? (message === undefined ? undefined : entryOfMessage(message));
}

function gapsOf({ problem }: Past, own: LogRow | undefined): string[] {
  const gaps = problem === undefined ? [] : [`The history can't be read. ${problem}`];
  if (own !== undefined) return gaps;
  return [
    ...gaps,
    'The log has no row of its outcome any more, so what became of it is not known in full.',
  ];
}

function whenWritten({ fs, layout }: PastOptions, own: LogRow | undefined): number | undefined {
  const { from = '', file, id, outcome } = own ?? {};
  if (!hasMailbox(from) || !isMessageId(id) || file === undefined || outcome === undefined) {
    return undefined;
  }
  const name = archiveName({ claim: { id, file }, outcome });
  const stat = statIfAllowed(fs, join(layout.agent(from).sent, name));
  return stat === undefined ? undefined : Number(stat.mtimeNs / 1_000_000n);
}

interface Around {
  /** All rows that name the message: none comes before the time in its id. */
  about: LogRow[];
  thread: ThreadEntry[];
}

/** Reads what is told of a message, and of its conversation, in one go. */
async function readAround(entry: ThreadEntry, source: ThreadSource): Promise<Around> {
  const { id, conversation = id } = entry;
  const isNamed = !isMessageId(conversation);
  const before = isNamed ? await ancestorsOf(source, entry) : [];
  const first = isNamed ? (before.at(-1) ?? entry).id : conversation;
  const beginMs = Math.min(messageIdTime(first), messageIdTime(id));
  const older = await fromHistory(source, conversation, beginMs);
  const entries = new Map([...older, ...before, entry].map((each) => [each.id, each]));
  const about: LogRow[] = [];
  const names = [...new Set([id, conversation])];
  const log = await source.log.reaching({ sinceMs: beginMs, names });
  for (const row of log.rows({ from: seekTime(log, beginMs), names })) {
    if ([row.id, row.of, row.in_reply_to].includes(id)) about.push(row);
    const each = row.conversation === conversation ? entryOfRow(row) : undefined;
    if (each !== undefined) entries.set(each.id, each);
  }
  return { about, thread: [...entries.values()].sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

async function ancestorsOf(
  { log, past }: ThreadSource,
  entry: ThreadEntry,
): Promise<ThreadEntry[]> {
  const ancestors: ThreadEntry[] = [];
  for (let { in_reply_to: id } = entry; isMessageId(id) && ancestors.length < MOST_ANCESTORS; ) {
    const parent =
      entryOf(await log.ownRow(id)) ?? entryOf(undefined, await past.find({ id, agents: [] }));
    if (parent === undefined || parent.id >= entry.id) break;
    ancestors.push(parent);
    id = parent.in_reply_to;
  }
  return ancestors;
}
