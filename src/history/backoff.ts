import type { Clock } from '../protocol/clock.ts';

const FIRST_MS = 1_000;
const MOST_MS = 60_000;

/** Spaces attempts after failures: 1 s, then twice as long each time, up to a minute. */
export class Backoff {
  readonly #clock: Clock;
  #failures = 0;
  #retryAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Tells whether an attempt may be made now. */
  isOver(): boolean {
    return this.#clock.monotonic() >= this.#retryAt;
  }

  /** Notes an attempt that failed, also one that was made early. */
  fail(): void {
    const waitMs = Math.min(FIRST_MS * 2 ** this.#failures, MOST_MS);
    this.#failures += 1;
    this.#retryAt = this.#clock.monotonic() + waitMs;
  }

  /** Notes an attempt that succeeded: the next one may follow at once. */
  succeed(): void {
    this.#failures = 0;
    this.#retryAt = Number.NEGATIVE_INFINITY;
  }
}
