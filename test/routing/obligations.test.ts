import { describe, expect, it } from 'vitest';
import type { AgentId } from '../../src/protocol/addresses.ts';
import type { HiveEvent, LogRow } from '../../src/protocol/event.ts';
import type { Message } from '../../src/protocol/message.ts';
import { Obligations } from '../../src/routing/obligations.ts';
import { RoutingBench, type Written } from '../helpers/routing-bench.ts';

/** Who owes whom by the rows that a bench has logged, as `owes>to`. */
function owed(bench: RoutingBench): string[] {
  return obligationsOf(bench.rows)
    .open()
    .map(({ owes, to }) => `${owes}>${to}`);
}

function obligationsOf(rows: readonly LogRow[], most?: number): Obligations {
  const obligations = new Obligations({ most });
  for (const row of rows) obligations.note(row, 'god');
  return obligations;
}

/** A bench on which planner has asked coder for something. */
function asked(act: string, more: Written & object = {}) {
  const bench = new RoutingBench();
  const { id } = bench.send('planner', { to: 'coder', act, subject: 'Split', body: 'x', ...more });
  const answer = (given: string, fields: object = { in_reply_to: id }) =>
    bench.send('coder', { to: 'planner', act: given, body: 'x', ...fields });
  return { bench, id, answer };
}

function log(bench: RoutingBench, event: HiveEvent): void {
  const ts = new Date(bench.now).toISOString();
  bench.rows.push({ ...event, seq: bench.rows.length + 1, ts, epoch: 1 });
}

