import { describe, expect, it } from 'vitest';
import { cutPower, type Scene } from './power-cuts.ts';

const LETTERS: Scene['letters'] = [
  { agent: 'planner', letter: { to: 'coder', act: 'request' } },
  { agent: 'tester', letter: { to: ['coder', 'god', 'nobody'], act: 'inform' } },
];
const DELIVERY: Scene = { letters: LETTERS };
const REDELIVERY: Scene = { letters: LETTERS, broken: ['coder'] };

describe.each(['ordered', 'unordered'] as const)('a power cut, on an %s disk', (model) => {
  it.each([
    ['a delivery', DELIVERY],
    ['a redelivery', REDELIVERY],
  ])(
    'loses nothing and shows nothing under two ids, in %s',
    async (_, scene) => {
      const found = await cutPower({ scene, model, mostStates: 6 });
      expect(found.problems).toEqual([]);
      expect(found.cuts).toBeGreaterThan(30);
      expect(found.states).toBeGreaterThan(80);
    },
    120_000,
  );

  it.each([
    ['a delivery', DELIVERY],
    ['a redelivery', REDELIVERY],
  ])(
    'does so too while another router recovers from a cut in %s',
    async (_, scene) => {
      const found = await cutPower({ scene, model, mostStates: 4, again: 6, every: 5 });
      expect(found.problems).toEqual([]);
      expect(found.states).toBeGreaterThan(60);
    },
    120_000,
  );
});
