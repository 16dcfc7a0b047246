import { setTimeout as pause } from 'node:timers/promises';
import type { HiveFs } from '../hive/hive-fs.ts';
import { systemCode } from '../protocol/errors.ts';
import type { LogRow } from '../protocol/event.ts';
import { type RowStretch, readRows } from './rows.ts';
import { type LogPlace, listSegments } from './segments.ts';

/** How the log is followed. */
export interface FollowOptions extends LogPlace {
  /** Offset in bytes of log.jsonl to begin at; the end when left out. */
  from?: number;
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
  const { path, segments, signal, pollMs = 200 } = options;
  let stat = fs.stat(path);
  let offset = options.from ?? stat?.sizeBytes ?? 0;
  let last = stat === undefined ? undefined : lastRowBefore(fs, path, offset);
  while (!signal.aborted) {
    const now = fs.stat(path);
    const news: LogRow[] = [];
    if (now !== undefined && stat !== undefined && now.inode !== stat.inode) {
      news.push(...readRotated(fs, segments, stat.inode, offset));
      offset = 0;
    }
    if (now !== undefined) offset = Math.min(offset, now.sizeBytes);
    stat = now ?? stat;
    const isNews = now !== undefined && now.sizeBytes > offset;
    const stretch = isNews ? readNews(fs, path, offset) : undefined;
    const moved = stretch !== undefined && stretch.to > offset;
    offset = stretch?.to ?? offset;
    for (const row of [...news, ...(stretch?.rows ?? [])]) {
      if (last !== undefined && row.seq <= last.seq && row.ts <= last.ts) continue;
      last = row;
      yield row;
    }
    if (!moved) await pause(pollMs, undefined, { signal }).catch(() => undefined);
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
