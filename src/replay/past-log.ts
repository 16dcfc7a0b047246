/**
 * The log as far back as the history has it. Segments that have left the hive are in git, each with a
 * commit that says from when to when it goes; those that may tell of what is looked for are put into a
 * temporary directory, and read there like those that are still in their place.
 */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { HistoryReader } from '../history/history-reader.ts';
import type { RecordedSegment } from '../history/log-segments.ts';
import { recordedNamesOf } from '../history/record-segment.ts';
import { LogReader } from '../log/log-reader.ts';
import { parseSegmentNames } from '../log/segment-names.ts';
import { listSegments, logPlace } from '../log/segments.ts';
import type { LogRow } from '../protocol/event.ts';
import { type MessageId, messageIdTime } from '../protocol/ids.ts';
import { findOwnRow } from './own-row.ts';
import type { Past, PastOptions } from './past.ts';

/** Rows are later than the ids they tell of, and clocks are set back at times. */
const CAUTION_MS = 24 * 3_600_000;

/** Which rows are looked for. */
export interface Reach {
  /** None before this moment, in milliseconds since the epoch. */
  sinceMs: number;
  /** None after it. */
  untilMs?: number | undefined;
  /** Only rows about one of these messages or conversations. */
  names?: readonly string[] | undefined;
}

/** See the head of this file. */
export class PastLog implements Disposable {
  readonly #options: PastOptions;
  readonly #past: Past;
  readonly #fetched = new Map<string, string>();
  #recorded: Recorded[] | undefined;
  #dir: string | undefined;

  constructor(options: PastOptions, past: Past) {
    [this.#options, this.#past] = [options, past];
  }

  /**
   * Opens the log so that no row that is looked for is missing from it, as far as anything has it. Of what
   * the hive has no more it may lack rows that are not looked for.
   */
  async reaching(reach: Reach): Promise<LogReader> {
    const { fs, layout } = this.#options;
    const place = logPlace(layout);
    const here = new LogReader(fs, place);
    const first = here.first();
    if (reachesBack(here, reach.sinceMs)) return here;
    const wanted = (await this.#list()).filter((segment) => isWithin(segment, reach));
    // Listed again after the look into git: what has left the hive by now is in git.
    const paths = listSegments(fs, layout.logSegments);
    const present = new Map(paths.map((path) => [basename(path), fs.stat(path)?.sizeBytes]));
    const older: string[] = [];
    for (const segment of wanted) {
      const { name, sizeBytes } = segment;
      const isHere = present.get(name) === sizeBytes || isSameAs(segment, first);
      if (!isHere && mayName(segment, reach.names)) older.push(...(await this.#fetch(segment)));
    }
    return older.length === 0 ? here : new LogReader(fs, place, older);
  }

  /** Tells whether the hive itself has the log from a moment on. */
  isHereSince(sinceMs: number): boolean {
    const first = this.#here().first();
    return first !== undefined && sinceMs >= Date.parse(first.ts);
  }

  /** Tells whether the hive has no row at all. */
  isEmpty(): boolean {
    return this.#here().first() === undefined;
  }

  #here(): LogReader {
    const { fs, layout } = this.#options;
    return new LogReader(fs, logPlace(layout));
  }

  /** Finds the row that says what became of a message, or of a notice. */
  async ownRow(id: MessageId): Promise<LogRow | undefined> {
    return findOwnRow(await this.reaching({ sinceMs: messageIdTime(id), names: [id] }), id);
  }

  [Symbol.dispose](): void {
    if (this.#dir !== undefined) rmSync(this.#dir, { recursive: true, force: true });
  }

  async #list(): Promise<readonly Recorded[]> {
    this.#recorded ??= await this.#past.fromHistory((history) => listRecorded(history));
    return this.#recorded ?? [];
  }

  /** Puts a segment where it can be read; nothing when the history turns out not to have it. */
  async #fetch({ name, oid }: Recorded): Promise<string[]> {
    const known = this.#fetched.get(name);
    if (known !== undefined) return [known];
    this.#dir ??= mkdtempSync(join(tmpdir(), 'hivemail-log-'));
    const path = join(this.#dir, name);
    const isWritten = await this.#past.fromHistory(async (history) => {
      writeFileSync(path, '', { mode: 0o600 });
      await history.stretches(oid, (stretch) => appendFileSync(path, stretch));
      return true;
    });
    if (isWritten !== true) return [];
    this.#fetched.set(name, path);
    return [path];
  }
}

/** Tells whether a log has all rows since a moment, whatever clocks did. */
export function reachesBack(log: LogReader, sinceMs: number): boolean {
  const first = log.first();
  return first !== undefined && sinceMs - CAUTION_MS >= Date.parse(first.ts);
}

interface Recorded extends RecordedSegment {
  oid: string;
  /** What the history has of what it names. */
  names: Uint8Array | undefined;
}

async function listRecorded(history: HistoryReader): Promise<Recorded[]> {
  const files = new Map((await history.segmentFiles()).map(({ name, oid }) => [name, oid]));
  if (files.size === 0) return [];
  const recorded: Recorded[] = [];
  for (const segment of await history.logSegments()) {
    const oid = files.get(segment.name);
    const names = await history.segmentFile(recordedNamesOf(segment.name));
    if (oid !== undefined) recorded.push({ ...segment, oid, names });
  }
  return recorded;
}

function isWithin({ firstTime, lastTime }: Recorded, { sinceMs, untilMs }: Reach): boolean {
  const isAfter = Date.parse(lastTime) >= sinceMs - CAUTION_MS;
  return isAfter && (untilMs === undefined || Date.parse(firstTime) <= untilMs + CAUTION_MS);
}

/** A segment that is in both is taken from the hive, whatever the history calls it. */
function isSameAs(
  { firstSeq, firstTime }: Recorded,
  first: { seq: number; ts: string } | undefined,
): boolean {
  return first !== undefined && first.seq === firstSeq && first.ts === firstTime;
}

function mayName({ name, sizeBytes, names }: Recorded, wanted: Reach['names']): boolean {
  if (wanted === undefined || names === undefined) return true;
  const known = parseSegmentNames(names, { path: name, sizeBytes, mtimeNs: 0n });
  return known === undefined || wanted.some((each) => known.mayHold(each));
}
