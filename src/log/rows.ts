import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveEvent, LogRow } from '../protocol/event.ts';

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
export interface RowStretch {
  rows: LogRow[];
  /** Offset in bytes of the first row's line. */
  from: number;
  /** Offset in bytes after the last whole line. */
  to: number;
}

/**
 * Reads whole lines of the log.
 * @param from - offset in bytes; when it falls inside a line, reading begins at the next one
 * @param most - bytes at most; more where a single line is longer
 * @returns a stretch of no bytes when there is no whole line
 */
export function readRows(fs: HiveFs, path: string, from: number, most: number): RowStretch {
  const begin = Math.max(0, from - 1);
  for (let wanted = Math.max(1, most); ; wanted *= 2) {
    const { bytes } = fs.read(path, wanted, begin);
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const lead = from === 0 ? 0 : buffer.indexOf(LINE_FEED) + 1;
    const end = buffer.lastIndexOf(LINE_FEED) + 1;
    if (end > lead && (from === 0 || lead > 0)) {
      const lines = buffer.subarray(lead, end).toString('utf8').split('\n');
      return {
        rows: lines.flatMap((line) => parseRow(line) ?? []),
        from: begin + lead,
        to: begin + end,
      };
    }
    if (bytes.byteLength < wanted) {
      const none = Math.max(from, begin + lead);
      return { rows: [], from: none, to: none };
    }
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
