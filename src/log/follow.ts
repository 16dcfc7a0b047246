import { setTimeout as pause } from 'node:timers/promises';
import type { HiveFs } from '../hive/hive-fs.ts';
import { systemCode } from '../protocol/errors.ts';
import type { LogRow } from '../protocol/event.ts';
import { type RowStretch, readRows } from './rows.ts';

/** How the log is followed. */
export interface FollowOptions {
  /** Absolute path of log.jsonl. */
  path: string;
  /** Offset in bytes to begin at; the end when left out. */
  from?: number;
  /** Ends the following. */
  signal: AbortSignal;
  /** Time between looks, in milliseconds. */
  pollMs?: number;
}

const CHUNK_BYTES = 1024 * 1024;
const LOOK_BACK_BYTES = 64 * 1024;

/**
 * Yields rows as they are written, each once, over a log that is replaced or cut back: what was yielded
 * before is known by its number and time. Ends when the signal says so.
 */
export async function* followLog(fs: HiveFs, options: FollowOptions): AsyncGenerator<LogRow> {
  const { path, signal, pollMs = 200 } = options;
  let stat = fs.stat(path);
  let offset = options.from ?? stat?.sizeBytes ?? 0;
  let last = stat === undefined ? undefined : lastRowBefore(fs, path, offset);
  while (!signal.aborted) {
    const now = fs.stat(path);
    if (now !== undefined && stat !== undefined && now.inode !== stat.inode) offset = 0;
    if (now !== undefined) offset = Math.min(offset, now.sizeBytes);
    stat = now ?? stat;
    const isNews = now !== undefined && now.sizeBytes > offset;
    const stretch = isNews ? readNews(fs, path, offset) : undefined;
    if (stretch !== undefined && stretch.to > offset) {
      offset = stretch.to;
      for (const row of stretch.rows) {
        if (last !== undefined && row.seq <= last.seq && row.ts <= last.ts) continue;
        last = row;
        yield row;
      }
    } else {
      await pause(pollMs, undefined, { signal }).catch(() => undefined);
    }
  }
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