describe('who owes whom an answer', () => {
  it.each([
    ['request', 'inform'],
    ['request', 'refuse'],
    ['request', 'done'],
    ['query', 'inform'],
    ['query', 'agree'],
    ['query', 'refuse'],
    ['query', 'done'],
    ['propose', 'inform'],
    ['propose', 'agree'],
    ['propose', 'refuse'],
    ['propose', 'done'],
  ])('a %s is answered by %s', (act, given) => {
    const { bench, answer } = asked(act);
    expect(owed(bench)).toEqual(['coder>planner']);
    answer(given);
    expect(owed(bench)).toEqual([]);
  });
  it.each(['inform', 'agree', 'refuse', 'done'])('%s asks for none', (act) => {
    expect(owed(asked(act).bench)).toEqual([]);
  });
  it('tells what was asked, and since when', () => {
    const { bench, id } = asked('request', { conversation: 'c' });
    const since = new Date(bench.now).toISOString();
    const told = { id, conversation: 'c', act: 'request', subject: 'Split', since };
    expect(obligationsOf(bench.rows).open()).toEqual([{ ...told, owes: 'coder', to: 'planner' }]);
  });
  it('a request that is agreed to is a promise, and stays open until it is kept', () => {
    const { bench, answer } = asked('request');
    bench.wait(60_000);
    const agreedAt = new Date(bench.now).toISOString();
    answer('agree');
    expect(obligationsOf(bench.rows).open()).toMatchObject([{ owes: 'coder', agreedAt }]);
    answer('done');
    expect(owed(bench)).toEqual([]);
  });
  it('a counter-question leaves both owing', () => {
    const { bench, answer } = asked('request');
    answer('query');
    expect(owed(bench)).toEqual(['coder>planner', 'planner>coder']);
  });
  it('each of several who are asked owes its own answer', () => {
    const bench = new RoutingBench();
    const { id } = bench.send('planner', { to: ['coder', 'tester'], act: 'query', body: 'x' });
    bench.send('tester', { act: 'inform', body: 'x', in_reply_to: id });
    expect(owed(bench)).toEqual(['coder>planner']);
  });
  it('an answer that names nothing is to the latest that was asked there by whom it reaches', () => {
    const bench = new RoutingBench();
    const query = { to: 'coder', act: 'query', body: 'x', conversation: 'c' };
    bench.send('planner', query);
    bench.send('tester', query);
    const { id: latest } = bench.send('planner', query);
    bench.send('planner', { ...query, conversation: 'other' });
    bench.send('coder', { to: 'planner', act: 'inform', body: 'x', conversation: 'c' });
    const left = obligationsOf(bench.rows).open();
    expect(left.map(({ to, conversation }) => [to, conversation])).toEqual([
      ['planner', 'c'],
      ['tester', 'c'],
      ['planner', 'other'],
    ]);
    expect(left.map(({ id }) => id)).not.toContain(latest);
  });
  it('an answer to nothing that was asked settles nothing', () => {
    const { bench, answer } = asked('request', { conversation: 'c' });
    const { id: told } = bench.send('planner', { to: 'coder', act: 'inform', body: 'x' });
    answer('refuse', { in_reply_to: told, conversation: 'c' });
    bench.send('tester', { to: 'planner', act: 'done', body: 'x', conversation: 'c' });
    expect(owed(bench)).toEqual(['coder>planner']);
  });
  it('a letter moved to .done without an answer is still owed, and says so', () => {
    const { bench, id } = asked('request');
    bench.wait(1000);
    log(bench, { kind: 'handled', id, to: ['coder'] });
    const handledAt = new Date(bench.now).toISOString();
    expect(obligationsOf(bench.rows).open()).toMatchObject([{ owes: 'coder', handledAt }]);
  });
  it('what was refused, bounced or held asks nothing of anybody and answers nothing', () => {
    const { bench, id } = asked('request');
    bench.send('planner', { to: 'nobody', act: 'request', body: 'x' });
    bench.set('planner', { onHold: true });
    bench.send('coder', { act: 'done', body: 'x', in_reply_to: id });
    bench.send('coder', { to: 'planner', act: 'query', body: 'x' });
    expect(owed(bench)).toEqual(['coder>planner']);
  });
  it('what is released asks, or answers, from then on', () => {
    const { bench, id } = asked('request');
    bench.set('planner', { onHold: true });
    bench.send('coder', { act: 'done', body: 'x', in_reply_to: id });
    bench.send('tester', { to: 'planner', act: 'query', body: 'x' });
    const planner = 'planner' as AgentId;
    const releases = bench
      .held('planner')
      .map((message) => ({ holder: planner, message, byPerson: false }));
    bench.plan({ releases });
    expect(owed(bench)).toEqual(['planner>tester']);
  });
  it('a copy that comes late asks from then on, and answers no other question than its own', () => {
    const bench = new RoutingBench();
    const query = { to: 'coder', act: 'query', body: 'x', conversation: 'c' };
    bench.send('planner', query);
    bench.send('planner', query);
    bench.send('tester', query);
    const answer = bench.send('coder', {
      ...{ to: ['planner', 'tester'], act: 'inform', body: 'x', conversation: 'c' },
    });
    expect(owed(bench)).toEqual(['coder>planner']);
    const late = bench.rows.at(-1) as LogRow;
    late.delivered = ['planner'];
    late.owed = ['tester'];
    expect(owed(bench)).toEqual(['coder>planner', 'coder>tester']);
    const message = answer.copies.find(({ to }) => to === 'tester') as Message;
    const copy = { name: 'x', message, to: 'tester' as AgentId, place: 'inbox' as const };
    bench.plan({ deferred: [{ ...copy, expired: false }] });
    expect(owed(bench)).toEqual(['coder>planner']);
  });
  it('the copy of what goes to the person asks nothing of the orchestrator', () => {
    const bench = new RoutingBench();
    const { id } = bench.send('human', { to: 'coder', act: 'request', body: 'x' });
    bench.send('coder', { to: 'human', act: 'query', body: 'x', in_reply_to: id });
    expect(bench.inbox('god')).toHaveLength(1);
    expect(owed(bench)).toEqual(['coder>human', 'human>coder']);
  });
  it.each([
    ['the person', 'human'],
    ['the orchestrator', 'god'],
  ])('a question to the person is answered for both when %s answers it', (_, who) => {
    const bench = new RoutingBench();
    const [question] = bench.send('coder', { to: 'human', act: 'query', body: 'x' }).copies;
    expect(owed(bench)).toEqual(['god>coder']);
    bench.plan({ escalations: [question as Message] });
    expect(owed(bench)).toEqual(['god>coder', 'human>coder']);
    bench.send(who, { to: 'coder', act: 'inform', body: 'x', in_reply_to: question?.id });
    expect(owed(bench)).toEqual([]);
  });
  it('notices ask nothing, and answers to them settle nothing', () => {
    const bench = new RoutingBench();
    const [notice] = bench.send('coder', { to: 'nobody', act: 'request', body: 'x' }).notices;
    bench.send('planner', { to: 'coder', act: 'request', body: 'x', conversation: 'c' });
    bench.send('coder', { to: 'tester', act: 'done', body: 'x', in_reply_to: notice?.id });
    expect(owed(bench)).toEqual(['coder>planner']);
  });
  it('beyond the most that is kept, the oldest are given up and counted', () => {
    const bench = new RoutingBench();
    const subjects = ['a', 'b', 'c'];
    for (const subject of subjects) bench.send('planner', { to: 'coder', act: 'query', subject });
    const kept = obligationsOf(bench.rows, 2);
    expect(kept.open().map(({ subject }) => subject)).toEqual(['b', 'c']);
    expect(kept.forgotten).toBe(1);
  });
});
