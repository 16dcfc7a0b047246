import type { FileStat } from './hive-fs.ts';

/**
 * Names the version of a file or directory. A change shows in it, also one in place that kept size and
 * mtime, unless it came within one tick of the file system's clock after the one before: see
 * {@link isSettledVersion}.
 */
export function versionOf(stat: FileStat | undefined): string {
  if (stat === undefined) return 'missing';
  return `${stat.inode}:${stat.mtimeNs}:${stat.ctimeNs}:${stat.sizeBytes}`;
}

/** A version, and when it was seen first, on the monotonic clock. */
export interface SeenVersion {
  version: string;
  sinceMs: number;
}

/** Longer than a tick of any file system. */
const TRUST_MS = 2000;

/** Tells whether a file that still has this version has been read after its last change for certain. */
export function isSettledVersion(
  seen: SeenVersion | undefined,
  version: string,
  nowMs: number,
): boolean {
  return seen?.version === version && nowMs - seen.sinceMs > TRUST_MS;
}

/** Notes that a version was seen, keeping since when. */
export function noteVersion(
  seen: SeenVersion | undefined,
  version: string,
  nowMs: number,
): SeenVersion {
  return seen?.version === version ? seen : { version, sinceMs: nowMs };
}
