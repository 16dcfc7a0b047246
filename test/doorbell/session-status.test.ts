import { describe, expect, it } from 'vitest';
import { type StatusContext, sessionStatus } from '../../src/doorbell/session-status.ts';
import { type DoorbellState, NO_STATE } from '../../src/doorbell/state.ts';
import { noWay } from '../../src/doorbell/wake/answer.ts';
import type { WakeRecord } from '../../src/doorbell/wake/records.ts';

const NOW = Date.parse('2026-11-30T17:19:11.123Z');
const process = { pid: 7, startedAt: '1', bootId: 'b' };
const waiter = { pid: 8, startedAt: '2', bootId: 'b' };
const holder = {
  client: 'claude',
  session: 's',
  process,
  heardAt: NOW - 20_000,
  place: {},
} as const;
const idle: DoorbellState = {
  ...NO_STATE,
  ...{ holder, told: ['a'], toldAt: NOW - 60_000, activeAt: NOW - 10_000 },
};

const codex = { ...holder, client: 'codex' } as const;
const gemini = { ...holder, client: 'gemini', place: { TMUX: '/tmp/tmux-1/default,1,0' } } as const;
const wake: WakeRecord = {
  ...{ client: 'codex', session: 's', idleSince: idle.activeAt, at: NOW - 5000, asked: 1 },
  ...{ result: 'queued', why: 'queued' },
};

function status(state: Partial<DoorbellState>, context: Partial<StatusContext> = {}) {
  const around = {
    mode: 'continue',
    tmux: false,
    unread: ['a', 'b'],
    now: NOW,
    isAlive: () => true,
  } as const;
  return sessionStatus({ ...idle, ...state }, { ...around, ...context });
}

describe('how a session stands', () => {
  it('is its client, whether it is at work, since when, and when it was last heard and told', () => {
    expect(status({ activity: 'busy' })).toEqual({
      session: {
        ...{ client: 'claude', activity: 'busy' },
        since: '2026-11-30T17:19:01.123Z',
        lastSeen: '2026-11-30T17:19:01.123Z',
      },
      announcedAt: '2026-11-30T17:18:11.123Z',
      unannounced: { letters: 1, why: 'at-work' },
    });
  });

  it('says nothing of letters that it was told of', () => {
    expect(status({}, { unread: ['a'] }).unannounced).toBeUndefined();
    expect(status({}, { unread: [] }).unannounced).toBeUndefined();
  });

  it('is over when its process is, and then it was told of nothing', () => {
    const over = status({ dialog: { what: 'x', since: 1 } }, { isAlive: () => false });
    expect(over.session?.activity).toBe('ended');
    expect(over.dialog).toBeUndefined();
    expect(over.unannounced).toEqual({ letters: 2, why: 'ended' });
  });

  it('shows what a person has to decide, cut and without secrets', () => {
    const what = `to allow curl -H "Authorization: Bearer ${'a1B2'.repeat(10)}" ${'x'.repeat(300)}`;
    const { dialog } = status({ dialog: { what, since: NOW - 180_000 } });
    expect(dialog?.since).toBe('2026-11-30T17:16:11.123Z');
    expect(dialog?.what).toContain('[redacted:');
    expect(dialog?.what.length).toBeLessThanOrEqual(200);
  });

  it.each<[string, Partial<DoorbellState>, Partial<StatusContext>]>([
    ['no-session', { holder: undefined }, {}],
    ['ended', {}, { isAlive: () => false }],
    ['dialog', { dialog: { what: 'x', since: 1 }, activity: 'busy' }, {}],
    ['at-work', { activity: 'busy' }, { mode: 'notify' }],
    ['notify', { waiter }, { mode: 'notify' }],
    ['rests', { continued: 3, waiter }, {}],
    ['waking', { waiter }, {}],
    ['waking', { continued: 3, activeAt: NOW - 31_000, waiter }, {}],
    ['nothing-wakes', {}, {}],
    ['nothing-wakes', {}, { wakes: { last: undefined } }],
    ['nothing-wakes', { holder: codex }, {}],
    ['waking', { holder: codex }, { wakes: { last: undefined } }],
    ['waking', { holder: codex }, { wakes: { last: wake } }],
    [
      'waking',
      { holder: codex },
      { wakes: { last: { ...wake, ...noWay('refused'), idleSince: 1 } } },
    ],
    ['not-woken', { holder: codex }, { wakes: { last: { ...wake, ...noWay('refused') } } }],
    ['nothing-wakes', { holder: gemini }, { wakes: { last: undefined } }],
    [
      'nothing-wakes',
      { holder: { ...gemini, place: {} } },
      { wakes: { last: undefined }, tmux: true },
    ],
    ['waking', { holder: gemini }, { wakes: { last: undefined }, tmux: true }],
    [
      'nothing-wakes',
      { holder: { ...gemini, client: 'claude' } },
      { wakes: { last: undefined }, tmux: true },
    ],
    ['rests', { holder: codex, continued: 3 }, { wakes: { last: wake } }],
    ['nothing-wakes', { waiter }, { isAlive: ({ pid }) => pid === process.pid }],
  ])('says why a letter was not announced: %s', (why, state, context) => {
    expect(status(state, context).unannounced?.why).toBe(why);
  });

  it('tells of the last wake of this idle time, and of no other', () => {
    const wakes = { last: wake };
    expect(status({ holder: codex }, { wakes }).wake).toEqual({
      ...{ at: '2026-11-30T17:19:06.123Z', result: 'queued', why: 'queued' },
    });
    expect(status({ holder: codex, activeAt: NOW }, { wakes }).wake).toBeUndefined();
    expect(status({}, { wakes }).wake).toBeUndefined();
    expect(status({ holder: codex }, { wakes, isAlive: () => false }).wake).toBeUndefined();
  });

  it('takes any number for a time, since the file is the agent’s', () => {
    expect(status({ activeAt: 1e300, toldAt: 8.64e15 + 1 }).announcedAt).toMatch(/^9999-/);
  });
});
