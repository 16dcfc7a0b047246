import { PassThrough, type Readable } from 'node:stream';
import { HivemailError } from '../protocol/errors.ts';
import { ByteReader } from './byte-reader.ts';
import type { ReadingGit } from './git.ts';

/** An object of git, whole. */
export interface GitObject {
  /** Its name: 40 or 64 hexadecimal digits. */
  oid: string;
  type: string;
  bytes: Buffer;
}

/** Objects asked for at once: waiting for each answer by itself takes three times as long. */
const AT_ONCE = 32;

/**
 * Reads objects of the history through one `git cat-file --batch` that goes on running: 30 µs for a
 * message, however many there are. Holds no more than what was asked for at once.
 * @see https://git-scm.com/docs/git-cat-file#_batch_output
 */
export class ObjectReader implements AsyncDisposable {
  readonly #questions = new PassThrough();
  readonly #ended: Promise<unknown>;
  readonly #answers: Promise<ByteReader>;
  readonly #closing = new AbortController();
  #output: Readable | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  /** @param signal - ends git, and all reading with the signal's reason */
  constructor(git: ReadingGit, signal?: AbortSignal) {
    const ways = [this.#closing.signal, ...(signal === undefined ? [] : [signal])];
    let answer: (reader: ByteReader) => void = () => {};
    const begun = new Promise<ByteReader>((resolve) => {
      answer = resolve;
    });
    this.#ended = git.run(['cat-file', '--batch'], {
      dialogue: (output) => {
        this.#output = output;
        answer(new ByteReader(output));
        return this.#questions;
      },
      signal: AbortSignal.any(ways),
      timeoutMs: Number.POSITIVE_INFINITY,
    });
    this.#ended.catch(() => undefined);
    this.#answers = Promise.race([begun, this.#ended.then(() => begun)]);
    this.#answers.catch(() => undefined);
  }

  /** Reads one object, by its oid or as `<commit>:<path>`; nothing when there is none of that name. */
  async read(name: string): Promise<GitObject | undefined> {
    const [object] = await this.#ask([name]);
    return object;
  }

  /** Reads objects in the order of their names, each as soon as it is wanted. */
  async *readAll(names: Iterable<string>): AsyncGenerator<GitObject | undefined> {
    let asked: string[] = [];
    for (const name of names) {
      asked.push(name);
      if (asked.length < AT_ONCE) continue;
      yield* await this.#ask(asked);
      asked = [];
    }
    if (asked.length > 0) yield* await this.#ask(asked);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#questions.end();
    this.#output?.destroy();
    this.#closing.abort();
    await this.#ended.catch(() => undefined);
  }

  /** Asks when all before have their answers. */
  async #ask(names: readonly string[]): Promise<(GitObject | undefined)[]> {
    const before = this.#turn;
    const asking = (async () => {
      await before;
      return await this.#exchange(names);
    })();
    this.#turn = asking.catch(() => undefined);
    return await asking;
  }

  async #exchange(names: readonly string[]): Promise<(GitObject | undefined)[]> {
    const answers = await this.#answers;
    this.#questions.write(`${names.join('\n')}\n`);
    const objects: (GitObject | undefined)[] = [];
    for (const _ of names) objects.push(await this.#answer(answers));
    return objects;
  }

  async #answer(answers: ByteReader): Promise<GitObject | undefined> {
    const head = await answers.line();
    if (head === undefined) return await this.#gone();
    const [, oid, type, size] = /^([0-9a-f]+) (\w+) (\d+)$/.exec(head) ?? [];
    if (oid === undefined || type === undefined) return undefined;
    const bytes = await answers.bytes(Number(size));
    await answers.bytes(1);
    return { oid, type, bytes };
  }

  /** git has ended: why is what its run says, once there is nothing left to tell it. */
  async #gone(): Promise<never> {
    this.#questions.end();
    await this.#ended;
    throw new HivemailError('git', 'git ended before it had answered. Try again.');
  }
}
