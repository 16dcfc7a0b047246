import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveEvent, LogRow } from '../protocol/event.ts';
import { fileSource, type LineStretch, linesWith, readLines } from './lines.ts';

const LINE_FEED = 0x0a;

/** Identity of a row within a batch: a row with the same key tells the same thing. */
export function rowKey({ kind, batch, id, to }: HiveEvent): string {
  return `${batch ?? ''}:${id ?? ''}:${kind}:${to?.join(',') ?? ''}`;
}

const LISTS = ['to', 'delivered', 'owed', 'held', 'repairs'] as const;

function isListOrMissing(value: unknown): boolean {
  if (value === undefined) return true;
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

/** Parses one line of the log; nothing when it is torn, empty or no row. */
export function parseRow(line: string): LogRow | undefined {
  if (!line.startsWith('{') || !line.endsWith('}')) return undefined;
  try {
    const row = JSON.parse(line) as Partial<LogRow>;
    if (typeof row.seq !== 'number' || typeof row.ts !== 'string') return undefined;
    return LISTS.every((field) => isListOrMissing(row[field])) ? (row as LogRow) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Rows of a stretch of the log, and where that stretch begins and ends. */
export interface RowStretch extends Omit<LineStretch, 'bytes'> {
  rows: LogRow[];
}

/** Reads the rows of whole lines; {@link readLines} says which. */
export function readRows(fs: HiveFs, path: string, from: number, most: number): RowStretch {
  return toRows(readLines(fileSource(fs, path), from, most));
}

/**
 * Parses the lines of a stretch.
 * @param needles - parse only those that hold one of these texts
 */
export function toRows({ bytes, from, to }: LineStretch, needles?: readonly string[]): RowStretch {
  return { rows: linesWith(bytes, needles).flatMap((line) => parseRow(line) ?? []), from, to };
}

/** Yields the rows of a stretch, each parsed when it is wanted: the first that tells is often enough. */
export function* eachRow({ bytes }: LineStretch): Generator<LogRow> {
  for (const line of linesWith(bytes)) {
    const row = parseRow(line);
    if (row !== undefined) yield row;
  }
}

/**
 * Reads the last rows of the log, oldest first, a last one without its line feed included.
 * @param most - bytes at most
 */
export function readTail(fs: HiveFs, path: string, most: number): LogRow[] {
  const sizeBytes = fs.stat(path)?.sizeBytes ?? 0;
  if (sizeBytes === 0) return [];
  const { rows } = readRows(fs, path, Math.max(0, sizeBytes - most), most + 1);
  const open = openRow(fs, path);
  return open === undefined ? rows : [...rows, open];
}

const MOST_ROW_BYTES = 1024 * 1024;

/**
 * Reads the row that a log ends with when a crash took nothing of it but its line feed. The next append
 * ends its line, so it counts as written.
 */
export function openRow(fs: HiveFs, path: string): LogRow | undefined {
  const sizeBytes = fs.stat(path)?.sizeBytes ?? 0;
  if (sizeBytes === 0 || fs.read(path, 1, sizeBytes - 1).bytes[0] === LINE_FEED) return undefined;
  const { bytes } = fs.read(path, MOST_ROW_BYTES, Math.max(0, sizeBytes - MOST_ROW_BYTES));
  const begin = bytes.lastIndexOf(LINE_FEED) + 1;
  return parseRow(Buffer.from(bytes.subarray(begin)).toString('utf8'));
}
