/**
 * Keeps letters that are slow to read from taking all of the router's time. One of 1 MiB can take a
 * thousand times as long as an ordinary one, and whoever writes meanwhile waits for it.
 *
 * A pass begins no further letter once slow ones have had their time in it, and whoever sent them rests
 * after it, for a multiple of what they took together, as long as others have mail. It is time that is
 * measured, and not what a letter looks like, so it holds for whatever is slow.
 */
import type { AgentId } from '../protocol/addresses.ts';

/** A step of reading one letter is slow from here on; of an ordinary one it takes a tenth of a millisecond. */
const SLOW_MS = 25;
/** So long slow letters may take in one pass, and the one that goes beyond it. */
const MOST_MS = 100;
/** Their senders rest so many times as long, which leaves others four fifths of the time. */
const REST = 4;
/** Others have mail when a letter of theirs came within so long. */
const RECENT_MS = 10_000;

/** See the head of this file. */
export class SlowSenders {
  readonly #monotonic: () => number;
  readonly #senders = new Set<AgentId>();
  readonly #slow = new Set<AgentId>();
  #slowMs = 0;
  readonly #seenMs = new Map<AgentId, number>();
  readonly #restsUntilMs = new Map<AgentId, number>();

  /** @param monotonic - milliseconds that never step back */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Notes that a sender has mail, read in this pass or left for the next. */
  noteMail(sender: AgentId): void {
    this.#senders.add(sender);
  }

  /** Does a step of reading a letter, and notes how long it takes. */
  time<Result>(sender: AgentId, step: () => Result): Result {
    const before = this.#monotonic();
    const result = step();
    const tookMs = this.#monotonic() - before;
    if (tookMs >= SLOW_MS) {
      this.#slow.add(sender);
      this.#slowMs += tookMs;
    }
    return result;
  }

  /** Tells whether slow letters have had their time in this pass. */
  get isSpent(): boolean {
    return this.#slowMs >= MOST_MS;
  }

  /** Tells whether a sender's letters stay where they are for now. */
  rests(sender: AgentId): boolean {
    const nowMs = this.#monotonic();
    if (nowMs >= (this.#restsUntilMs.get(sender) ?? nowMs)) return false;
    return [...this.#seenMs].some(([other, ms]) => other !== sender && nowMs - ms < RECENT_MS);
  }

  /** Ends a pass: from now on those rest whose letters were slow in it. */
  endPass(): void {
    const nowMs = this.#monotonic();
    for (const sender of this.#slow) this.#restsUntilMs.set(sender, nowMs + REST * this.#slowMs);
    for (const sender of this.#senders) this.#seenMs.set(sender, nowMs);
    this.#senders.clear();
    this.#slow.clear();
    this.#slowMs = 0;
    dropWhere(this.#restsUntilMs, (untilMs) => untilMs <= nowMs);
    dropWhere(this.#seenMs, (ms) => nowMs - ms >= RECENT_MS);
  }
}

function dropWhere(times: Map<AgentId, number>, isOver: (ms: number) => boolean): void {
  for (const [sender, ms] of times) if (isOver(ms)) times.delete(sender);
}
