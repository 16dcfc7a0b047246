import { setTimeout as pause } from 'node:timers/promises';
import type { FileStat, HiveFs } from '../hive/hive-fs.ts';
import { systemCode } from '../protocol/errors.ts';
import type { LogRow } from '../protocol/event.ts';
import { compileFilter, type RowFilter } from './row-filter.ts';
import { type RowStretch, readRows } from './rows.ts';
import { type LogPlace, listSegments } from './segments.ts';

/** How the log is followed. */
export interface FollowOptions extends LogPlace {
  /** Offset in bytes of log.jsonl to begin at; the end when left out. */
  from?: number;
  /** Which rows are wanted; all when left out. */
  filter?: RowFilter | undefined;
  /** Ends the following. */
  signal: AbortSignal;
  /** Time between looks, in milliseconds. */
  pollMs?: number;
}

const CHUNK_BYTES = 1024 * 1024;
const LOOK_BACK_BYTES = 64 * 1024;

/**
 * Yields rows as they are written, each once, over a log that is rotated, replaced or cut back: what was
 * yielded before is known by its number and time. Ends when the signal says so.
 */
export async function* followLog(fs: HiveFs, options: FollowOptions): AsyncGenerator<LogRow> {
  const { signal, pollMs = 200 } = options;
  const { passes } = compileFilter(options.filter);
  const follower = new Follower(fs, options);
  while (!signal.aborted) {
    const { rows, more } = follower.look();
    yield* rows.filter(passes);
    if (!more) await pause(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Where a reader of the log stands. */
class Follower {
  readonly #fs: HiveFs;
  readonly #place: LogPlace;
  #stat: FileStat | undefined;
  #offset: number;
  #last: LogRow | undefined;
  /** How the file begins: with the number and time of its first row. */
  #head: string;

  constructor(fs: HiveFs, { path, segments, from }: FollowOptions) {
    this.#fs = fs;
    this.#place = { path, segments };
    this.#stat = fs.stat(path);
    this.#head = headOf(fs, path);
    this.#offset = from ?? this.#stat?.sizeBytes ?? 0;
    this.#last = this.#stat === undefined ? undefined : lastRowBefore(fs, path, this.#offset);
  }

  /** Reads what was written since the last look; `more` when it may pay to look again at once. */
  look(): { rows: LogRow[]; more: boolean } {
    const { path } = this.#place;
    const now = this.#fs.stat(path);
    const rotated = now === undefined ? [] : this.#followRotation(now);
    const stretch =
      now !== undefined && now.sizeBytes > this.#offset
        ? readNews(this.#fs, path, this.#offset)
        : undefined;
    const more = stretch !== undefined && stretch.to > this.#offset;
    this.#offset = stretch?.to ?? this.#offset;
    const rows = [...rotated, ...(stretch?.rows ?? [])].filter((row) => this.#isNew(row));
    return { rows, more };
  }

  #followRotation(now: FileStat): LogRow[] {
    const before = this.#stat;
    this.#stat = now;
    let rows: LogRow[] = [];
    if (before?.inode === now.inode && this.#isRewritten(before, now)) this.#offset = 0;
    if (before !== undefined && before.inode !== now.inode) {
      rows = readRotated(this.#fs, this.#place.segments, before.inode, this.#offset);
      this.#offset = 0;
      this.#head = headOf(this.#fs, this.#place.path);
    }
    this.#offset = Math.min(this.#offset, now.sizeBytes);
    return rows;
  }

  /** Tells of a log that was emptied and written anew: by its beginning, whatever size it has now. */
  #isRewritten(before: FileStat, now: FileStat): boolean {
    if (before.mtimeNs === now.mtimeNs && before.sizeBytes === now.sizeBytes) return false;
    const head = this.#head;
    this.#head = headOf(this.#fs, this.#place.path);
    return now.sizeBytes < this.#offset || !this.#head.startsWith(head);
  }

  #isNew(row: LogRow): boolean {
    const last = this.#last;
    if (last !== undefined && row.seq <= last.seq && row.ts <= last.ts) return false;
    this.#last = row;
    return true;
  }
}

const HEAD_BYTES = 64;

function headOf(fs: HiveFs, path: string): string {
  try {
    return Buffer.from(fs.read(path, HEAD_BYTES).bytes).toString('latin1');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return '';
  }
}

/**
 * Reads on in the file that was followed when it has been moved among the segments, and in those after
 * it; nothing when it is gone.
 */
function readRotated(fs: HiveFs, segments: string, inode: bigint, offset: number): LogRow[] {
  const paths = listSegments(fs, segments);
  const followed = paths.findIndex((path) => fs.stat(path)?.inode === inode);
  if (followed < 0) return [];
  return paths.slice(followed).flatMap((path, place) => {
    const from = place === 0 ? offset : 0;
    return readRows(fs, path, from, fs.stat(path)?.sizeBytes ?? 0).rows;
  });
}

/** Reads what was written since; nothing when the file was taken away just now. */
function readNews(fs: HiveFs, path: string, offset: number): RowStretch | undefined {
  try {
    return readRows(fs, path, offset, CHUNK_BYTES);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
}

function lastRowBefore(fs: HiveFs, path: string, offset: number): LogRow | undefined {
  if (offset === 0) return undefined;
  const start = Math.max(0, offset - LOOK_BACK_BYTES);
  const { rows, to } = readRows(fs, path, start, offset - start + 1);
  return to > offset ? undefined : rows.at(-1);
}
