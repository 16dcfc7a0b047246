/**
 * What is left of the mail of a hive, wherever it lies: in git, in the queue of what git has not
 * recorded yet, in mailboxes. Looking changes nothing.
 */
import { join } from 'node:path';
import type { HistoryReader } from '../history/history-reader.ts';
import { openHistoryReader } from '../history/open-reader.ts';
import { listQueue, readGroup } from '../history/queue.ts';
import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { readMessageText } from '../hive/read-message.ts';
import { hasMailbox } from '../protocol/addresses.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';
import { type MessageId, messageIdTime } from '../protocol/ids.ts';
import type { OutcomeCode } from '../protocol/outcomes.ts';
import { parseMessage } from '../protocol/parse-message.ts';
import type { HistoryRecord, RecordedMessage } from '../protocol/record.ts';
import { firstBatchAt } from './own-row.ts';

/** Where to look. */
export interface PastOptions {
  fs: HiveFs;
  layout: HiveLayout;
  /** The environment to look git up in; the process's own by default. */
  env?: NodeJS.ProcessEnv | undefined;
  signal?: AbortSignal | undefined;
}

/** A message to be found, and whose mailboxes it may lie in. */
export interface Wanted {
  id: MessageId;
  agents: readonly string[];
}

const AT_ONCE = 64;

/** See the head of this file. */
export class Past implements AsyncDisposable {
  readonly #fs: HiveFs;
  readonly #layout: HiveLayout;
  #history: HistoryReader | undefined;
  #problem: string | undefined;

  private constructor({ fs, layout }: PastOptions) {
    this.#fs = fs;
    this.#layout = layout;
  }

  /** Opens what is there; where git is missing, the rest. */
  static async open(options: PastOptions): Promise<Past> {
    const past = new Past(options);
    try {
      past.#history = await openHistoryReader(options);
    } catch (error) {
      past.#giveUp(error);
    }
    return past;
  }

  /** The history; nothing where there is none, or it can't be read. */
  get history(): HistoryReader | undefined {
    return this.#history;
  }

  /** Why the history can't be read, in a sentence. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Reads from the history; where it turns out that it can't be read, the rest has to do. */
  async fromHistory<Found>(
    read: (history: HistoryReader) => Promise<Found>,
  ): Promise<Found | undefined> {
    if (this.#history === undefined) return undefined;
    try {
      return await read(this.#history);
    } catch (error) {
      this.#giveUp(error);
      return undefined;
    }
  }

  /** Finds a message. */
  async find(wanted: Wanted): Promise<RecordedMessage | undefined> {
    const recorded = await this.fromHistory((history) => history.message(wanted.id));
    return recorded ?? this.#findElsewhere(wanted);
  }

  /** Finds messages in the order they are asked for. */
  async *findAll(wanted: readonly Wanted[]): AsyncGenerator<RecordedMessage | undefined> {
    for (let first = 0; first < wanted.length; first += AT_ONCE) {
      const asked = wanted.slice(first, first + AT_ONCE);
      const ids = asked.map(({ id }) => id);
      const found = await this.fromHistory((history) => collect(history.messages(ids)));
      for (const [place, each] of asked.entries()) {
        yield found?.[place] ?? this.#findElsewhere(each);
      }
    }
  }

  /** Lists the files that git has not recorded yet, oldest first. */
  queue(): string[] {
    return listQueue(this.#fs, this.#layout.historyQueue);
  }

  /**
   * Yields what git has not recorded yet.
   * @param names - of {@link Past.queue}; for one that is gone, `undefined`
   */
  *queued(names: readonly string[]): Generator<HistoryRecord | undefined> {
    for (const name of names) {
      const { batches } = readGroup(this.#fs, this.#layout.historyQueue, [name]);
      if (batches.length === 0) yield undefined;
      for (const { records } of batches) yield* records;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#history?.[Symbol.asyncDispose]();
  }

  #findElsewhere(wanted: Wanted): RecordedMessage | undefined {
    return this.#findQueued(wanted.id) ?? this.#findInMailboxes(wanted);
  }

  #findQueued(id: MessageId): RecordedMessage | undefined {
    const from = firstBatchAt(messageIdTime(id));
    const names = this.queue().filter((name) => name >= from);
    for (const record of this.queued(names)) if (record?.id === id) return record.message;
    return undefined;
  }

  #findInMailboxes({ id, agents }: Wanted): RecordedMessage | undefined {
    for (const agent of agents.filter(hasMailbox)) {
      const { inbox, done } = this.#layout.agent(agent);
      for (const dir of [inbox, done, this.#layout.heldFor(agent)]) {
        const message = this.#readMessage(join(dir, `${id}.json`));
        if (message !== undefined) return message;
      }
    }
    return undefined;
  }

  #readMessage(path: string): RecordedMessage | undefined {
    try {
      const message = parseMessage(readMessageText(this.#fs, path));
      if (message === undefined) return undefined;
      const { held, ...rest } = message;
      const ending =
        held === undefined
          ? ({ outcome: 'delivered', code: 'delivered' } as const)
          : { outcome: 'held' as const, code: held.code as OutcomeCode };
      return { ...rest, to: [message.to], ...ending };
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return undefined;
    }
  }

  #giveUp(error: unknown): void {
    if (!(error instanceof HivemailError) || error.code !== 'git') throw error;
    this.#history = undefined;
    this.#problem = error.message;
  }
}

/** Collects what an iterable yields. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
