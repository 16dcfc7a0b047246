import type { HiveFs } from '../hive/hive-fs.ts';
import type { LogRow } from '../protocol/event.ts';
import { readRows } from './rows.ts';
import { type LogPlace, logFiles } from './segments.ts';

const CHUNK_BYTES = 4 * 1024 * 1024;

/**
 * Yields the rows of a log over all its segments, oldest first.
 * @param tailBytes - begin so many bytes before the end
 */
export function* readLog(
  fs: HiveFs,
  place: LogPlace,
  tailBytes = Number.POSITIVE_INFINITY,
): Generator<LogRow> {
  const files = logFiles(fs, place).map((path) => ({ path, sizeBytes: sizeOf(fs, path) }));
  let skip = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) - tailBytes;
  for (const { path, sizeBytes } of files) {
    if (skip < sizeBytes) yield* readFrom(fs, path, Math.max(0, skip));
    skip -= sizeBytes;
  }
}

function* readFrom(fs: HiveFs, path: string, start: number): Generator<LogRow> {
  for (let from = start; sizeOf(fs, path) > from; ) {
    const { rows, to } = readRows(fs, path, from, CHUNK_BYTES);
    if (to <= from) return;
    yield* rows;
    from = to;
  }
}

function sizeOf(fs: HiveFs, path: string): number {
  return fs.stat(path)?.sizeBytes ?? 0;
}
