import { describe, expect, it } from 'vitest';
import type { RoutingRules } from '../../src/routing/rules.ts';
import {
  benchFor,
  type Course,
  drawFrom,
  drawManners,
  HABITS,
  letThemAnswer,
  type Manner,
} from '../helpers/answering-agents.ts';
import { DEFAULT_RULES, RoutingBench, type Sent, type Written } from '../helpers/routing-bench.ts';

/** Rules under which the traffic of many agents ends within what a test can wait for. */
const TIGHT = { hopCap: 4, pairTurns: 4, agentTurns: 8, conversationCopies: 60, broadcasts: 2 };
const MOST_STEPS = 10_000;

/** @param roster - the agents of the hive, where some of them write nothing */
function run(
  manners: readonly Manner[],
  seed: number,
  rules: Partial<RoutingRules> = {},
  roster: readonly { id: string }[] = manners,
): Course {
  const bench = benchFor(roster);
  bench.rules = { ...bench.rules, ...rules };
  return letThemAnswer(manners, { draw: drawFrom(seed), mostSteps: MOST_STEPS, bench });
}

/**
 * Letters that no hops bound and that can reach someone within a window: what each agent begins with,
 * the turns, the broadcasts; and as many again for each letter more than one that answers one.
 */
function mostRoots(manners: readonly Manner[], rules: RoutingRules): number {
  const agents = manners.length;
  const pairs = (agents * (agents - 1)) / 2;
  const turns = pairs * rules.pairTurns + agents * rules.agentTurns;
  const letters = Math.max(...manners.map((manner) => manner.letters));
  return letters * (agents + turns + agents * rules.broadcasts);
}

/** Copies that can reach someone within a window, whatever the agents do. */
function mostDeliveries(manners: readonly Manner[], rules: RoutingRules): number {
  const isPlain = manners.every(
    ({ letters, target }) => letters === 1 && (target === 'sender' || target === 'another'),
  );
  const perRoot = isPlain ? rules.hopCap + 1 : rules.conversationCopies;
  return mostRoots(manners, rules) * perRoot;
}

describe('agents that answer everything, each in its own manner', () => {
  it.each(Array.from({ length: 16 }, (_, seed) => seed))(
    'come to an end by themselves (%i)',
    (seed) => {
      const draw = drawFrom(seed);
      const manners = drawManners(draw, 2 + draw(19));
      const course = run(manners, seed, TIGHT);
      expect(course.ended).toBe(true);
      expect(course.deliveries).toBeLessThan(
        mostDeliveries(manners, { ...DEFAULT_RULES, ...TIGHT }),
      );
    },
  );
  it.each(Array.from({ length: 6 }, (_, seed) => seed))(
    'come to an end under the default rules too (%i)',
    (seed) => {
      const draw = drawFrom(500 + seed);
      const manners = drawManners(draw, 2 + draw(3)).map((manner) => ({ ...manner, letters: 1 }));
      const course = run(manners, seed);
      expect(course.ended).toBe(true);
      expect(course.deliveries).toBeLessThan(mostDeliveries(manners, DEFAULT_RULES));
    },
  );
});

const PLAIN: Omit<Manner, 'id'> = {
  fields: 'both',
  target: 'sender',
  act: 'any',
  notices: 'same as letters',
  letters: 1,
};

function agents(count: number, manner: Partial<Manner>): Manner[] {
  return Array.from({ length: count }, (_, place) => ({
    ...PLAIN,
    ...manner,
    id: place === 0 ? 'god' : `a${place}`,
  }));
}

describe('two agents that answer everything, notices included', () => {
  for (const fields of HABITS.fields) {
    for (const act of HABITS.act) {
      it(`come to an end: ${fields}, ${act}`, () => {
        const manners = agents(3, { fields, act }).slice(1);
        const course = run(manners, 1, {}, [...manners, { id: 'god' }]);
        expect(course.ended).toBe(true);
        // Turns with each other, turns because of notices, and two threads as deep as they may be.
        expect(course.deliveries).toBeLessThanOrEqual(40 + 40 + 2 * 13);
        expect(course.notices).toBeLessThan(40);
        const told = course.bench.notices('god').filter(({ hops }) => hops === 0);
        expect(told.length).toBeLessThanOrEqual(2);
      });
    }
  }
});

describe('twenty agents', () => {
  for (const fields of HABITS.fields) {
    it(`that answer a broadcast with broadcasts make no storm: ${fields}`, () => {
      const manners = agents(20, { fields, target: 'broadcast' });
      const course = run(manners, 1, { broadcasts: 2 });
      expect(course.ended).toBe(true);
      expect(course.deliveries).toBeLessThanOrEqual(20 + 20 * 2 * 19);
    });
  }
  it('with an orchestrator that answers all of them with a request come to an end', () => {
    const manners = agents(20, { act: 'done' }).map((manner) =>
      manner.id === 'god' ? { ...manner, act: 'request' as const } : manner,
    );
    const course = run(manners, 1);
    expect(course.ended).toBe(true);
    expect(course.deliveries).toBeLessThan(mostRoots(manners, DEFAULT_RULES));
  });
});

