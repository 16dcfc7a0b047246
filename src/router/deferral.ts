import type { MessageId } from '../protocol/ids.ts';
import { messageIdTime } from '../protocol/ids.ts';

/** When copies that could not be published are tried again, in milliseconds. */
export interface DeferralTimes {
  retryFirstMs: number;
  retryMostMs: number;
  /** Age of a message at which it is given up. */
  expireMs: number;
}

/** A copy as the schedule knows it. */
export interface ScheduledCopy {
  /** Its file in `deferred/`; another one after each failure, since it names the batch. */
  name: string;
  id: string;
}

interface Attempt {
  /** The copy that tells how it went: the last of those tried. */
  last: ScheduledCopy;
  /** How many were tried. */
  count: number;
  waitMs: number;
  dueAtMs: number;
  /** Attempts by this router, one after the other, that failed. */
  failures: number;
}

/** One failure may be the machine's; after two, with a wait between, it is the inbox's. */
const FAILURES_THAT_TELL = 2;

/**
 * Spaces the attempts at inboxes that can't be written to: each wait is twice the one before. Only the
 * oldest copy is tried, and when it gets through, all others follow, so that an inbox which stays broken
 * costs one small batch each time, however much is owed to it. Kept in memory alone; after a restart
 * every inbox is tried at once.
 */
export class DeferralSchedule {
  readonly #attempts = new Map<string, Attempt>();

  /**
   * Picks the copies to try now, and plans the attempt after this one.
   * @param inbox - where they are to go
   * @param copies - all that is owed there, oldest first; at least one
   * @param now - `nowMs`: monotonic; `most`: of a working inbox's copies at once
   */
  takeDue<Owed extends ScheduledCopy>(
    inbox: string,
    copies: readonly Owed[],
    { nowMs, most, times }: { nowMs: number; most: number; times: DeferralTimes },
  ): Owed[] {
    const before = this.#attempts.get(inbox);
    const again = copies.find(({ id }) => id === before?.last.id);
    if (before === undefined || again === undefined) {
      const taken = copies.slice(0, before === undefined ? 1 : most);
      return this.#take(inbox, taken, { nowMs, waitMs: times.retryFirstMs, failures: 0 });
    }
    // Under the same name still: the batch of that attempt never came about.
    if (again.name === before.last.name) return copies.slice(0, Math.min(before.count, most));
    if (nowMs < before.dueAtMs) return [];
    const waitMs = Math.min(before.waitMs * 2, times.retryMostMs);
    const failures = before.failures + 1;
    return this.#take(inbox, copies.slice(0, 1), { nowMs, waitMs, failures });
  }

  /** Tells whether an inbox has refused what this router brought, more than once and to the last. */
  isRefusing(inbox: string): boolean {
    return (this.#attempts.get(inbox)?.failures ?? 0) >= FAILURES_THAT_TELL;
  }

  /** Forgets the inboxes that nothing is owed to any more. */
  keepOnly(inboxes: ReadonlySet<string>): void {
    for (const key of this.#attempts.keys()) if (!inboxes.has(key)) this.#attempts.delete(key);
  }

  #take<Owed extends ScheduledCopy>(
    inbox: string,
    taken: Owed[],
    { nowMs, waitMs, failures }: { nowMs: number; waitMs: number; failures: number },
  ): Owed[] {
    const last = taken.at(-1);
    if (last === undefined) return [];
    const { name, id } = last;
    const attempt = { last: { name, id }, count: taken.length, waitMs, failures };
    this.#attempts.set(inbox, { ...attempt, dueAtMs: nowMs + waitMs });
    return taken;
  }
}

/** Tells whether a message is so old that an inbox that still can't take it never will. */
export function isExpired(id: MessageId, nowMs: number, times: DeferralTimes): boolean {
  return nowMs - messageIdTime(id) > times.expireMs;
}
