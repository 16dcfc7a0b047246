import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIdSource, type MessageId, messageIdTime } from '../../src/protocol/ids.ts';
import { type KnownMessage, RoutingMemory } from '../../src/routing/memory.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const ids = createIdSource({ now: () => NOW, random: () => 'aaaaaaaa' });

function message(from: string, to: string[], more: Partial<KnownMessage> = {}): KnownMessage {
  const plain = { id: ids.next(), conversation: 'c', act: 'request', hops: 0, broadcast: false };
  return { ...plain, from, to, ...more } as KnownMessage;
}

describe('the memory of messages', () => {
  it('finds a message by its id, also one that reached nobody', () => {
    const memory = new RoutingMemory();
    const bounced = message('a', []);
    memory.remember(bounced);
    expect(memory.message(bounced.id)).toEqual(bounced);
    expect(memory.message('other')).toBeUndefined();
  });
  it('is bounded, and drops what it heard of longest ago', () => {
    const memory = new RoutingMemory();
    const first = message('a', ['b']);
    const again = message('a', ['b']);
    memory.remember(first);
    memory.remember(again);
    memory.commit();
    memory.remember(first);
    for (let left = 19_999; left > 0; left--) memory.remember(message('a', ['b']));
    memory.commit();
    expect(memory.message(again.id)).toBeUndefined();
    expect(memory.message(first.id)).toEqual(first);
  });
  it('adds who is reached later, and forgets nobody who was reached before', () => {
    const memory = new RoutingMemory();
    const held = message('a', ['b'], { hops: 5 });
    memory.remember(held);
    memory.rememberLater({ ...held, to: ['c'], hops: 0 });
    expect(memory.message(held.id)).toMatchObject({ to: ['b', 'c'], hops: 0 });
    expect(memory.unanswered('c', 'c')?.id).toBe(held.id);
    const unknown = message('a', ['d']);
    memory.rememberLater(unknown);
    expect(memory.message(unknown.id)).toEqual(unknown);
  });
  it('does not count one twice that is reached again', () => {
    const memory = new RoutingMemory();
    const owed = message('a', ['b']);
    memory.remember(owed);
    memory.rememberLater(owed);
    expect(memory.wordsTo('b', 0)).toMatchObject([{ from: 'a', count: 1 }]);
  });
});

describe('the latest message of a conversation', () => {
  it('is open for whoever got it, until that one writes there', () => {
    const memory = new RoutingMemory();
    const asked = message('a', ['b', 'c']);
    memory.remember(asked);
    expect(memory.unanswered('c', 'b')).toEqual(asked);
    expect(memory.unanswered('c', 'a')).toBeUndefined();
    expect(memory.unanswered('other', 'b')).toBeUndefined();
    memory.remember(message('b', ['a']));
    expect(memory.unanswered('c', 'b')).toBeUndefined();
    expect(memory.unanswered('c', 'c')).toEqual(asked);
  });
  it('stays open when what was written about it reached nobody', () => {
    const memory = new RoutingMemory();
    const asked = message('a', ['b']);
    memory.remember(asked);
    memory.remember(message('b', []));
    expect(memory.unanswered('c', 'b')).toEqual(asked);
  });
  it('is never a notice', () => {
    const memory = new RoutingMemory();
    const asked = message('a', ['b']);
    memory.remember(asked);
    memory.remember(message('system', ['b']));
    expect(memory.unanswered('c', 'b')).toEqual(asked);
  });
});

describe('the word that an agent has', () => {
  it('is counted for each sender, the latest last', () => {
    const memory = new RoutingMemory();
    for (const from of ['a', 'x', 'a', 'system', 'a', 'x']) memory.remember(message(from, ['b']));
    expect(memory.wordsTo('b', 0).map(({ from, count }) => [from, count])).toEqual([
      ['system', 1],
      ['a', 3],
      ['x', 2],
    ]);
  });
  it('is spent one by one, and gone with the last', () => {
    const memory = new RoutingMemory();
    for (const from of ['a', 'a', 'x']) memory.remember(message(from, ['b']));
    memory.takeWord('b', 'a');
    memory.takeWord('b', 'x');
    memory.takeWord('b', 'x');
    expect(memory.wordsTo('b', 0).map(({ from, count }) => [from, count])).toEqual([['a', 1]]);
  });
  it('is not given by the person, and grows old', () => {
    const memory = new RoutingMemory();
    memory.remember(message('human', ['b']));
    expect(memory.wordsTo('b', 0)).toEqual([]);
    const said = message('a', ['b']);
    memory.remember(said);
    const at = messageIdTime(said.id as MessageId);
    expect(memory.wordsTo('b', at - 1)).toHaveLength(1);
    expect(memory.wordsTo('b', at)).toEqual([]);
  });
});

