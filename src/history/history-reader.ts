/**
 * The history as one who looks back sees it: messages by id and by time, originals, and the small files
 * that are kept beside them as they were.
 *
 * Paths come from ids and times alone, so finding a message costs three steps down a tree however many
 * there are, and going through a stretch of time costs what was said in it. Nothing here writes.
 */
import { idTimePrefix, isMessageId, type MessageId } from '../protocol/ids.ts';
import { parseStrictly } from '../protocol/parse-strictly.ts';
import type { RecordedMessage } from '../protocol/record.ts';
import type { ReadingGit } from './git.ts';
import { BRANCH } from './import-stream.ts';
import { findSegments, LOG, type RecordedSegment } from './log-segments.ts';
import { type GitObject, ObjectReader } from './object-reader.ts';
import { isRecordedMessage } from './parse-batch.ts';
import { hourOf, MESSAGES, messagePath, originalPath } from './paths.ts';
import { findIdsOfConversation } from './trailers.ts';
import { parseTree, type TreeEntry } from './tree.ts';

/** A stretch of time in milliseconds since the epoch; what is left out does not bound it. */
export interface TimeRange {
  sinceMs?: number | undefined;
  /** That moment included. */
  untilMs?: number | undefined;
}

/** The last moment that is written with a year of four digits. */
const MOST_MS = Date.UTC(10_000, 0) - 1;
const WALK_AT_ONCE = 256;

/** A message in a walk, known by its id before it is read. */
export interface FoundMessage {
  id: MessageId;
  oid: string;
}

/** See the head of this file. */
export class HistoryReader implements AsyncDisposable {
  readonly #git: ReadingGit;
  readonly #objects: ObjectReader;
  readonly #signal: AbortSignal | undefined;

  constructor(git: ReadingGit, signal?: AbortSignal) {
    this.#git = git;
    this.#objects = new ObjectReader(git, signal);
    this.#signal = signal;
  }

