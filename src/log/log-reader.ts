/**
 * A log over all its segments, as it stood when the reading began; what is written later is follow.ts's.
 *
 * Places in it are offsets in bytes from the beginning of the oldest segment. Files are known by their
 * inodes, so a rotation in the middle of reading neither skips a row nor shows one twice. Memory is
 * bounded by the stretch that is read at once, however long the log is.
 */
import type { FileStat, HiveFs } from '../hive/hive-fs.ts';
import { systemCode } from '../protocol/errors.ts';
import type { LogRow } from '../protocol/event.ts';
import { type LineStretch, readLines } from './lines.ts';
import type { NameFilter } from './name-filter.ts';
import { eachRow, type RowStretch, toRows } from './rows.ts';
import { readSegmentNames } from './segment-names.ts';
import { type LogPlace, listSegments } from './segments.ts';

const STRETCH_BYTES = 512 * 1024;
const PROBE_BYTES = 16 * 1024;

/** Tells of a row whether it comes before what is looked for; nothing when it does not show. */
export type IsBefore = (row: LogRow) => boolean | undefined;

/** What of a log is to be read. */
export interface LogRange {
  /** Offset to begin at; the beginning when left out. Inside a line, the next one is meant. */
  from?: number | undefined;
  /** Offset to end before; the end when left out. */
  to?: number | undefined;
  /** Parse only lines that hold one of these texts. */
  needles?: readonly string[] | undefined;
  /**
   * Only rows about one of these messages or conversations are wanted; others may be left out, and with
   * them whole segments that name none of them.
   */
  names?: readonly string[] | undefined;
}

interface LogFile extends Pick<FileStat, 'inode' | 'sizeBytes' | 'mtimeNs'> {
  path: string;
  /** Where it begins in the whole log. */
  start: number;
  /** It lay among the older segments, so nobody writes it any more. */
  closed: boolean;
  /** What it names, once that was looked up; null when it is not known. */
  names?: NameFilter | null;
}

/** See the head of this file. */
export class LogReader {
  readonly #fs: HiveFs;
  readonly #place: LogPlace;
  readonly #files: LogFile[];
  /** What is read lies here until more is read. */
  readonly #buffer = Buffer.allocUnsafe(STRETCH_BYTES);
  /** Length of the whole log in bytes. */
  readonly sizeBytes: number;

