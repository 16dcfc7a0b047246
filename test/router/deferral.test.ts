import { describe, expect, it } from 'vitest';
import type { MessageId } from '../../src/protocol/ids.ts';
import { DeferralSchedule, isExpired } from '../../src/router/deferral.ts';

const times = { retryFirstMs: 1000, retryMostMs: 8000, expireMs: 3_600_000 };
const copies = (...ids: string[]) => ids.map((id) => ({ id, name: `first~${id}` }));

/** A schedule whose attempts all fail, with the name of a copy changing at each, as on disk. */
function makeSchedule() {
  const schedule = new DeferralSchedule();
  let round = 0;
  const take = (nowMs: number, owed: { id: string; name: string }[], most = 100) =>
    schedule.takeDue('inbox/coder', owed, { nowMs, most, times }).map(({ id }) => id);
  const refused = (ids: string[]) => ids.map((id) => ({ id, name: `${(round += 1)}~${id}` }));
  return { schedule, take, refused };
}

describe('the schedule of attempts', () => {
  it('tries an inbox at once, with its oldest copy alone', () => {
    const { take } = makeSchedule();
    expect(take(0, copies('a', 'b', 'c'))).toEqual(['a']);
  });
  it('waits twice as long after each failure, up to a bound', () => {
    const { take, refused } = makeSchedule();
    const attempts: number[] = [];
    for (let nowMs = 0; nowMs < 40_000; nowMs += 100) {
      if (take(nowMs, refused(['a', 'b'])).length > 0) attempts.push(nowMs);
    }
    expect(attempts).toEqual([0, 1000, 3000, 7000, 15_000, 23_000, 31_000, 39_000]);
  });
  it('lets all the others follow when the oldest got through', () => {
    const { take, refused } = makeSchedule();
    take(0, refused(['a', 'b', 'c']));
    expect(take(10, refused(['b', 'c']))).toEqual(['b', 'c']);
  });
  it('brings a long queue over piece by piece', () => {
    const { take, refused } = makeSchedule();
    take(0, refused(['a', 'b', 'c', 'd', 'e']), 2);
    expect(take(1, refused(['b', 'c', 'd', 'e']), 2)).toEqual(['b', 'c']);
    expect(take(2, refused(['d', 'e']), 2)).toEqual(['d', 'e']);
  });
  it('goes back to one copy when a piece gets stuck', () => {
    const { take, refused } = makeSchedule();
    take(0, refused(['a', 'b', 'c']));
    expect(take(1, refused(['b', 'c']))).toEqual(['b', 'c']);
    expect(take(2, refused(['b', 'c']))).toEqual([]);
    expect(take(1001, refused(['b', 'c']))).toEqual(['b']);
  });
  it('does not count an attempt whose batch never came about', () => {
    const { schedule, take } = makeSchedule();
    const owed = copies('a', 'b');
    for (const nowMs of [0, 1, 2, 3]) expect(take(nowMs, owed)).toEqual(['a']);
    expect(schedule.isRefusing('inbox/coder')).toBe(false);
  });
  it('says that an inbox refuses after two failures in a row', () => {
    const { schedule, take, refused } = makeSchedule();
    const said = [0, 1000, 3000].map((nowMs) => {
      take(nowMs, refused(['a', 'b']));
      return schedule.isRefusing('inbox/coder');
    });
    expect(said).toEqual([false, false, true]);
    take(7000, refused(['b']));
    expect(schedule.isRefusing('inbox/coder')).toBe(false);
  });
  it('keeps inboxes apart, and forgets those that nothing is owed to', () => {
    const { schedule, take, refused } = makeSchedule();
    take(0, refused(['a']));
    const other = { nowMs: 0, most: 9, times };
    expect(schedule.takeDue('inbox/tester', copies('x'), other)).toHaveLength(1);
    expect(take(1, refused(['a']))).toEqual([]);
    schedule.keepOnly(new Set(['inbox/tester']));
    expect(take(2, refused(['a']))).toEqual(['a']);
  });
});

describe('the age of a message', () => {
  it('is read from its id', () => {
    const id = '1m8p570g0000-abcdefgh' as MessageId;
    const at = Date.parse('2026-11-30T12:00:00.000Z');
    expect(isExpired(id, at, times)).toBe(false);
    expect(isExpired(id, at + times.expireMs, times)).toBe(false);
    expect(isExpired(id, at + times.expireMs + 1, times)).toBe(true);
    expect(isExpired(id, at - 86_400_000, times)).toBe(false);
  });
});
