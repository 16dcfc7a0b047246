import type { MessageId } from '../protocol/ids.ts';
import { messageIdTime } from '../protocol/ids.ts';

/** When copies that could not be published are tried again, in milliseconds. */
export interface DeferralTimes {
  retryFirstMs: number;
  retryMostMs: number;
  /** Age of a message at which it is given up. */
  expireMs: number;
}

interface Attempt {
  waitMs: number;
  dueAtMs: number;
}

/**
 * Spaces the attempts at deferred copies: each wait is twice the one before. Kept in memory alone; after
 * a restart every copy is tried at once.
 */
export class DeferralSchedule {
  readonly #attempts = new Map<string, Attempt>();

  /**
   * Tells whether a copy is due, and plans the attempt after this one when it is.
   * @param key - the copy whatever batch it failed in last
   * @param nowMs - monotonic
   */
  takeIfDue(key: string, nowMs: number, times: DeferralTimes): boolean {
    const attempt = this.#attempts.get(key);
    if (attempt !== undefined && nowMs < attempt.dueAtMs) return false;
    const waitMs = Math.min(
      attempt === undefined ? times.retryFirstMs : attempt.waitMs * 2,
      times.retryMostMs,
    );
    this.#attempts.set(key, { waitMs, dueAtMs: nowMs + waitMs });
    return true;
  }

  /** Forgets the copies that are not deferred any more. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#attempts.keys()) if (!keys.has(key)) this.#attempts.delete(key);
  }
}

/** Tells whether a message is so old that an inbox that still can't take it never will. */
export function isExpired(id: MessageId, nowMs: number, times: DeferralTimes): boolean {
  return nowMs - messageIdTime(id) > times.expireMs;
}
