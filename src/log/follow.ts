import { setTimeout as pause } from 'node:timers/promises';
import type { HiveFs } from '../hive/hive-fs.ts';
import type { LogRow } from '../protocol/event.ts';
import { readRows } from './rows.ts';

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

/**
 * Yields rows as they are written, each once, over a log that is replaced or cut back. Ends when the
 * signal says so.
 */
export async function* followLog(fs: HiveFs, options: FollowOptions): AsyncGenerator<LogRow> {
  const { path, signal, pollMs = 200 } = options;
  let stat = fs.stat(path);
  let offset = options.from ?? stat?.sizeBytes ?? 0;
  while (!signal.aborted) {
    const now = fs.stat(path);
    if (now !== undefined && (now.inode !== stat?.inode || now.sizeBytes < offset)) {
      offset = stat === undefined ? offset : 0;
    }
    stat = now;
    const stretch =
      now === undefined || now.sizeBytes <= offset
        ? undefined
        : readRows(fs, path, offset, CHUNK_BYTES);
    if (stretch !== undefined && stretch.to > offset) {
      offset = stretch.to;
      yield* stretch.rows;
    } else {
      await pause(pollMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
