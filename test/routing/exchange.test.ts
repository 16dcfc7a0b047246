import { describe, expect, it } from 'vitest';
import { placeInExchange } from '../../src/routing/exchange.ts';
import type { Claim } from '../../src/routing/inputs.ts';
import type { KnownMessage } from '../../src/routing/memory.ts';
import { RoutingBench, type Written } from '../helpers/routing-bench.ts';

/** Where a letter would stand that is written now. */
function place(bench: RoutingBench, sender: string, written: Written, more: Partial<Claim> = {}) {
  const claim = bench.claim(sender, { body: 'x', ...(written as object) }, more);
  if (!claim.parsed.ok) throw new Error('The letter does not parse.');
  return { claim, ...placeInExchange(claim, claim.parsed.letter, bench.context()) };
}

function parent(more: Partial<KnownMessage> = {}): KnownMessage {
  return {
    id: 'foreign-1',
    conversation: 'old',
    act: 'request',
    hops: 4,
    from: 'planner',
    to: ['coder'],
    broadcast: false,
    ...more,
  };
}

describe('a letter that names no parent', () => {
  it('begins an exchange of its own at hops 0', () => {
    const { hops, conversation, claim, unknownParent } = place(new RoutingBench(), 'coder', {
      to: 'planner',
      act: 'inform',
    });
    expect({ hops, conversation, unknownParent }).toEqual({
      hops: 0,
      conversation: claim.id,
      unknownParent: false,
    });
  });
  it('is one hop deeper than the latest letter of its conversation that its sender got', () => {
    const bench = new RoutingBench();
    bench.send('planner', { to: 'coder', act: 'request', conversation: 'c', body: 'x' });
    expect(place(bench, 'coder', { to: 'tester', act: 'query', conversation: 'c' }).hops).toBe(1);
    expect(place(bench, 'tester', { to: 'coder', act: 'query', conversation: 'c' }).hops).toBe(0);
    expect(place(bench, 'coder', { to: 'tester', act: 'query', conversation: 'd' }).hops).toBe(0);
  });
  it('begins anew when its sender has written in the conversation since', () => {
    const bench = new RoutingBench();
    bench.send('planner', { to: 'coder', act: 'request', conversation: 'c', body: 'x' });
    bench.send('coder', { to: 'planner', act: 'agree', conversation: 'c', body: 'x' });
    expect(place(bench, 'coder', { to: 'planner', act: 'done', conversation: 'c' }).hops).toBe(0);
  });
  it('does not begin anew because of a letter that was held or bounced', () => {
    const bench = new RoutingBench({ rules: { hopCap: 0 } });
    bench.send('planner', { to: 'coder', act: 'request', conversation: 'c', body: 'x' });
    const held = bench.send('coder', { to: 'planner', act: 'done', conversation: 'c', body: 'x' });
    expect(held.row.code).toBe('hop-cap');
    bench.send('coder', { to: 'plannr', act: 'done', conversation: 'c', body: 'x' });
    expect(place(bench, 'coder', { to: 'planner', act: 'done', conversation: 'c' }).hops).toBe(1);
  });
});

