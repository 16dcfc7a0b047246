import { describe, expect, it } from 'vitest';
import type { AgentId } from '../../src/protocol/addresses.ts';
import type { HiveEvent } from '../../src/protocol/event.ts';
import type { Message } from '../../src/protocol/message.ts';
import type { RoutingMemory } from '../../src/routing/memory.ts';
import { planBatch } from '../../src/routing/plan-batch.ts';
import {
  benchFor,
  drawFrom,
  drawManners,
  HABITS,
  letThemAnswer,
  pick,
} from '../helpers/answering-agents.ts';
import { RoutingBench } from '../helpers/routing-bench.ts';

const LETTER = { to: 'coder', act: 'request', subject: 'Split', body: 'In two.' };

/** What a memory has decided on letters, without the ids that were issued meanwhile. */
function decide(bench: RoutingBench, memory: RoutingMemory, letters: [string, object][]): unknown {
  const claims = letters.map(([sender, letter]) => bench.claim(sender, letter as never));
  const inputs = { claims, deferred: [], releases: [], escalations: [], strays: [] };
  const { plan } = planBatch(inputs, { ...bench.context(), memory });
  memory.rollback();
  const mine = new Map(claims.map(({ id }, place) => [id as string, `letter ${place}`]));
  return plan.rows.map((row: HiveEvent) => ({
    ...row,
    batch: '',
    id: row.id === undefined ? row.id : mine.get(row.id),
    of: mine.get(row.of ?? ''),
    conversation:
      mine.get(row.conversation ?? '') ?? (row.kind === 'notice' ? '' : row.conversation),
    in_reply_to: mine.get(row.in_reply_to ?? '') ?? row.in_reply_to,
  }));
}

/** Expects a router that was started anew to go on as the old one would. */
function expectSame(bench: RoutingBench, letters: [string, object][]): void {
  const before = decide(bench, bench.memory, letters);
  expect(decide(bench, bench.recalled(), letters)).toEqual(before);
}

