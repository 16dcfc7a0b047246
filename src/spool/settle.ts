import type { FileStat } from '../hive/hive-fs.ts';
import type { Completeness } from '../letter/letter.ts';

/** How long a file must lie still before the router touches it, in milliseconds. */
export interface SettleTimes {
  /** Empty, or its text is not at an end. */
  openMs: number;
  /** Its text has ended, but it is wrong. */
  closedMs: number;
  /** No letter by its name or kind; its owner is told. */
  strayMs: number;
  /** A temporary file of another writer, left behind. */
  temporaryMs: number;
}

interface Observation {
  sizeBytes: number;
  mtimeNs: bigint;
  sinceMs: number;
}

/**
 * Watches files that are not ready, on the monotonic clock: a file has settled when its size and
 * mtime did not change for long enough between looks. Wall clock and mtime are never compared. Files
 * are known by inode, so one that is claimed goes on settling where it was.
 */
export class SettleWatch {
  #seen = new Map<bigint, Observation>();
  #looked = new Map<bigint, Observation>();

  /**
   * Notes how a file looks now.
   * @returns for how many milliseconds it has been seen unchanged; 0 at first sight
   */
  look({ inode, sizeBytes, mtimeNs }: FileStat, nowMs: number): number {
    const before = this.#looked.get(inode) ?? this.#seen.get(inode);
    const same = before?.sizeBytes === sizeBytes && before.mtimeNs === mtimeNs;
    const observation = same ? before : { sizeBytes, mtimeNs, sinceMs: nowMs };
    this.#looked.set(inode, observation);
    return nowMs - observation.sinceMs;
  }

  /** Ends a pass: what was not looked at in it is forgotten. */
  endPass(): void {
    this.#seen = this.#looked;
    this.#looked = new Map();
  }

  /** Tells how many files are being waited for. */
  get waiting(): number {
    return this.#seen.size;
  }
}

/** How long a file of a completeness has to lie still; 0 for one that needs no waiting. */
export function settleMs(completeness: Completeness, times: SettleTimes): number {
  if (completeness === 'complete') return 0;
  return completeness === 'closed' ? times.closedMs : times.openMs;
}
