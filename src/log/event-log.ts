/**
 * log.jsonl as its one writer sees it. Invariants: one append and one sync for the rows of a batch;
 * a torn line never swallows the next row; sequence numbers grow by one, over rotation and restarts.
 * Reading for people and programs is in follow.ts and read-log.ts.
 */
import { dirname } from 'node:path';
import type { AppendFile, HiveFs } from '../hive/hive-fs.ts';
import { makeMissing } from '../hive/make-missing.ts';
import type { Clock } from '../protocol/clock.ts';
import { toTimestamp } from '../protocol/clock.ts';
import { systemCode } from '../protocol/errors.ts';
import { escapeUnsafe } from '../protocol/escape.ts';
import type { HiveEvent, LogRow } from '../protocol/event.ts';
import { openRow, readRows, readTail, rowKey } from './rows.ts';
import { type LogPlace, logFiles, newSegment } from './segments.ts';

/** What a log is opened with. */
export interface EventLogOptions extends LogPlace {
  fs: HiveFs;
  clock: Clock;
  /** Number of the router's start; stands in every row. */
  epoch: number;
  /**
   * Asked before another file is opened because the name has come to mean one; throws when this router
   * was taken over. Its successor has put that file there, and rows of ours have no place in it.
   */
  requireOwn?: () => void;
}

const SEQ_TAIL_BYTES = 256 * 1024;
const FIRST_ROW_BYTES = 64 * 1024;
const KEYS_CHUNK_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

/** The open log. */
export class EventLog {
  readonly #options: EventLogOptions;
  #file: AppendFile;
  #seq: number;
  /** How long the file was when it last ended with a whole line by our own doing. */
  #wholeBytes = -1;
  /** A sync of it failed. */
  #doubtful = false;

  constructor(options: EventLogOptions) {
    this.#options = options;
    const { fs, path } = options;
    this.#file = fs.openAppend(path);
    try {
      this.#seq = lastSeq(fs, logFiles(fs, options));
    } catch (error) {
      this.#file.close();
      throw error;
    }
  }

  /** Sequence number of the last row. */
  get seq(): number {
    return this.#seq;
  }