  /** Reads messages in the order of their ids; nothing for each one that the history does not have. */
  async *messages(ids: Iterable<MessageId>): AsyncGenerator<RecordedMessage | undefined> {
    const names = [...ids].map((id) => `${BRANCH}:${messagePath(id)}`);
    for await (const object of this.#objects.readAll(names)) yield toMessage(object);
  }

  /** Reads one message. */
  async message(id: MessageId): Promise<RecordedMessage | undefined> {
    return toMessage(await this.#objects.read(`${BRANCH}:${messagePath(id)}`));
  }

  /** Reads a letter as its sender wrote it; nothing where the message tells all of it. */
  async original(id: MessageId): Promise<Uint8Array | undefined> {
    return this.file(BRANCH, originalPath(id));
  }

  /** Reads a file as a commit has it. */
  async file(commit: string, path: string): Promise<Uint8Array | undefined> {
    const object = await this.#objects.read(`${commit}:${path}`);
    return object?.type === 'blob' ? object.bytes : undefined;
  }

  /** Lists a directory as a commit has it. */
  async directory(commit: string, path: string): Promise<TreeEntry[]> {
    return this.#list(`${commit}:${path}`);
  }

  /** Yields the ids of all messages of a time, oldest first, as the history stands now. */
  async *find({ sinceMs = 0, untilMs = MOST_MS }: TimeRange): AsyncGenerator<FoundMessage> {
    const [firstMs, lastMs] = [clamp(sinceMs), clamp(untilMs)];
    const [from, to] = [idTimePrefix(firstMs), idTimePrefix(lastMs)];
    for await (const hour of this.#hours(hourOf(firstMs), hourOf(lastMs))) {
      for (const { name, oid } of await this.#list(hour)) {
        const id = name.replace(/\.json$/, '');
        const time = id.slice(0, from.length);
        if (isMessageId(id) && time >= from && time <= to) yield { id, oid };
      }
    }
  }

  /** Yields all messages of a time, oldest first, as the history stands now. */
  async *walk(range: TimeRange): AsyncGenerator<RecordedMessage> {
    let oids: string[] = [];
    for await (const { oid } of this.find(range)) {
      if (oids.push(oid) < WALK_AT_ONCE) continue;
      yield* this.#readMessages(oids);
      oids = [];
    }
    yield* this.#readMessages(oids);
  }

  /** Lists the messages of a conversation, oldest first. Goes through all commits. */
  async ofConversation(conversation: string): Promise<MessageId[]> {
    const tip = await this.#tip();
    if (tip === undefined) return [];
    return await findIdsOfConversation(this.#git, { tip, conversation }, this.#signal);
  }

  /** Lists the segments of the log that the history has, oldest first. Goes through all commits. */
  async logSegments(): Promise<RecordedSegment[]> {
    if ((await this.segmentFiles()).length === 0) return [];
    const tip = await this.#tip();
    return tip === undefined ? [] : await findSegments(this.#git, tip, this.#signal);
  }

  /** Lists the files of `log/` as the history has them now. */
  async segmentFiles(): Promise<TreeEntry[]> {
    return this.directory(BRANCH, LOG);
  }

  /** Reads one of them. */
  async segmentFile(name: string): Promise<Uint8Array | undefined> {
    return this.file(BRANCH, `${LOG}/${name}`);
  }

  /** Reads an object in the stretches in which git gives it; holds one of them at a time. */
  async stretches(oid: string, take: (stretch: Uint8Array) => void): Promise<void> {
    await this.#git.run(['cat-file', 'blob', oid], {
      async *dialogue(output) {
        for await (const stretch of output) take(stretch as Buffer);
        yield* [];
      },
      signal: this.#signal,
      timeoutMs: Number.POSITIVE_INFINITY,
    });
  }

  /** Finds the last commit that was made by a moment; nothing when the history is younger. */
  async commitAt(timeMs: number): Promise<string | undefined> {
    const tip = await this.#tip();
    if (tip === undefined) return undefined;
    const age = `--min-age=${Math.max(0, Math.floor(timeMs / 1000))}`;
    const args = ['rev-list', '--max-count=1', age, tip];
    const { stdout } = await this.#git.run(args, { signal: this.#signal });
    return stdout.trim() || undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#objects[Symbol.asyncDispose]();
  }

  /** Yields the directories of the hours from the first to the last, both included. */
  async *#hours(first: string, last: string): AsyncGenerator<string> {
    for (const day of await this.#list(`${BRANCH}:${MESSAGES}`)) {
      if (day.name < dayOf(first) || day.name > dayOf(last)) continue;
      for (const hour of await this.#list(day.oid)) {
        const place = `${day.name}/${hour.name}`;
        if (place >= first && place <= last) yield hour.oid;
      }
    }
  }

  async *#readMessages(oids: readonly string[]): AsyncGenerator<RecordedMessage> {
    for await (const object of this.#objects.readAll(oids)) {
      const message = toMessage(object);
      if (message !== undefined) yield message;
    }
  }

  async #list(name: string): Promise<TreeEntry[]> {
    const object = await this.#objects.read(name);
    return object?.type === 'tree' ? parseTree(object) : [];
  }

  async #tip(): Promise<string | undefined> {
    const args = ['rev-parse', '--verify', '--quiet', `${BRANCH}^{commit}`];
    const { stdout } = await this.#git.run(args, { accept: [0, 1], signal: this.#signal });
    return stdout.trim() || undefined;
  }
}

function toMessage(object: GitObject | undefined): RecordedMessage | undefined {
  const value =
    object === undefined ? undefined : parseStrictly(object.bytes.toString('utf8'))?.value;
  return isRecordedMessage(value) ? value : undefined;
}

function clamp(timeMs: number): number {
  return Math.min(Math.max(0, timeMs), MOST_MS);
}

function dayOf(place: string): string {
  return place.slice(0, 'YYYY-MM-DD'.length);
}
