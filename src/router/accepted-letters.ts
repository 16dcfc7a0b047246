/**
 * Letters as they were accepted, read from the history for those whose copies an agent could have changed
 * since. A pass does not wait for git: it asks, and finds the answer at its next look.
 *
 * Invariants: one git at a time; what a failed git could not tell counts as not there; closing ends git.
 */
import { openHistoryReader } from '../history/open-reader.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';
import { isMessageId } from '../protocol/ids.ts';
import type { RecordedMessage } from '../protocol/record.ts';

/** What reads messages from the history; nothing for each that it does not have. */
export type ReadRecorded = (
  ids: readonly string[],
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, RecordedMessage>>;

/** See the head of this file. */
export class AcceptedLetters implements AsyncDisposable {
  readonly #read: ReadRecorded;
  readonly #closing = new AbortController();
  readonly #asked = new Set<string>();
  #answers = new Map<string, RecordedMessage | undefined>();
  #reading: Promise<void> | undefined;

  constructor(read: ReadRecorded) {
    this.#read = read;
  }

  /**
   * Tells what the history says of a letter.
   * @returns `asked` while it has not answered; then, once, its message, or nothing when it has none
   */
  take(id: string): RecordedMessage | 'asked' | undefined {
    if (this.#answers.has(id)) {
      const answer = this.#answers.get(id);
      this.#answers.delete(id);
      return answer;
    }
    this.#asked.add(id);
    if (!this.#closing.signal.aborted) this.#reading ??= this.#answerAll();
    return 'asked';
  }

  /**
   * Waits until what was asked is answered.
   * @returns whether there are answers that nobody has come for
   */
  async settled(): Promise<boolean> {
    await this.#reading;
    return this.#answers.size > 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new HivemailError('timeout', 'The hive is closed; git was ended.'));
    await this.#reading;
  }

  /** Never rejects: nobody awaits it. Begins when all that one look asks for has been asked. */
  async #answerAll(): Promise<void> {
    await Promise.resolve();
    const ids = [...this.#asked];
    this.#asked.clear();
    const found = await this.#tryToRead(ids);
    // Answers that nobody has come for are of letters that were handled meanwhile.
    this.#answers = new Map(ids.map((id) => [id, found.get(id)]));
    this.#reading = undefined;
  }

  async #tryToRead(ids: readonly string[]): Promise<ReadonlyMap<string, RecordedMessage>> {
    try {
      return await this.#read(ids, this.#closing.signal);
    } catch (error) {
      // That git is in trouble is told by the history, which is recorded by it.
      const isKnown = error instanceof HivemailError || systemCode(error) !== undefined;
      if (isKnown || this.#closing.signal.aborted) return new Map();
      throw error;
    }
  }
}

/** Reads messages from the history of a hive, by a git that ends with that. */
export function readRecordedOf(layout: Pick<HiveLayout, 'git'>): ReadRecorded {
  return async (ids, signal) => {
    await using reader = await openHistoryReader({ layout, signal });
    const found = new Map<string, RecordedMessage>();
    if (reader === undefined) return found;
    for await (const message of reader.messages(ids.filter(isMessageId))) {
      if (message !== undefined) found.set(message.id, message);
    }
    return found;
  };
}