  /**
   * Appends rows and syncs them.
   * @returns the rows as written
   * @throws the system's error; then part of the rows may stand in the file, so a later try has to
   *   ask {@link keysAfter} first
   */
  async append(events: readonly HiveEvent[]): Promise<LogRow[]> {
    if (events.length === 0) return [];
    if (this.#doubtful) await this.#beginAnew();
    this.#followName();
    const ts = toTimestamp(this.#options.clock.now());
    const rows = events.map((event, place) => {
      const row: LogRow = { seq: this.#seq + 1 + place, ts, epoch: this.#options.epoch, ...event };
      return row;
    });
    const lines = rows.map((row) => `${escapeUnsafe(JSON.stringify(row))}\n`).join('');
    const before = this.#file.stat().sizeBytes;
    const bytes = Buffer.from(this.#endsTorn(before) ? `\n${lines}` : lines);
    try {
      await this.#file.append(bytes);
    } catch (error) {
      this.#cutBack(before);
      this.#doubtful ||= isFailedSync(error);
      throw error;
    }
    this.#wholeBytes = before + bytes.length;
    this.#seq += rows.length;
    return rows;
  }

  /**
   * Collects the keys of all rows after a sequence number, for a batch that may have been logged.
   * Rows written from now on come after it as well, also when the log was lost since.
   */
  keysAfter(seq: number): Set<string> {
    const { fs } = this.#options;
    const keys = new Set<string>();
    if (Number.isFinite(seq)) this.#seq = Math.max(this.#seq, seq);
    const open = openRow(fs, this.#options.path);
    if (open !== undefined && open.seq > seq) keys.add(rowKey(open));
    for (const path of logFiles(fs, this.#options).reverse()) {
      if (collectKeysAfter(fs, path, seq, keys)) break;
    }
    return keys;
  }

  /** Reads the last rows, oldest first. */
  tail(mostBytes: number): LogRow[] {
    const { fs } = this.#options;
    const parts: LogRow[][] = [];
    let left = mostBytes;
    for (const path of logFiles(fs, this.#options).reverse()) {
      if (left <= 0) break;
      parts.unshift(readTail(fs, path, left));
      left -= fs.stat(path)?.sizeBytes ?? 0;
    }
    return parts.flat();
  }

  /**
   * Moves log.jsonl among the older segments when it has grown large, and begins a new one.
   * @param segmentBytes - size at which it is large
   * @throws the system's error; then the log goes on where it was
   */
  async rotate(segmentBytes: number): Promise<void> {
    if (this.#file.stat().sizeBytes < segmentBytes) return;
    this.#followName();
    const { fs, path, segments } = this.#options;
    const [first] = readRows(fs, path, 0, FIRST_ROW_BYTES).rows;
    makeMissing(fs, segments);
    fs.rename(path, newSegment(fs, segments, first?.seq ?? this.#seq));
    this.#followName();
    await fs.syncDir(segments);
    await fs.syncDir(dirname(path));
  }

  close(): void {
    this.#file.close();
  }

  /** Opens the file anew when its name has come to mean another one, or nothing. */
  #followName(): void {
    const { fs, path, requireOwn } = this.#options;
    if (fs.stat(path)?.inode === this.#file.stat().inode) return;
    requireOwn?.();
    const next = fs.openAppend(path);
    this.#file.close();
    this.#file = next;
    this.#wholeBytes = -1;
  }

  /** Looks at the last byte, unless it is one of ours. */
  #endsTorn(sizeBytes: number): boolean {
    if (sizeBytes === 0 || sizeBytes === this.#wholeBytes) return false;
    const { fs, path } = this.#options;
    return fs.read(path, 1, sizeBytes - 1).bytes[0] !== LINE_FEED;
  }

  /**
   * Leaves a file whose sync failed: the system may take what it could not write for written, and a later
   * sync of the same file would not tell (https://wiki.postgresql.org/wiki/Fsync_Errors).
   */
  async #beginAnew(): Promise<void> {
    await this.rotate(1);
    this.#doubtful = false;
  }

  #cutBack(sizeBytes: number): void {
    try {
      this.#file.truncate(sizeBytes);
    } catch (error) {
      // What stands there is torn, which the next append sees.
      if (systemCode(error) === undefined) throw error;
    }
  }
}

function isFailedSync(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'fsync';
}

/** Reads the greatest sequence number, from as much of the end as it takes to find a row. */
function lastSeq(fs: HiveFs, files: readonly string[]): number {
  for (const path of files.toReversed()) {
    const sizeBytes = fs.stat(path)?.sizeBytes ?? 0;
    for (let most = SEQ_TAIL_BYTES; ; most *= 4) {
      const rows = readTail(fs, path, most);
      if (rows.length > 0) return rows.reduce((greatest, { seq }) => Math.max(greatest, seq), 0);
      if (most >= sizeBytes) break;
    }
  }
  return 0;
}

/** Collects the keys of a file's rows after a sequence number; true when one before it was met. */
function collectKeysAfter(fs: HiveFs, path: string, seq: number, keys: Set<string>): boolean {
  let end = fs.stat(path)?.sizeBytes ?? 0;
  let chunkBytes = KEYS_CHUNK_BYTES;
  while (end > 0) {
    const start = Math.max(0, end - chunkBytes);
    const stretch = readRows(fs, path, start, end - start + 1);
    for (const row of stretch.rows) if (row.seq > seq) keys.add(rowKey(row));
    const [first] = stretch.rows;
    if (first !== undefined && first.seq <= seq) return true;
    if (start === 0) break;
    // No line begins in this stretch: it is part of one that is longer.
    if (stretch.from >= end || stretch.to === stretch.from) chunkBytes *= 2;
    else [end, chunkBytes] = [stretch.from, KEYS_CHUNK_BYTES];
  }
  return false;
}