describe('a window', () => {
  it('counts what happened within it, by weight', () => {
    const memory = new RoutingMemory();
    const window = (now: number) => ({ key: 'k', now, windowMs: 100 });
    expect(memory.countInWindow(window(0))).toBe(0);
    memory.addToWindow(window(10), 2);
    memory.addToWindow(window(10), 3);
    memory.addToWindow(window(60), 1);
    expect(memory.countInWindow(window(60))).toBe(6);
    expect(memory.countInWindow(window(109))).toBe(6);
    expect(memory.countInWindow(window(110))).toBe(1);
    memory.addToWindow(window(170), 1);
    expect(memory.countInWindow(window(170))).toBe(1);
  });
  it('is one of its own for each key', () => {
    const memory = new RoutingMemory();
    memory.addToWindow({ key: 'a', now: 1, windowMs: 9 }, 1);
    expect(memory.countInWindow({ key: 'b', now: 1, windowMs: 9 })).toBe(0);
  });
});

interface Change {
  /** The message that it is about. */
  id?: string;
  apply: (memory: RoutingMemory) => void;
}

const name = fc.constantFrom('a', 'b', 'c', 'human', 'system');
const someMessage: fc.Arbitrary<KnownMessage> = fc
  .record({ from: name, to: fc.subarray(['a', 'b', 'c']), conversation: fc.constantFrom('c', 'd') })
  .map(({ from, to, conversation }) => message(from, to, { conversation }));
const applying = (apply: Change['apply'], id?: string): Change =>
  id === undefined ? { apply } : { id, apply };
const change: fc.Arbitrary<Change> = fc.oneof(
  someMessage.map((known) => applying((memory) => memory.remember(known), known.id)),
  someMessage.map((known) => applying((memory) => memory.rememberLater(known), known.id)),
  fc.tuple(name, name).map(([to, from]) => applying((memory) => memory.takeWord(to, from))),
  fc
    .nat(5)
    .map((now) => applying((memory) => memory.addToWindow({ key: 'k', now, windowMs: 3 }, 1))),
  fc.nat(5).map((count) => applying((memory) => memory.setCount('n', count))),
  name.map((sender) => applying((memory) => memory.rememberReply('p', sender, 'done'))),
);

/** Everything that can be seen of a memory. */
function look(memory: RoutingMemory, known: readonly string[]): unknown {
  const names = ['a', 'b', 'c', 'human', 'system'];
  return {
    messages: known.map((id) => memory.message(id)),
    unanswered: names.flatMap((who) => ['c', 'd'].map((place) => memory.unanswered(place, who))),
    words: names.map((who) => memory.wordsTo(who, 0)),
    window: [0, 3, 6].map((now) => memory.countInWindow({ key: 'k', now, windowMs: 3 })),
    replies: names.map((who) => memory.hasReplied('p', who, 'done')),
    count: memory.count('n'),
  };
}

describe('a rollback', () => {
  it('leaves no trace of anything since the last commit, and commit keeps it all', () => {
    const many = fc.array(change, { maxLength: 30 });
    fc.assert(
      fc.property(many, many, many, (before, undone, after) => {
        const [memory, plain] = [new RoutingMemory(), new RoutingMemory()];
        for (const { apply } of before) for (const one of [memory, plain]) apply(one);
        memory.commit();
        for (const { apply } of undone) apply(memory);
        memory.rollback();
        for (const { apply } of after) for (const one of [memory, plain]) apply(one);
        const known = [...before, ...undone, ...after].flatMap(({ id }) => id ?? []);
        expect(look(memory, known)).toEqual(look(plain, known));
      }),
    );
  });
  it('brings back what the undone batch had pushed out, in the same order', () => {
    const memory = new RoutingMemory();
    const [first, second] = [message('a', []), message('a', [])];
    memory.remember(first);
    memory.remember(second);
    memory.commit();
    memory.remember(first);
    for (let left = 20_001; left > 0; left--) memory.remember(message('a', []));
    memory.rollback();
    expect([memory.message(first.id), memory.message(second.id)]).toEqual([first, second]);
    for (let left = 19_999; left > 0; left--) memory.remember(message('a', []));
    memory.commit();
    expect(memory.message(first.id)).toBeUndefined();
    expect(memory.message(second.id)).toEqual(second);
  });
});