describe('a router that was started anew', () => {
  it('knows hops, threads and who may reply to what', () => {
    const bench = new RoutingBench();
    const asked = bench.send('planner', { ...LETTER, conversation: 'c' });
    const reply = bench.send('coder', { act: 'query', body: 'x', in_reply_to: asked.id });
    expectSame(bench, [
      ['planner', { act: 'done', body: 'x', in_reply_to: reply.id }],
      ['planner', { act: 'done', body: 'x', to: 'coder', conversation: 'c' }],
      ['tester', { act: 'done', body: 'x', to: 'coder', in_reply_to: reply.id }],
    ]);
  });
  it('has the windows as they were, by the time in the ids and not by that of the rows', () => {
    const bench = new RoutingBench({ rules: { pairTurns: 5 } });
    for (let turn = 0; turn < 6; turn++) {
      const [from, to] = turn % 2 === 0 ? ['coder', 'tester'] : ['tester', 'coder'];
      bench.send(from as string, { ...LETTER, to });
    }
    expectSame(bench, [['coder', { ...LETTER, to: 'tester' }]]);
    for (const row of bench.rows) row.ts = '2020-01-01T00:00:00.000Z';
    expectSame(bench, [['coder', { ...LETTER, to: 'tester' }]]);
    bench.wait(600_000);
    expectSame(bench, [['coder', { ...LETTER, to: 'tester' }]]);
  });
  it('knows how many notices it sent in a row, and to whom it sends none', () => {
    const bench = new RoutingBench();
    for (let failures = 0; failures < 8; failures++) {
      bench.send('coder', { ...LETTER, to: 'nobody' });
      expectSame(bench, [['coder', { ...LETTER, to: 'nobody' }]]);
    }
    const reply = { act: 'agree', body: 'x', in_reply_to: bench.notices('coder')[0]?.id };
    bench.send('coder', { ...LETTER, to: 'tester' });
    expectSame(bench, [
      ['coder', reply],
      ['coder', reply],
    ]);
    bench.send('coder', reply);
    expectSame(bench, [['coder', reply]]);
  });
  it('does not count what it told of strays and of given-up copies as other than it did', () => {
    const bench = new RoutingBench();
    const [message] = bench.send('planner', LETTER).copies as [Message];
    const copy = { name: 'n', message, to: message.to, place: 'inbox' as const, expired: true };
    for (let count = 0; count < 4; count++) {
      bench.plan({ deferred: [copy] });
      bench.plan({ strays: [{ agent: 'planner' as AgentId, name: `${count}.txt`, kind: 'name' }] });
    }
    const failing = { ...LETTER, to: 'nobody' };
    expectSame(bench, [['planner', failing]]);
    bench.send('planner', failing);
    expectSame(bench, [['planner', failing]]);
  });
  it('does not tell of a loop again that it has told of', () => {
    const bench = new RoutingBench({ rules: { hopCap: 0, pairTurns: 1 } });
    const asked = bench.send('planner', { ...LETTER, conversation: 'c' });
    bench.send('coder', { act: 'done', body: 'x', in_reply_to: asked.id });
    for (let turn = 0; turn < 4; turn++) bench.send('coder', { ...LETTER, to: 'planner' });
    for (let turn = 0; turn < 4; turn++) bench.send('planner', LETTER);
    expect(bench.notices('god')).toHaveLength(2);
    const letters: [string, object][] = [
      ['coder', { act: 'done', body: 'x', in_reply_to: asked.id }],
      ['planner', LETTER],
      ['coder', { ...LETTER, to: 'planner' }],
    ];
    expectSame(bench, letters);
    bench.wait(601_000);
    expectSame(bench, letters);
  });
  it('knows whom a release or a late delivery has reached, besides those before', () => {
    const bench = new RoutingBench();
    bench.set('tester', { onHold: true });
    const sent = bench.send('planner', { ...LETTER, to: 'coder, tester', conversation: 'c' });
    const [message] = sent.held as [Message];
    bench.plan({ releases: [{ holder: 'tester' as AgentId, message, byPerson: true }] });
    const [first] = sent.copies as [Message];
    const late = {
      name: 'n',
      message: first,
      to: first.to,
      place: 'inbox' as const,
      expired: false,
    };
    bench.plan({ deferred: [late] });
    expectSame(bench, [
      ['coder', { act: 'done', body: 'x', in_reply_to: sent.id }],
      ['tester', { act: 'done', body: 'x', in_reply_to: sent.id }],
      ['tester', { act: 'done', body: 'x', to: 'planner', conversation: 'c' }],
    ]);
  });
  it('goes by the copies that were owed when it was logged as if they had arrived', () => {
    const bench = new RoutingBench();
    const sent = bench.send('planner', LETTER);
    const row = bench.rows.find(({ kind }) => kind === 'letter');
    if (row !== undefined) {
      Object.assign(row, { outcome: 'held', code: 'owed', delivered: [], owed: ['coder'] });
    }
    expectSame(bench, [['coder', { act: 'done', body: 'x', in_reply_to: sent.id }]]);
  });
  it('passes over rows that tell of no mail', () => {
    const bench = new RoutingBench();
    bench.send('planner', LETTER);
    const row = { seq: 1, ts: '2026-11-30T12:00:00.000Z', epoch: 1 };
    for (const kind of ['router', 'roster', 'warning', 'letter', 'notice', 'release'] as const) {
      bench.rows.push({ ...row, kind });
    }
    expectSame(bench, [['coder', { ...LETTER, to: 'planner' }]]);
  });
});

describe('a router that was started anew in the middle of any traffic', () => {
  const rules = { hopCap: 3, pairTurns: 4, agentTurns: 9, conversationCopies: 40, broadcasts: 2 };

  it.each(Array.from({ length: 25 }, (_, seed) => seed))(
    'decides as the old one would (%i)',
    (seed) => {
      const draw = drawFrom(1000 + seed);
      const manners = drawManners(draw, 2 + draw(6));
      const bench = benchFor(manners);
      bench.rules = { ...bench.rules, ...rules };
      letThemAnswer(manners, { draw, bench, mostSteps: 20 + draw(300) });
      const ids = bench.rows.flatMap(({ id }) => id ?? []);
      const agents = manners.map(({ id }) => id);
      const letters = Array.from({ length: 40 }, (): [string, object] => {
        const fields = [{ conversation: 'c' }, { in_reply_to: pick(draw, ids) }, {}];
        const act = pick(draw, HABITS.act.slice(0, -1));
        const to = pick(draw, [...agents, 'broadcast', 'nobody', agents]);
        return [pick(draw, agents), { to, act, body: 'x', ...pick(draw, fields) }];
      });
      expectSame(bench, letters);
      for (const letter of letters.slice(0, 6)) expectSame(bench, [letter]);
    },
  );
});
