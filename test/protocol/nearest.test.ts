import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearest } from '../../src/protocol/nearest.ts';

const AGENTS = ['god', 'planner', 'coder', 'coder-2', 'tester', 'reviewer', 'docs-writer'];

describe('nearest', () => {
  test.each([
    ['CODER', ['coder', 'coder-2']],
    [' coder ', ['coder', 'coder-2']],
    ['codre', ['coder']],
    ['codr', ['coder']],
    ['coder2', ['coder', 'coder-2']],
    ['plan', ['planner']],
    ['plannner', ['planner']],
    ['writer', ['docs-writer']],
    ['reveiwer', ['reviewer']],
    ['test', ['tester']],
    ['the-tester-agent', ['tester']],
    ['g', ['god']],
    ['gdo', ['god']],
  ])('offers for %j what it may mean', (name, meant) => {
    expect(nearest(name, AGENTS)).toEqual(meant);
  });

  test.each(['', '  ', 'zzz', 'xy', 'orchestrator-of-everything', '__proto__', 'designer', '🙂'])(
    'offers nothing for %j',
    (name) => {
      expect(nearest(name, AGENTS)).toEqual([]);
    },
  );

  test('puts the same name first, then beginnings, then parts, then misspellings', () => {
    const candidates = ['tast', 'my-test', 'test-2', 'Test'];
    expect(nearest('test', candidates, 9)).toEqual(['Test', 'test-2', 'my-test', 'tast']);
  });

  test('offers at most as many as asked for, and three by itself', () => {
    const candidates = ['coder-1', 'coder-2', 'coder-3', 'coder-4'];
    expect(nearest('coder', candidates)).toEqual(['coder-1', 'coder-2', 'coder-3']);
    expect(nearest('coder', candidates, 1)).toEqual(['coder-1']);
    expect(nearest('coder', candidates, 0)).toEqual([]);
  });

  test('does not compare what is over the length that names have', () => {
    const long = 'x'.repeat(1_000_000);
    expect(nearest(`coder${long}`, AGENTS)).toEqual(['coder']);
    expect(
      nearest(
        long,
        Array.from({ length: 500 }, (_, n) => 'y'.repeat(200) + n),
      ),
    ).toEqual([]);
  });

  test('gives the same answer in whatever order the candidates come', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(AGENTS, { minLength: AGENTS.length }),
        fc.string(),
        (shuffled, name) => {
          expect(nearest(name, shuffled)).toEqual(nearest(name, AGENTS));
        },
      ),
    );
  });

  test('finds a name with one slip in it', () => {
    const slip = fc.record({
      name: fc.constantFrom(...AGENTS.filter((agent) => agent.length > 4)),
      at: fc.nat({ max: 4 }),
      kind: fc.constantFrom('drop', 'double', 'swap', 'change'),
    });
    fc.assert(
      fc.property(slip, ({ name, at, kind }) => {
        const [head, hit, tail] = [name.slice(0, at), name.charAt(at), name.slice(at + 1)];
        const slipped = {
          drop: head + tail,
          double: head + hit + hit + tail,
          swap: head + tail.charAt(0) + hit + tail.slice(1),
          change: `${head}q${tail}`,
        }[kind];
        expect(nearest(slipped ?? '', AGENTS)).toContain(name);
      }),
    );
  });

  test('offers only candidates, each once', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (name, candidates) => {
        const offered = nearest(name, [...candidates, ...candidates]);
        expect(new Set(offered).size).toBe(offered.length);
        expect(offered.every((candidate) => candidates.includes(candidate))).toBe(true);
      }),
    );
  });
});
