import { describe, expect, it } from 'vitest';
import { isNewsOfLoop, type Loop } from '../../src/routing/loops.ts';
import { RoutingMemory } from '../../src/routing/memory.ts';
import { DEFAULT_RULES, RoutingBench } from '../helpers/routing-bench.ts';

describe('the hop cap', () => {
  it('lets through what is as deep as it says, and holds what is deeper', () => {
    const bench = new RoutingBench();
    let last = bench.send('coder', { to: 'tester', act: 'query', body: 'x' });
    for (let hops = 1; hops <= 12; hops++) {
      const sender = hops % 2 === 0 ? 'coder' : 'tester';
      last = bench.send(sender, { act: 'query', in_reply_to: last.id, body: 'x' });
      expect(last.row).toMatchObject({ hops, code: 'delivered' });
    }
    const held = bench.send('tester', { act: 'query', in_reply_to: last.id, body: 'x' });
    expect(held.row).toMatchObject({ hops: 13, outcome: 'held', code: 'hop-cap', held: ['coder'] });
    expect(held.held).toMatchObject([{ to: 'coder', held: { code: 'hop-cap' } }]);
  });
  it('can be lower', () => {
    const bench = new RoutingBench({ rules: { hopCap: 1 } });
    const asked = bench.send('coder', { to: 'tester', act: 'query', body: 'x' });
    const back = bench.send('tester', { act: 'query', in_reply_to: asked.id, body: 'x' });
    expect(back.row.code).toBe('delivered');
    const third = bench.send('coder', { act: 'query', in_reply_to: back.id, body: 'x' });
    expect(third.row.code).toBe('hop-cap');
  });
});

describe('a loop', () => {
  const rules = { ...DEFAULT_RULES, windowMs: 100 };
  const loop = (code: Loop['code'], key = 'k'): Loop => ({ code, key, what: 'much' });
  const telling = () => {
    const context = { memory: new RoutingMemory(), rules };
    return (of: Loop, at: number, sender = 'coder') => isNewsOfLoop(of, { sender, at }, context);
  };

  it('at the hop cap is news once in each conversation', () => {
    const isNews = telling();
    expect(isNews(loop('hop-cap'), 1000)).toBe(true);
    expect(isNews(loop('hop-cap'), 1001)).toBe(false);
    expect(isNews(loop('hop-cap'), 99_000, 'tester')).toBe(false);
    expect(isNews(loop('hop-cap', 'other'), 99_000)).toBe(true);
  });
  it('in a window is news again when it had come to an end', () => {
    const isNews = telling();
    const news = [1000, 1100, 1200, 1301, 1302].map((at) => isNews(loop('loop-window'), at));
    expect(news).toEqual([true, false, false, true, false]);
  });
  it('in a window is no news of a sender that was just stopped in another, nor of who was in it', () => {
    const isNews = telling();
    expect(isNews(loop('loop-window'), 1000)).toBe(true);
    expect(isNews(loop('loop-window', 'other'), 1001)).toBe(false);
    expect(isNews(loop('loop-window'), 1002, 'tester')).toBe(false);
    expect(isNews(loop('loop-window', 'third'), 1003, 'tester')).toBe(false);
    expect(isNews(loop('loop-window', 'fourth'), 1004, 'planner')).toBe(true);
  });
});
