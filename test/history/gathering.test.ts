import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Gathering } from '../../src/history/gathering.ts';

const TIMES = { quietMs: 100, mostMs: 350 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A wait whose ends are noted, in milliseconds since its making. */
function makeGathering() {
  const ends: number[] = [];
  const begin = Date.now();
  const clock = { now: () => Date.now(), monotonic: () => Date.now() };
  const gathering = new Gathering(TIMES, clock, () => ends.push(Date.now() - begin));
  return { gathering, ends };
}

describe('gathering', () => {
  it('ends when nothing has come for a while, once', () => {
    const { gathering, ends } = makeGathering();
    gathering.add();
    vi.advanceTimersByTime(60);
    gathering.add();
    vi.advanceTimersByTime(1000);
    expect(ends).toEqual([160]);
  });
  it('ends some time after the first, however much goes on coming, and begins anew with the next', () => {
    const { gathering, ends } = makeGathering();
    for (let passed = 0; passed < 780; passed += 20) {
      gathering.add();
      vi.advanceTimersByTime(20);
    }
    expect(ends).toEqual([350, 710]);
  });
  it('ends without a word when it is cancelled, and can begin anew', () => {
    const { gathering, ends } = makeGathering();
    gathering.add();
    gathering.cancel();
    vi.advanceTimersByTime(1000);
    expect(ends).toEqual([]);
    gathering.add();
    vi.advanceTimersByTime(1000);
    expect(ends).toEqual([1100]);
  });
});
