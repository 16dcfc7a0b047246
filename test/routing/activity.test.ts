import { describe, expect, it } from 'vitest';
import type { LogRow } from '../../src/protocol/event.ts';
import { Activity } from '../../src/routing/activity.ts';

const NOON = Date.parse('2026-11-30T12:00:00.000Z');
const at = (seconds: number): string => new Date(NOON + seconds * 1000).toISOString();

function row(seconds: number, fields: Partial<LogRow>): LogRow {
  return { seq: 1, epoch: 1, ts: at(seconds), kind: 'letter', ...fields };
}

describe('the last signs of an agent', () => {
  it('are its letters, what it handled, and what its session was told', () => {
    const activity = new Activity();
    expect(activity.lastSigns('coder')).toEqual({});
    activity.note(row(1, { from: 'coder', to: ['planner'], delivered: ['planner'] }));
    expect(activity.lastSigns('coder')).toEqual({ seen: at(1), sent: at(1) });
    expect(activity.lastSigns('planner')).toEqual({});
    activity.note(row(2, { kind: 'handled', id: 'x', to: ['planner'] }));
    expect(activity.lastSigns('planner')).toEqual({ seen: at(2) });
    activity.note(row(9, { kind: 'announced', id: 'x', to: ['coder'], at: at(3) }));
    expect(activity.lastSigns('coder')).toEqual({ seen: at(3), sent: at(1) });
    activity.note(row(9, { kind: 'needs-human', from: 'coder', at: at(4) }));
    expect(activity.lastSigns('coder').seen).toBe(at(4));
  });

  it('are none of what others did to it', () => {
    const activity = new Activity();
    activity.note(row(1, { kind: 'handled', id: 'x', to: ['coder'], note: 'removed' }));
    activity.note(row(2, { kind: 'notice', from: 'system', to: ['coder'], delivered: ['coder'] }));
    activity.note(row(3, { kind: 'late', from: 'planner', to: ['coder'], delivered: ['coder'] }));
    expect(activity.lastSigns('coder')).toEqual({});
    expect(activity.lastSigns('planner')).toEqual({});
  });

  it('do not go back with rows that tell of earlier moments', () => {
    const activity = new Activity();
    activity.note(row(5, { from: 'coder' }));
    activity.note(row(6, { kind: 'announced', id: 'x', to: ['coder'], at: at(2) }));
    expect(activity.lastSigns('coder').seen).toBe(at(5));
  });
});

describe('the rates of a hive', () => {
  it('count letters, and the inboxes that they and late and released copies reached', () => {
    const activity = new Activity();
    activity.note(row(0, { from: 'a', delivered: ['b', 'c'] }));
    activity.note(row(0, { from: 'a', delivered: [] }));
    activity.note(row(0, { kind: 'late', delivered: ['d'] }));
    activity.note(row(0, { kind: 'release', delivered: ['e'] }));
    activity.note(row(0, { kind: 'notice', delivered: ['a'] }));
    expect(activity.rates(NOON + 5000)).toEqual({
      minute: { letters: 2, copies: 4 },
      hour: { letters: 2, copies: 4 },
    });
  });

  it('are those of the last minute and the last hour, and hold no more', () => {
    const activity = new Activity();
    for (let second = 0; second < 7200; second += 10) {
      activity.note(row(second, { from: 'a', delivered: ['b'] }));
    }
    expect(activity.rates(NOON + 7_199_000)).toEqual({
      minute: { letters: 6, copies: 6 },
      hour: { letters: 360, copies: 360 },
    });
    expect(activity.rates(NOON + 7_199_000 + 3_600_000).hour).toEqual({ letters: 0, copies: 0 });
  });

  it('do not count what a clock that was set back put into the future', () => {
    const activity = new Activity();
    activity.note(row(1000, { from: 'a' }));
    expect(activity.rates(NOON).hour.letters).toBe(0);
  });
});
