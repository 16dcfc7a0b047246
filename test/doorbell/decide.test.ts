import { describe, expect, it } from 'vitest';
import { type Decision, decide, type Occasion } from '../../src/doorbell/decide.ts';
import type { Moment, Signal } from '../../src/doorbell/moment.ts';
import { type DoorbellState, type Holder, NO_STATE } from '../../src/doorbell/state.ts';

const START = 1_800_000_000_000;
const SECOND = 1000;
const SESSION: Holder = { client: 'gemini', session: 's', heardAt: START, place: {} };

/** A session in a chain of events; each call is one event, and gives what is told. */
class Session {
  state: DoorbellState = NO_STATE;
  unread: string[] = [];
  mode: Occasion['mode'] = 'continue';
  now = START;

  hears(moment: Moment, signal: Partial<Signal> = {}): Decision['ring'] {
    const { unread, mode, now, state } = this;
    const full: Signal = { moment, session: 's', subagent: false, ...signal };
    const decision = decide(state, { signal: full, holder: SESSION, unread, mode, now });
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

describe('decide', () => {
  it('tells nothing at the tools of a subagent that looks like the session, but after it', () => {
    const session = sessionWith();
    session.hears('prompt');
    session.hears('tool', { helper: 'begins', deaf: true });
    session.hears('tool', { helper: 'begins', deaf: true });
    session.unread = ['a'];
    expect(session.hears('tool')).toBeUndefined();
    expect(session.hears('tool', { helper: 'ends' })).toBeUndefined();
    expect(session.hears('tool', { helper: 'ends' })).toEqual({ why: 'new', ids: ['a'] });
  });

  it('forgets a subagent of which no end was told with the turn', () => {
    const session = sessionWith();
    session.hears('tool', { helper: 'begins', deaf: true });
    session.hears('turn-end');
    session.hears('prompt');
    session.unread = ['a'];
    expect(session.hears('tool')).toEqual({ why: 'new', ids: ['a'] });
  });

  it('offers again after a compaction in the middle of a turn, without taking the session for idle', () => {
    const session = sessionWith('a');
    session.hears('prompt');
    expect(session.hears('start', { goesOn: true })).toEqual({ why: 'new', ids: ['a'] });
    expect(session.state.activity).toBe('busy');
    session.hears('start');
    expect(session.state.activity).toBe('idle');
  });

  it('tells at the prompt of a wake what is new, and makes the session busy', () => {
    const session = sessionWith('a');
    expect(session.hears('prompt', { wake: true })).toEqual({ why: 'new', ids: ['a'] });
    expect(session.state.activity).toBe('busy');
  });

  it('leaves a session as it was when a wake has nothing to tell', () => {
    const session = sessionWith('a');
    session.hears('prompt');
    session.hears('turn-end');
    const before = session.state;
    expect(session.hears('prompt', { wake: true })).toBeUndefined();
    expect(session.state).toEqual(before);
  });

  it('does not take a wake for the person, so that turns that go on for mail stay counted', () => {
    const session = sessionWith('a');
    session.hears('prompt');
    session.unread.push('b');
    session.hears('turn-end');
    session.hears('turn-end');
    expect(session.state.continued).toBe(1);
    session.unread.push('c');
    session.hears('prompt', { wake: true });
    expect(session.state.continued).toBe(1);
    session.hears('turn-end');
    session.hears('prompt');
    expect(session.state.continued).toBe(0);
  });

  it('lets a session that the person has interrupted rest before mail wakes it', () => {
    const session = sessionWith();
    session.hears('prompt');
    session.hears('turn-end', { deaf: true });
    session.unread = ['a'];
    session.now += 29 * SECOND;
    expect(session.hears('idle')).toBeUndefined();
    session.now += SECOND;
    expect(session.hears('idle')).toEqual({ why: 'new', ids: ['a'] });
  });
});