describe('a letter that names its parent', () => {
  it('is one hop deeper, in the conversation of the parent, whatever it says of itself', () => {
    const bench = new RoutingBench();
    const asked = bench.send('planner', {
      to: 'coder',
      act: 'request',
      body: 'x',
      conversation: 'c',
    });
    const reply = place(bench, 'coder', { act: 'query', in_reply_to: asked.id, hops: 99, id: 'x' });
    expect(reply).toMatchObject({ hops: 1, conversation: 'c', unknownParent: false });
    expect(reply.repliesTo).toMatchObject({ id: asked.id, from: 'planner' });
  });
  it('keeps the thread of the parent under a new name of the conversation', () => {
    const bench = new RoutingBench();
    const asked = bench.send('planner', {
      to: 'coder',
      act: 'request',
      body: 'x',
      conversation: 'c',
    });
    const letter = { act: 'query', body: 'x', in_reply_to: asked.id, conversation: 'd' };
    const reply = bench.send('coder', letter);
    const third = place(bench, 'planner', {
      act: 'query',
      in_reply_to: reply.id,
      conversation: 'e',
    });
    expect(third).toMatchObject({ hops: 2, conversation: 'e', thread: 'c' });
  });
  it('that its sender never got begins a new exchange, and says so', () => {
    const bench = new RoutingBench();
    const asked = bench.send('planner', { to: 'coder', act: 'request', body: 'x' });
    for (const id of [asked.id, 'nothing', 'the subject line']) {
      const letter = { to: 'planner', act: 'inform', in_reply_to: id };
      const { hops, unknownParent, repliesTo } = place(bench, 'tester', letter);
      expect({ hops, unknownParent, repliesTo }).toEqual({
        hops: 0,
        unknownParent: true,
        repliesTo: undefined,
      });
    }
  });
  it('and answers its own letter stays at the same hops', () => {
    const bench = new RoutingBench();
    const asked = bench.send('planner', { to: 'coder', act: 'request', body: 'x' });
    const own = bench.send('coder', { act: 'query', in_reply_to: asked.id, body: 'x' });
    const bounced = bench.send('coder', {
      to: 'x',
      act: 'query',
      in_reply_to: asked.id,
      body: 'x',
    });
    for (const { id } of [own, bounced]) {
      expect(place(bench, 'coder', { to: 'planner', act: 'query', in_reply_to: id }).hops).toBe(1);
    }
  });
  it('finds it in the mailbox of its sender when the router has forgotten it', () => {
    const bench = new RoutingBench();
    const letter = { act: 'query', in_reply_to: 'foreign-1' };
    const found = place(bench, 'coder', letter, { parentInMailbox: parent() });
    expect(found).toMatchObject({ hops: 5, conversation: 'old', unknownParent: false });
    const odd = parent({ conversation: 'not a name' });
    const { claim, conversation } = place(bench, 'coder', letter, { parentInMailbox: odd });
    expect(conversation).toBe(claim.id);
  });
  it('believes the router and not the mailbox when both know it', () => {
    const bench = new RoutingBench();
    const { id } = bench.send('planner', { to: 'coder', act: 'request', body: 'x' });
    const forged = parent({ id, hops: 0, from: 'human', conversation: 'forged' });
    const letter = { act: 'query', in_reply_to: id };
    const found = place(bench, 'coder', letter, { parentInMailbox: forged });
    expect(found.repliesTo?.from).toBe('planner');
    const other = place(bench, 'tester', letter, {
      parentInMailbox: { ...forged, to: ['tester'] },
    });
    expect(other.unknownParent).toBe(true);
  });
});

describe('hops', () => {
  it('are 0 in what the person writes', () => {
    const bench = new RoutingBench();
    const asked = bench.send('god', { to: 'human', act: 'query', body: 'x' });
    bench.send('coder', { to: 'planner', act: 'query', body: 'x', conversation: 'c' });
    expect(place(bench, 'human', { act: 'inform', in_reply_to: asked.id }).hops).toBe(0);
    expect(place(bench, 'human', { to: 'planner', act: 'query', conversation: 'c' }).hops).toBe(0);
  });
  it('are 0 in the next job of the orchestrator, and in nothing else of it', () => {
    const bench = new RoutingBench();
    const job = bench.send('god', { to: 'coder', act: 'request', body: 'x', conversation: 'c' });
    const done = bench.send('coder', { act: 'done', in_reply_to: job.id, body: 'x' });
    expect(done.row.hops).toBe(1);
    expect(place(bench, 'god', { act: 'request', in_reply_to: done.id }).hops).toBe(0);
    expect(place(bench, 'god', { to: 'coder', act: 'propose', conversation: 'c' }).hops).toBe(0);
    expect(place(bench, 'god', { act: 'refuse', in_reply_to: done.id }).hops).toBe(2);
    const asked = bench.send('coder', { to: 'god', act: 'query', in_reply_to: job.id, body: 'x' });
    expect(place(bench, 'god', { act: 'query', in_reply_to: asked.id }).hops).toBe(2);
  });
  it('count for a planner that is not the orchestrator', () => {
    const bench = new RoutingBench();
    const job = bench.send('planner', { to: 'coder', act: 'request', body: 'x' });
    const done = bench.send('coder', { act: 'done', in_reply_to: job.id, body: 'x' });
    expect(place(bench, 'planner', { act: 'request', in_reply_to: done.id }).hops).toBe(2);
  });
});
