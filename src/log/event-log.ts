/**
 * log.jsonl as its one writer sees it. Invariants: one append and one sync for the rows of a batch;
 * a torn line never swallows the next row; sequence numbers grow by one. Reading for people and
 * programs is in follow.ts.
 */
import type { AppendFile, HiveFs } from '../hive/hive-fs.ts';
import type { Clock } from '../protocol/clock.ts';
import { toTimestamp } from '../protocol/clock.ts';
import { systemCode } from '../protocol/errors.ts';
import { escapeUnsafe } from '../protocol/escape.ts';
import type { HiveEvent, LogRow } from '../protocol/event.ts';
import { readRows, readTail, rowKey } from './rows.ts';

/** What a log is opened with. */
export interface EventLogOptions {
  fs: HiveFs;
  /** Absolute path of log.jsonl. */
  path: string;
  clock: Clock;
  /** Number of the router's start; stands in every row. */
  epoch: number;
}

const SEQ_TAIL_BYTES = 256 * 1024;
const KEYS_CHUNK_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

/** The open log. */
export class EventLog {
  readonly #options: EventLogOptions;
  #file: AppendFile;
  #seq: number;
  /** The file may not end with a line feed, so the next append begins with one. */
  #torn: boolean;

  constructor(options: EventLogOptions) {
    this.#options = options;
    const { fs, path } = options;
    this.#file = fs.openAppend(path);
    this.#seq = lastSeq(fs, path);
    this.#torn = endsTorn(fs, path);
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
    this.#followName();
    const ts = toTimestamp(this.#options.clock.now());
    const rows = events.map((event, place) => {
      const row: LogRow = { seq: this.#seq + 1 + place, ts, epoch: this.#options.epoch, ...event };
      return row;
    });
    const lines = rows.map((row) => `${escapeUnsafe(JSON.stringify(row))}\n`).join('');
    const before = this.#file.stat().sizeBytes;
    try {
      await this.#file.append(Buffer.from(this.#torn ? `\n${lines}` : lines));
    } catch (error) {
      this.#cutBack(before);
      throw error;
    }
    this.#torn = false;
    this.#seq += rows.length;
    return rows;
  }

  /** Collects the keys of all rows after a sequence number, for a batch that may have been logged. */
  keysAfter(seq: number): Set<string> {
    const { fs, path } = this.#options;
    const keys = new Set<string>();
    let end = fs.stat(path)?.sizeBytes ?? 0;
    while (end > 0) {
      const start = Math.max(0, end - KEYS_CHUNK_BYTES);
      const stretch = readRows(fs, path, start, end - start + 1);
      for (const row of stretch.rows) if (row.seq > seq) keys.add(rowKey(row));
      const [first] = stretch.rows;
      if (start === 0 || (first !== undefined && first.seq <= seq)) break;
      end = stretch.from < end ? stretch.from : start;
    }
    return keys;
  }

  /** Reads the last rows, oldest first. */
  tail(mostBytes: number): LogRow[] {
    return readTail(this.#options.fs, this.#options.path, mostBytes);
  }

  close(): void {
    this.#file.close();
  }

  /** Opens the file anew when its name has come to mean another one, or nothing. */
  #followName(): void {
    const { fs, path } = this.#options;
    if (fs.stat(path)?.inode === this.#file.stat().inode) return;
    this.#file.close();
    this.#file = fs.openAppend(path);
    this.#torn = endsTorn(fs, path);
  }

  #cutBack(sizeBytes: number): void {
    try {
      this.#file.truncate(sizeBytes);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      this.#torn = true;
    }
  }
}

function lastSeq(fs: HiveFs, path: string): number {
  const rows = readTail(fs, path, SEQ_TAIL_BYTES);
  return rows.reduce((most, { seq }) => Math.max(most, seq), 0);
}

function endsTorn(fs: HiveFs, path: string): boolean {
  const sizeBytes = fs.stat(path)?.sizeBytes ?? 0;
  if (sizeBytes === 0) return false;
  return fs.read(path, 1, sizeBytes - 1).bytes[0] !== LINE_FEED;
}