describe('five agents that answer by name to everyone', () => {
  for (const fields of HABITS.fields) {
    it(`come to an end: ${fields}`, () => {
      const manners = agents(5, { fields, target: 'everyone by name', act: 'query' });
      const course = run(manners, 1, { conversationCopies: 200 });
      expect(course.ended).toBe(true);
      // Ten pairs, each with the turns between the two and those that notices cause; four copies each.
      expect(course.deliveries).toBeLessThan(10 * 2 * DEFAULT_RULES.pairTurns * 4);
    });
  }
});

/** Sends a letter that has to arrive at once. */
function arrives(bench: RoutingBench, sender: string, written: Written): Sent {
  const sent = bench.send(sender, written);
  expect(sent.row).toMatchObject({ outcome: 'delivered', code: 'delivered' });
  return sent;
}

const WORKERS = ['w1', 'w2', 'w3', 'w4', 'w5'];

describe('ordinary work loses nothing', () => {
  const hive = () => new RoutingBench({ agents: ['god', ...WORKERS] });

  for (const style of ['threaded', 'conversation', 'neither'] as const) {
    it(`when the orchestrator hands out twenty jobs to each of five in no time: ${style}`, () => {
      const bench = hive();
      const last = new Map<string, string>();
      for (let job = 0; job < 20; job++) {
        for (const worker of WORKERS) {
          const conversation = style === 'neither' ? {} : { conversation: `work-${worker}` };
          const named = (id: string | undefined) =>
            style === 'threaded' && id !== undefined ? { in_reply_to: id } : {};
          const text = { body: `Job ${job}.`, ...conversation };
          const request = { to: worker, act: 'request', ...text, ...named(last.get(worker)) };
          const { id } = arrives(bench, 'god', request);
          if (style !== 'neither')
            arrives(bench, worker, { to: 'god', act: 'agree', ...text, ...named(id) });
          const done = arrives(bench, worker, { to: 'god', act: 'done', ...text, ...named(id) });
          last.set(worker, done.id);
        }
      }
    });
  }
  it('when five agents report thirty times each in one conversation', () => {
    for (const named of [true, false]) {
      const bench = hive();
      const all = { to: WORKERS, act: 'request', body: 'x', conversation: 'c' };
      const { id } = arrives(bench, 'god', all);
      for (let report = 0; report < 30; report++) {
        for (const worker of WORKERS) {
          const inReplyTo = named ? { in_reply_to: id } : {};
          arrives(bench, worker, {
            to: 'god',
            act: 'inform',
            body: 'x',
            conversation: 'c',
            ...inReplyTo,
          });
        }
      }
    }
  });
  it('when five agents debate proposals in one thread', () => {
    const bench = hive();
    let round = WORKERS.map((worker) => {
      const others = WORKERS.filter((other) => other !== worker);
      return arrives(bench, worker, { to: others, act: 'propose', body: 'x', conversation: 'c' });
    });
    for (let depth = 0; depth < 2; depth++) {
      round = round.flatMap(({ copies }) =>
        copies.map(({ id, to, from }) => {
          const letter = { to: from, act: depth === 0 ? 'propose' : 'refuse', body: 'x' };
          return arrives(bench, to, { ...letter, in_reply_to: id });
        }),
      );
    }
    expect(round).toHaveLength(20);
  });
  it('when the person talks with the orchestrator without a pause', () => {
    const bench = hive();
    for (let turn = 0; turn < 100; turn++) {
      arrives(bench, 'human', { to: 'god', act: 'query', body: 'x' });
      arrives(bench, 'w1', { to: 'god', act: 'inform', body: 'x' });
      arrives(bench, 'god', { to: 'human', act: 'inform', body: 'x' });
    }
  });
  it('on a day of mixed work at the pace of language models', () => {
    const bench = hive();
    const draw = drawFrom(7);
    for (let minute = 0; minute < 480; minute++) {
      bench.wait(60_000);
      for (const worker of WORKERS.filter(() => draw(3) === 0)) {
        const conversation = `task-${worker}-${Math.floor(minute / 30)}`;
        const { id } = arrives(bench, 'god', {
          to: worker,
          act: 'request',
          body: 'x',
          conversation,
        });
        arrives(bench, worker, { act: 'agree', body: 'x', in_reply_to: id });
        const peer = WORKERS[draw(5)] as string;
        if (peer !== worker) {
          arrives(bench, worker, { to: peer, act: 'query', body: 'x' });
          arrives(bench, peer, { to: worker, act: 'inform', body: 'x' });
        }
        arrives(bench, worker, { act: 'done', body: 'x', in_reply_to: id });
      }
      if (minute % 60 === 0) arrives(bench, 'god', { to: 'broadcast', act: 'inform', body: 'x' });
    }
  });
});
