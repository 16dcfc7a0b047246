/** Letters of a pass below which its fixed cost says nothing about the cost of one. */
const LEAST = 20;

/**
 * Finds how many letters of a flood a pass has time for, by what the last passes took: a letter of
 * somebody else waits for the pass under way.
 */
export class FloodPace {
  #letters = Number.POSITIVE_INFINITY;

  /** Letters of a flood that one pass takes in. */
  get letters(): number {
    return this.#letters;
  }

  /**
   * Learns from a pass. Half of what it says is taken over, so that one wait for a busy disk does not
   * make the next passes small; small ones cost more a letter.
   * @param aimMs - what a pass is to take
   */
  note({ letters, tookMs, aimMs }: { letters: number; tookMs: number; aimMs: number }): void {
    if (letters < LEAST || tookMs <= 0) return;
    const fitting = (letters * aimMs) / tookMs;
    const before = Math.min(this.#letters, 2 * letters);
    this.#letters = Math.max(LEAST, Math.round((before + fitting) / 2));
  }
}
