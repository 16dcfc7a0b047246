import { describe, expect, it } from 'vitest';
import type { AgentId } from '../../src/protocol/addresses.ts';
import type { Message } from '../../src/protocol/message.ts';
import type { DeferredCopy } from '../../src/routing/inputs.ts';
import { RoutingBench } from '../helpers/routing-bench.ts';

const LETTER = { to: 'coder', act: 'request', subject: 'Split', body: 'In two.' };

function deferred(message: Message, more: Partial<DeferredCopy> = {}): DeferredCopy {
  const { to } = message;
  const name = `batch~${message.id}~${to}~inbox`;
  return { name, message, to, place: 'inbox', expired: false, ...more };
}

/** A bench, and a message that was delivered to coder. */
function withMessage(from = 'planner') {
  const bench = new RoutingBench();
  const [message] = bench.send(from, LETTER).copies as [Message];
  return { bench, message };
}

describe('a copy that was owed', () => {
  it('is delivered as it was, under its old id, and is an event of its own', () => {
    const { bench, message } = withMessage();
    const { plan } = bench.plan({ deferred: [deferred(message)] });
    expect(bench.inbox('coder')).toEqual([message, message]);
    expect(plan.moves).toEqual([{ from: 'deferred', name: deferred(message).name }]);
    expect(plan.rows).toMatchObject([{ kind: 'late', id: message.id, delivered: ['coder'] }]);
    expect(plan.records).toEqual([]);
  });
  it('for held/ stays held', () => {
    const { bench, message } = withMessage();
    const copy = deferred(message, { place: 'held' });
    const { plan } = bench.plan({ deferred: [copy] });
    expect(plan.rows).toMatchObject([{ kind: 'late', held: ['coder'] }]);
    expect(bench.held('coder')).toHaveLength(1);
  });
  it('can be replied to, also when the router has forgotten it', () => {
    const { message } = withMessage();
    const bench = new RoutingBench();
    bench.plan({ deferred: [deferred(message)] });
    const reply = bench.send('coder', { act: 'done', body: 'x', in_reply_to: message.id });
    expect(reply.copies).toMatchObject([{ to: 'planner', hops: 1 }]);
  });
});

describe('a copy that is given up', () => {
  it('goes into held/, and its sender is told', () => {
    const { bench, message } = withMessage();
    const { plan } = bench.plan({ deferred: [deferred(message, { expired: true })] });
    expect(plan.rows).toMatchObject([
      { kind: 'expired', id: message.id, code: 'undeliverable', held: ['coder'] },
      { kind: 'notice', of: message.id, delivered: ['planner'] },
    ]);
    expect(bench.held('coder')).toMatchObject([
      { id: message.id, held: { code: 'undeliverable' } },
    ]);
    expect(bench.notices('planner')).toMatchObject([
      { subject: 'held: undeliverable: to coder: Split', in_reply_to: message.id },
    ]);
    expect(bench.notices('planner')[0]?.body).toContain(`hivemail release ${message.id}`);
  });
  it('of a broadcast to three agents gives three notices that can be told apart', () => {
    const bench = new RoutingBench();
    const { copies } = bench.send('planner', { ...LETTER, to: 'broadcast' });
    bench.plan({ deferred: copies.map((message) => deferred(message, { expired: true })) });
    const notices = bench.notices('planner');
    expect(new Set(notices.map(({ id }) => id)).size).toBe(3);
    expect(notices.map(({ subject }) => subject)).toEqual(
      ['god', 'coder', 'tester'].map((to) => `held: undeliverable: to ${to}: Split`),
    );
  });
  it('that was a notice, or whose sender has left, tells nobody', () => {
    const { bench, message } = withMessage('gone');
    const [notice] = bench.send('coder', { ...LETTER, to: 'nobody' }).notices as [Message];
    for (const each of [message, notice]) {
      const { plan } = bench.plan({ deferred: [deferred(each, { expired: true })] });
      expect(plan.rows.map(({ kind }) => kind)).toEqual(['expired']);
    }
  });
});

describe('a release', () => {
  const held = () => {
    const bench = new RoutingBench({ rules: { hopCap: 0 } });
    const asked = bench.send('planner', LETTER);
    const reply = { act: 'query', body: 'x', in_reply_to: asked.id };
    const [message] = bench.send('coder', reply).held as [Message];
    return { bench, message, holder: 'planner' as AgentId };
  };
  it('by a person delivers at hops 0, and no trace of having been held', () => {
    const { bench, message, holder } = held();
    expect(message).toMatchObject({ hops: 1, held: { code: 'hop-cap' } });
    const { plan } = bench.plan({ releases: [{ holder, message, byPerson: true }] });
    expect(plan.rows).toMatchObject([
      { kind: 'release', id: message.id, hops: 0, delivered: ['planner'] },
    ]);
    expect(plan.moves).toEqual([{ from: 'held', holder, id: message.id }]);
    const { held: _, ...plain } = message;
    expect(bench.inbox('planner').at(-1)).toEqual({ ...plain, hops: 0 });
  });
  it('lets the recipient reply, one hop deeper', () => {
    const { bench, message, holder } = held();
    const reply = { act: 'done', body: 'x', in_reply_to: message.id };
    expect(bench.send('planner', { ...reply, to: 'coder' }).row.repairs).toEqual([
      'unknown-parent',
    ]);
    bench.plan({ releases: [{ holder, message, byPerson: true }] });
    bench.rules = { ...bench.rules, hopCap: 12 };
    expect(bench.send('planner', reply).copies).toMatchObject([{ to: 'coder', hops: 1 }]);
  });
  it('at the end of a hold leaves the hops as they were', () => {
    const { bench, message, holder } = held();
    bench.plan({ releases: [{ holder, message, byPerson: false }] });
    expect(bench.inbox('planner').at(-1)?.hops).toBe(1);
  });
  it('asked for twice in one batch delivers once, and the person’s word counts', () => {
    const { bench, message, holder } = held();
    const releases = [false, true, false].map((byPerson) => ({ holder, message, byPerson }));
    const { plan } = bench.plan({ releases });
    expect(plan.copies).toHaveLength(1);
    expect(plan.rows).toMatchObject([{ kind: 'release', hops: 0 }]);
  });
  it('to one recipient leaves the others able to reply', () => {
    const bench = new RoutingBench();
    bench.set('tester', { onHold: true });
    const sent = bench.send('planner', { ...LETTER, to: 'coder, tester', conversation: 'c' });
    const [message] = sent.held as [Message];
    bench.plan({ releases: [{ holder: 'tester' as AgentId, message, byPerson: false }] });
    for (const agent of ['coder', 'tester']) {
      const reply = bench.send(agent, { act: 'done', body: 'x', in_reply_to: sent.id });
      expect(reply.copies, agent).toMatchObject([{ to: 'planner', hops: 1 }]);
    }
  });
});