  /** @param older - files with rows from before those of the log, oldest first */
  constructor(fs: HiveFs, place: LogPlace, older: readonly string[] = []) {
    this.#fs = fs;
    this.#place = place;
    this.#files = listFiles(fs, place, older);
    this.sizeBytes = this.#files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }

  /** Reads the oldest row. */
  first(): LogRow | undefined {
    for (const row of this.#probe(0, this.sizeBytes)) return row;
    return undefined;
  }

  /** Yields the rows of a range, oldest first. */
  *rows(range: LogRange = {}): Generator<LogRow> {
    for (const { rows } of this.stretches(range)) yield* rows;
  }

  /** Yields the rows of a range, oldest first, as many at once as are read at once. */
  *stretches(range: LogRange = {}): Generator<RowStretch> {
    const needles = needlesOf(range);
    for (const [file, lines] of this.#lines(range)) yield placed(file, toRows(lines, needles));
  }

  /** Yields the rows of a range, the latest stretch first; within a stretch the oldest row first. */
  *backwards(range: LogRange = {}): Generator<RowStretch> {
    const { from = 0, to = this.sizeBytes } = range;
    const needles = needlesOf(range);
    for (const file of this.#files.toReversed()) {
      if (!this.#mayName(file, range)) continue;
      const first = Math.max(0, from - file.start);
      let end = Math.min(file.sizeBytes, to - file.start);
      for (let most = STRETCH_BYTES; end > first; ) {
        const start = Math.max(first, end - most);
        const lines = this.#read(file, start, end - start + 1);
        const isWithin = lines.from < end && lines.to > lines.from;
        if (isWithin) yield placed(file, toRows(lines, needles));
        if (start === first) break;
        // No line begins in this stretch: it is part of one that is longer.
        if (isWithin) [end, most] = [lines.from, STRETCH_BYTES];
        else most *= 2;
      }
    }
  }

  /**
   * Finds where to begin reading, by halving: a log of 100 MB costs thirteen looks.
   * @param isBefore - true for every row up to some place, and false from there on
   * @returns an offset that nothing looked for lies before; at most 16 KiB of other rows come after it
   */
  seek(isBefore: IsBefore): number {
    let low = 0;
    let high = this.sizeBytes;
    while (high - low > PROBE_BYTES) {
      const middle = Math.floor((low + high) / 2);
      if (this.#isBefore(middle, high, isBefore)) low = middle;
      else high = middle;
    }
    return low;
  }

  #isBefore(from: number, to: number, isBefore: IsBefore): boolean {
    for (const row of this.#probe(from, to)) {
      const verdict = isBefore(row);
      if (verdict !== undefined) return verdict;
    }
    return false;
  }

  /** Yields rows of which a few will do: little is read at once, and nothing parsed that is not wanted. */
  *#probe(from: number, to: number): Generator<LogRow> {
    for (let at = from; at < to; at += PROBE_BYTES) {
      const range = { from: at, to: Math.min(to, at + PROBE_BYTES) };
      for (const [, lines] of this.#lines(range)) yield* eachRow(lines);
    }
  }

  *#lines(range: LogRange): Generator<[LogFile, LineStretch]> {
    const { from = 0, to = this.sizeBytes } = range;
    for (const file of this.#files) {
      const end = Math.min(file.sizeBytes, to - file.start);
      let at = Math.max(0, from - file.start);
      if (at >= end || !this.#mayName(file, range)) continue;
      while (at < end) {
        const lines = this.#read(file, at, Math.min(STRETCH_BYTES, end - at + 1));
        if (lines.to <= at) break;
        yield [file, lines];
        at = lines.to;
      }
    }
  }

  /** Tells whether a file can hold a row that is wanted. */
  #mayName(file: LogFile, { names }: LogRange): boolean {
    if (names === undefined || !file.closed) return true;
    file.names ??= readSegmentNames(this.#fs, file) ?? null;
    const { names: known } = file;
    return known === null || names.some((name) => known.mayHold(name));
  }

  /** Reads lines of a file whatever it is called by now; none when it was removed. */
  #read(file: LogFile, from: number, most: number): LineStretch {
    const source = (wanted: number, at: number): Uint8Array => {
      const within = Math.min(wanted, file.sizeBytes - at);
      return within <= 0 ? new Uint8Array() : this.#bytes(file, within, at);
    };
    return readLines(source, from, most);
  }

  #bytes(file: LogFile, most: number, from: number): Uint8Array {
    const here = this.#readIfSame(file, most, from);
    if (here !== undefined) return here;
    const moved = listSegments(this.#fs, this.#place.segments).find(
      (path) => this.#fs.stat(path)?.inode === file.inode,
    );
    if (moved === undefined) return new Uint8Array();
    file.path = moved;
    return this.#readIfSame(file, most, from) ?? new Uint8Array();
  }

  #readIfSame({ path, inode }: LogFile, most: number, from: number): Uint8Array | undefined {
    try {
      const { bytes, stat } = this.#fs.read(path, most, from, this.#buffer);
      return stat.inode === inode ? bytes : undefined;
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
      return undefined;
    }
  }
}

/** A name stands in a line as JSON has it. */
function needlesOf({ needles, names }: LogRange): readonly string[] | undefined {
  return needles ?? names?.map((name) => JSON.stringify(name));
}

function placed({ start }: LogFile, { rows, from, to }: RowStretch): RowStretch {
  return { rows, from: start + from, to: start + to };
}

/** Lists the files, oldest first; log.jsonl is looked at first, so that it is there by one name or another. */
function listFiles(fs: HiveFs, { path, segments }: LogPlace, before: readonly string[]): LogFile[] {
  const current = fs.stat(path);
  const named = (name: string) => [name, fs.stat(name)] as const;
  const older = listSegments(fs, segments).map(named);
  const isRotated = older.some(([, stat]) => stat?.inode === current?.inode);
  const rotated = isRotated ? older : [...older, [path, current] as const];
  const all = [...before.map(named), ...rotated];
  const files: LogFile[] = [];
  let start = 0;
  for (const [name, stat] of all) {
    if (!isFile(stat)) continue;
    const { inode, sizeBytes, mtimeNs } = stat;
    files.push({ path: name, inode, sizeBytes, mtimeNs, start, closed: name !== path });
    start += sizeBytes;
  }
  return files;
}

function isFile(stat: FileStat | undefined): stat is FileStat {
  return stat?.kind === 'file';
}
