import { expect, test } from 'vitest';
import { Backoff } from '../../src/history/backoff.ts';

function scene(): { backoff: Backoff; waitMs: () => number } {
  let now = 77;
  const backoff = new Backoff({ now: () => 0, monotonic: () => now });
  const waitMs = (): number => {
    const from = now;
    while (!backoff.isOver()) now += 500;
    return now - from;
  };
  return { backoff, waitMs };
}

test('the wait doubles with each failure, from a second to a minute', () => {
  const { backoff, waitMs } = scene();
  const waits = [1, 2, 3, 4, 5, 6, 7, 8].map(() => {
    backoff.fail();
    return waitMs();
  });
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
});

test('there is no wait before the first failure, and none after a success', () => {
  const { backoff, waitMs } = scene();
  expect(waitMs()).toBe(0);
  backoff.fail();
  backoff.fail();
  backoff.succeed();
  expect(waitMs()).toBe(0);
  backoff.fail();
  expect(waitMs()).toBe(1_000);
});
