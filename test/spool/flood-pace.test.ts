import { expect, it } from 'vitest';
import { FloodPace } from '../../src/spool/flood-pace.ts';

/** Passes of a machine that takes so long for a pass, and for each letter in it. */
function settle(pace: FloodPace, { fixedMs, letterMs }: { fixedMs: number; letterMs: number }) {
  for (let pass = 0; pass < 20; pass++) {
    const letters = Math.min(100, pace.letters);
    pace.note({ letters, tookMs: fixedMs + letterMs * letters, aimMs: 100 });
  }
  return pace.letters;
}

it('lets a pass have as many letters as fit into its time', () => {
  const letters = settle(new FloodPace(), { fixedMs: 20, letterMs: 2 });
  expect(letters).toBeGreaterThanOrEqual(39);
  expect(letters).toBeLessThanOrEqual(41);
});

it('bounds nothing before a pass has shown what a letter costs', () => {
  const pace = new FloodPace();
  expect(pace.letters).toBe(Number.POSITIVE_INFINITY);
  pace.note({ letters: 3, tookMs: 200, aimMs: 100 });
  expect(pace.letters).toBe(Number.POSITIVE_INFINITY);
});

it('goes on with twenty letters where not even these fit', () => {
  expect(settle(new FloodPace(), { fixedMs: 500, letterMs: 10 })).toBe(20);
});

it('grows again when the machine has become quicker', () => {
  const pace = new FloodPace();
  settle(pace, { fixedMs: 20, letterMs: 4 });
  expect(settle(pace, { fixedMs: 5, letterMs: 0.5 })).toBeGreaterThan(100);
});

it('does not fall to a fifth for one wait', () => {
  const pace = new FloodPace();
  settle(pace, { fixedMs: 20, letterMs: 1 });
  const before = pace.letters;
  pace.note({ letters: before, tookMs: 1000, aimMs: 100 });
  expect(pace.letters).toBeGreaterThanOrEqual(before / 2);
});
