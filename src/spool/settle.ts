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
  /** How long it has to lie still, by what was in it. */
  neededMs: number;
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
   * Tells whether a file was seen before just as it is and its time is not over, so that reading it
   * again would tell nothing new. Counts as a look.
   */
  isStill(stat: FileStat, nowMs: number): boolean {
    const before = this.#before(stat);
    if (before === undefined || nowMs - before.sinceMs >= before.neededMs) return false;
    this.#looked.set(stat.inode, before);
    return true;
  }

  /**
   * Notes how a file looks now.
   * @param neededMs - how long it has to be seen unchanged
   * @returns whether it has been; never at first sight, unless no time is needed
   */
  hasSettled(stat: FileStat, neededMs: number, nowMs: number): boolean {
    const { inode, sizeBytes, mtimeNs } = stat;
    const sinceMs = this.#before(stat)?.sinceMs ?? nowMs;
    this.#looked.set(inode, { sizeBytes, mtimeNs, sinceMs, neededMs });
    return nowMs - sinceMs >= neededMs;
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

  #before({ inode, sizeBytes, mtimeNs }: FileStat): Observation | undefined {
    const before = this.#looked.get(inode) ?? this.#seen.get(inode);
    const same = before?.sizeBytes === sizeBytes && before.mtimeNs === mtimeNs;
    return same ? before : undefined;
  }
}

/** How long a file of a completeness has to lie still; 0 for one that needs no waiting. */
export function settleMs(completeness: Completeness, times: SettleTimes): number {
  if (completeness === 'complete') return 0;
  return completeness === 'closed' ? times.closedMs : times.openMs;
}
