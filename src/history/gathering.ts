import type { Clock } from '../protocol/clock.ts';

/** How long batches gather before they are recorded together, in milliseconds. */
export interface GatherTimes {
  /** Nothing new has come for so long. */
  quietMs: number;
  /** Since the first of them, however much goes on coming. */
  mostMs: number;
}

/**
 * Waits for a quiet moment. Starting git holds up the whole process for some milliseconds, and its syncs
 * hold up those of a delivery, so letters that follow each other closely are better let through first.
 */
export class Gathering {
  readonly #times: GatherTimes;
  readonly #clock: Clock;
  readonly #onEnd: () => void;
  #timer: NodeJS.Timeout | undefined;
  #sinceMs: number | undefined;

  /** @param onEnd - called once when the wait is over, unless it was cancelled */
  constructor(times: GatherTimes, clock: Clock, onEnd: () => void) {
    [this.#times, this.#clock, this.#onEnd] = [times, clock, onEnd];
  }

  /** Notes that something has come, which begins the wait or prolongs it. */
  add(): void {
    const nowMs = this.#clock.monotonic();
    this.#sinceMs ??= nowMs;
    const { quietMs, mostMs } = this.#times;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.cancel();
        this.#onEnd();
      },
      Math.max(0, Math.min(quietMs, this.#sinceMs + mostMs - nowMs)),
    );
  }

  /** Ends the wait without a call. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sinceMs = undefined;
  }
}
