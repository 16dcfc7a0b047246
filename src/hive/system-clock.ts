import type { Clock } from '../protocol/clock.ts';

/** The machine's clocks. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
