import { describe, expect, it } from 'vitest';
import { isFresh, takeNext } from '../../src/spool/backlog.ts';

const backlogOf = (...names: string[]) => ({
  names,
  strays: [],
  overfull: false,
  listedAtMs: 1000,
});
const NONE: ReadonlySet<string> = new Set();
const all = (name: string) => name;

describe('the next letters of a backlog', () => {
  it('are as many as a pass takes; the names of these and the others are left', () => {
    const taken = takeNext(backlogOf('a', 'b', 'c', 'd'), all, { stayed: NONE, most: 2 });
    expect(taken).toEqual({ found: ['a', 'b'], left: ['a', 'b', 'c', 'd'] });
  });
  it('are the rest, with nothing left, once they reach the end', () => {
    const taken = takeNext(backlogOf('a', 'b'), all, { stayed: NONE, most: 2 });
    expect(taken).toEqual({ found: ['a', 'b'], left: undefined });
  });
  it('leave out what is gone, which is forgotten', () => {
    const look = (name: string) => (name === 'a' || name === 'c' ? undefined : name);
    const taken = takeNext(backlogOf('a', 'b', 'c', 'd', 'e'), look, { stayed: NONE, most: 2 });
    expect(taken).toEqual({ found: ['b', 'd'], left: ['b', 'd', 'e'] });
  });
  it('come with those that stayed, which are looked at again and take no turn', () => {
    const stayed = new Set(['a', 'c']);
    const taken = takeNext(backlogOf('a', 'b', 'c', 'd', 'e', 'f'), all, { stayed, most: 2 });
    expect(taken).toEqual({ found: ['a', 'b', 'c', 'd'], left: ['a', 'b', 'c', 'd', 'e', 'f'] });
  });
});

it('is gone by for two seconds', () => {
  expect([1000, 2999, 3000].map((nowMs) => isFresh(backlogOf('a'), nowMs))).toEqual([
    true,
    true,
    false,
  ]);
});
