import { describe, expect, it } from 'vitest';
import { RoutingBench } from '../helpers/routing-bench.ts';

const MINUTE = 60_000;

/** A letter that names neither a parent nor a conversation. */
function bare(to: string | string[], act = 'inform') {
  return { to, act, body: 'x' };
}

/** Lets senders write in turn, each to its partner; returns how many letters arrived before one was held. */
function alternate(bench: RoutingBench, ways: readonly (readonly [string, string])[]): number {
  for (let sent = 0; sent < 300; sent++) {
    const [from, to] = ways[sent % ways.length] as [string, string];
    const { row } = bench.send(from, bare(to));
    if (row.code === 'loop-window') return sent;
    expect(row.code).toBe('delivered');
  }
  return Number.POSITIVE_INFINITY;
}

describe('turns between two agents', () => {
  it('are bounded when their letters name nothing', () => {
    const bench = new RoutingBench();
    // The first is no turn, since nothing came before it.
    expect(
      alternate(bench, [
        ['coder', 'tester'],
        ['tester', 'coder'],
      ]),
    ).toBe(41);
  });
  it('have room again when the window has passed', () => {
    const bench = new RoutingBench();
    alternate(bench, [
      ['coder', 'tester'],
      ['tester', 'coder'],
    ]);
    bench.wait(10 * MINUTE);
    expect(
      alternate(bench, [
        ['coder', 'tester'],
        ['tester', 'coder'],
      ]),
    ).toBeGreaterThanOrEqual(40);
  });
  it('are not used up by one agent that reports unasked, however often', () => {
    const bench = new RoutingBench();
    bench.send('god', bare('coder', 'request'));
    for (let left = 200; left > 0; left--) {
      expect(bench.send('coder', bare('god')).row.code).toBe('delivered');
    }
  });
  it('are used up as fast by agents that write two letters for each they get', () => {
    const bench = new RoutingBench();
    bench.send('coder', bare('tester'));
    let arrived = 0;
    for (let round = 0; round < 100; round++) {
      const [from, to] = round % 2 === 0 ? ['tester', 'coder'] : ['coder', 'tester'];
      for (let left = 2; left > 0; left--) {
        if (bench.send(from as string, bare(to as string)).copies.length > 0) arrived += 1;
      }
    }
    expect(arrived).toBeLessThanOrEqual(80);
  });
  it('are used up by replies to one and the same letter again and again', () => {
    const bench = new RoutingBench();
    const root = bench.send('planner', bare('coder', 'request'));
    let arrived = 0;
    for (let round = 0; round < 200; round++) {
      const back = bench.send('coder', { act: 'inform', in_reply_to: root.id, body: 'x' });
      const on = bench.send('planner', {
        to: 'coder',
        act: 'inform',
        in_reply_to: root.id,
        body: 'x',
      });
      arrived += back.copies.length + on.copies.length;
    }
    expect(arrived).toBeLessThanOrEqual(41);
  });
  it('are used up by corrections of letters of one’s own, deep in a thread', () => {
    const bench = new RoutingBench();
    const asked = bench.send('planner', bare('coder', 'request'));
    let own = bench.send('coder', { act: 'query', in_reply_to: asked.id, body: 'x' });
    let arrived = 0;
    for (let round = 0; round < 200; round++) {
      bench.send('planner', { act: 'inform', in_reply_to: own.id, body: 'x' });
      const next = bench.send('coder', {
        to: 'planner',
        act: 'query',
        in_reply_to: own.id,
        body: 'x',
      });
      if (next.copies.length > 0) own = next;
      arrived += next.copies.length;
    }
    expect(arrived).toBeLessThanOrEqual(41);
  });
  it('are used up by what is written because of notices, also in reply to them', () => {
    for (const named of [true, false]) {
      const bench = new RoutingBench({ rules: { pairTurns: 3 } });
      const codes = Array.from({ length: 5 }, () => {
        const [notice] = bench.send('coder', bare('nobody')).notices;
        const inReplyTo = named ? { in_reply_to: notice?.id } : {};
        return bench.send('coder', { ...bare('tester'), ...inReplyTo }).row.code;
      });
      expect(codes).toEqual([...Array<string>(3).fill('delivered'), 'loop-window', 'loop-window']);
    }
  });
  it('do not count what a held letter would have answered as answered', () => {
    const bench = new RoutingBench();
    alternate(bench, [
      ['coder', 'tester'],
      ['tester', 'coder'],
    ]);
    for (let left = 20; left > 0; left--) {
      expect(bench.send('tester', bare('coder')).row.code).toBe('loop-window');
    }
  });
  it('leave out the person, and what the person had to say', () => {
    const bench = new RoutingBench();
    expect(
      alternate(bench, [
        ['human', 'coder'],
        ['coder', 'god'],
      ]),
    ).toBe(Number.POSITIVE_INFINITY);
    expect(
      alternate(bench, [
        ['human', 'god'],
        ['god', 'human'],
      ]),
    ).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('turns among more than two agents', () => {
  it('are bounded in a ring of three', () => {
    const bench = new RoutingBench();
    const ring = [
      ['planner', 'coder'],
      ['coder', 'tester'],
      ['tester', 'planner'],
    ] as const;
    expect(alternate(bench, ring)).toBe(41);
  });
  it('are bounded in a ring of any length, for each neighbourhood of three', () => {
    const agents = ['god', ...Array.from({ length: 6 }, (_, place) => `a${place}`)];
    const bench = new RoutingBench({ agents, orchestrator: 'god' });
    const ring = agents.map((from, place) => [from, agents[(place + 1) % 7] as string] as const);
    expect(alternate(bench, ring)).toBeLessThanOrEqual(7 * 40 + 1);
  });
  it('are bounded for an agent that answers somebody else each time', () => {
    const agents = Array.from({ length: 30 }, (_, place) => `a${place}`);
    const bench = new RoutingBench({ agents, orchestrator: undefined, rules: { agentTurns: 50 } });
    let passedOn = 0;
    for (let round = 0; round < 100; round++) {
      bench.send('a1', bare('a0', 'query'));
      passedOn += bench.send('a0', bare(`a${2 + (round % 28)}`)).copies.length;
    }
    expect(passedOn).toBe(50);
  });
  it('of a hub that answers each by turns are bounded for each pair alone', () => {
    const agents = ['god', ...Array.from({ length: 20 }, (_, place) => `a${place}`)];
    const bench = new RoutingBench({ agents, rules: { agentTurns: 10 } });
    for (let round = 0; round < 20; round++) {
      for (const agent of agents.slice(1)) {
        expect(bench.send(agent, bare('god', 'done')).row.code).toBe('delivered');
        expect(bench.send('god', bare(agent, 'request')).row.code).toBe('delivered');
      }
    }
  });
});

describe('copies in a conversation', () => {
  it('are bounded, whoever writes, and other conversations have room', () => {
    const bench = new RoutingBench({ rules: { conversationCopies: 6 } });
    const letter = { to: ['god', 'coder', 'tester'], act: 'inform', body: 'x', conversation: 'c' };
    expect(bench.send('planner', letter).row.code).toBe('delivered');
    expect(bench.send('planner', letter).row.code).toBe('delivered');
    expect(bench.send('planner', letter).row.code).toBe('loop-window');
    expect(bench.send('planner', { ...letter, conversation: 'd' }).row.code).toBe('delivered');
    expect(bench.send('human', letter).row.code).toBe('delivered');
  });
  it('are bounded for a thread whose every letter gives it another name', () => {
    const agents = ['a0', 'a1', 'a2', 'a3', 'a4'];
    const rules = { conversationCopies: 50 };
    const bench = new RoutingBench({ agents, orchestrator: undefined, rules });
    let arrived = 0;
    let waiting = bench.send('a0', bare(agents.slice(1), 'query')).copies;
    for (let round = 0; round < 6; round++) {
      waiting = waiting.flatMap(({ id, to }) => {
        const others = agents.filter((agent) => agent !== to);
        const letter = { to: others, act: 'query', in_reply_to: id, conversation: `c-${to}-${id}` };
        return bench.send(to, { ...letter, body: 'x' }).copies;
      });
      arrived += waiting.length;
    }
    expect(arrived).toBeLessThanOrEqual(50);
  });
});

describe('broadcasts', () => {
  it('of one agent are six in ten minutes, and those of others are not counted with them', () => {
    const bench = new RoutingBench();
    const codes = (agent: string) => bench.send(agent, bare('broadcast')).row.code;
    expect(Array.from({ length: 7 }, () => codes('coder'))).toEqual([
      ...Array<string>(6).fill('delivered'),
      'loop-window',
    ]);
    expect(codes('tester')).toBe('delivered');
    bench.wait(10 * MINUTE);
    expect(codes('coder')).toBe('delivered');
  });
  it('of the person are not bounded', () => {
    const bench = new RoutingBench();
    for (let left = 20; left > 0; left--) {
      expect(bench.send('human', bare('all')).row.code).toBe('delivered');
    }
  });
});
