import { join } from 'node:path';
import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { systemCode } from '../protocol/errors.ts';

/** Where a log lies: the file that is written, and the directory of those before it. */
export interface LogPlace {
  /** Absolute path of log.jsonl. */
  path: string;
  /** Absolute path of the directory of its older segments; it may be missing. */
  segments: string;
}

/** Tells where the log of a hive lies. */
export function logPlace({ log, logSegments }: HiveLayout): LogPlace {
  return { path: log, segments: logSegments };
}

const SEGMENT_NAME = /^\d{12}(-\d+)?\.jsonl$/;

/** Lists the files of a log, oldest first; log.jsonl, which may be missing, is the last. */
export function logFiles(fs: HiveFs, { path, segments }: LogPlace): string[] {
  return [...listSegments(fs, segments), path];
}

/** Lists the older segments of a log, oldest first. */
export function listSegments(fs: HiveFs, segments: string): string[] {
  try {
    const names = fs.list(segments).filter((name) => SEGMENT_NAME.test(name));
    return names.sort().map((name) => join(segments, name));
  } catch (error) {
    const code = systemCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    return [];
  }
}

/**
 * Names a new segment by the number of its first row, so that names sort by age; never the name of one
 * that is there.
 */
export function newSegment(fs: HiveFs, segments: string, firstSeq: number): string {
  const stem = String(firstSeq).padStart(12, '0');
  for (let copy = 0; ; copy++) {
    const path = join(segments, `${stem}${copy === 0 ? '' : `-${copy}`}.jsonl`);
    if (fs.stat(path) === undefined) return path;
  }
}
