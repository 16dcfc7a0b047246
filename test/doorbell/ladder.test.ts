import { describe, expect, it } from 'vitest';
import { type Decision, decide, type Occasion } from '../../src/doorbell/decide.ts';
import type { Moment } from '../../src/doorbell/moment.ts';
import { type DoorbellState, type Holder, NO_STATE } from '../../src/doorbell/state.ts';

const START = 1_800_000_000_000;
const MINUTE = 60_000;

/** Events of one session, each with the time since its start. */
class Session {
  state: DoorbellState = NO_STATE;
  unread: string[] = [];
  mode: Occasion['mode'] = 'notify';
  id = 's';

  hears(moment: Moment, afterMs = 0): Decision['ring'] {
    const holder: Holder = { client: 'claude', session: this.id, heardAt: START, place: {} };
    const decision = decide(this.state, {
      signal: { moment, session: this.id, subagent: false },
      ...{ holder, unread: this.unread, mode: this.mode, now: START + afterMs },
    });
    this.state = decision.state;
    return decision.ring;
  }
}

function sessionWith(...unread: string[]): Session {
  const session = new Session();
  session.hears('start');
  session.unread = unread;
  return session;
}

describe('a session with letters that it does not handle', () => {
  it('hears of them four times in 75 minutes of work: at once, after 1, 5 and 30 minutes', () => {
    const session = sessionWith('a', 'b', 'c');
    const rings: [number, string][] = [];
    for (let second = 0; second <= 75 * 60; second += 5) {
      const ring = session.hears('tool', second * 1000);
      if (ring !== undefined) rings.push([second, `${ring.why} ${ring.ids.join('')}`]);
    }
    expect(rings).toEqual([
      [0, 'new abc'],
      [60, 'reminder abc'],
      [300, 'reminder abc'],
      [1800, 'reminder abc'],
    ]);
  });

  it('hears once of what it missed in a long pause, and no more for that', () => {
    const session = sessionWith('a');
    session.hears('tool');
    expect(session.hears('prompt', 20 * MINUTE)?.why).toBe('reminder');
    expect(session.hears('tool', 21 * MINUTE)).toBeUndefined();
    expect(session.hears('tool', 30 * MINUTE)?.why).toBe('reminder');
    expect(session.hears('tool', 300 * MINUTE)).toBeUndefined();
  });

  it('hears of a new one alone, and the ladder starts afresh', () => {
    const session = sessionWith('a');
    session.hears('tool');
    session.hears('tool', MINUTE);
    session.unread = ['a', 'b'];
    expect(session.hears('tool', 2 * MINUTE)).toEqual({ why: 'new', ids: ['b'] });
    expect(session.hears('tool', 2.5 * MINUTE)).toBeUndefined();
    expect(session.hears('tool', 3 * MINUTE)).toEqual({ why: 'reminder', ids: ['a', 'b'] });
  });

  it('hears nothing of what it has handled', () => {
    const session = sessionWith('a');
    session.hears('tool');
    session.unread = [];
    expect(session.hears('tool', MINUTE)).toBeUndefined();
  });

  it('hears of a letter that comes back under its old id', () => {
    const session = sessionWith('b');
    session.hears('tool');
    session.unread = ['a', 'b'];
    expect(session.hears('tool')?.ids).toEqual(['a']);
  });

  it('is offered all of them again when it starts anew, or another session takes over', () => {
    const session = sessionWith('a', 'b');
    session.hears('tool');
    expect(session.hears('start')).toEqual({ why: 'new', ids: ['a', 'b'] });
    session.id = 'another';
    expect(session.hears('tool')).toEqual({ why: 'new', ids: ['a', 'b'] });
  });

  it('keeps to it when the clock steps back', () => {
    const session = sessionWith('a');
    session.hears('tool', 60 * MINUTE);
    expect(session.hears('tool', 0)).toBeUndefined();
    expect(session.hears('tool', 61 * MINUTE)?.why).toBe('reminder');
  });

  it('hears nothing while a person has to decide, and then at once', () => {
    const session = sessionWith();
    session.hears('dialog');
    session.unread = ['a'];
    expect(session.hears('idle')).toBeUndefined();
    expect(session.hears('tool')?.why).toBe('new');
  });
});

describe('a session that is full of mail', () => {
  it('goes on three times in a row, and again when the person has said something', () => {
    const session = sessionWith();
    session.mode = 'continue';
    session.hears('prompt');
    const ends = () => {
      session.unread = [...session.unread, `${session.unread.length}`];
      return session.hears('turn-end') !== undefined;
    };
    expect([ends(), ends(), ends(), ends(), ends()]).toEqual([true, true, true, false, false]);
    session.hears('prompt');
    expect(ends()).toBe(true);
  });

  it('never goes on in mode notify, and hears with the next prompt', () => {
    const session = sessionWith('a');
    expect(session.hears('turn-end')).toBeUndefined();
    expect(session.hears('idle', 60 * MINUTE)).toBeUndefined();
    expect(session.hears('prompt', 60 * MINUTE)?.ids).toEqual(['a']);
  });

  it('rests for half a minute before mail wakes it once more', () => {
    const session = sessionWith();
    session.mode = 'continue';
    session.hears('prompt');
    for (let turn = 0; turn < 4; turn += 1) {
      session.unread = [...session.unread, `${turn}`];
      session.hears('turn-end', turn);
    }
    expect(session.hears('idle', 29_000)).toBeUndefined();
    expect(session.hears('idle', 31_000)?.ids).toEqual(['3']);
  });
});
