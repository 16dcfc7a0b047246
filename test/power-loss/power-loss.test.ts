import { describe, expect, it } from 'vitest';
import { cutPower, type Scene } from './power-cuts.ts';

const TWO_LETTERS: Scene = {
  letters: [
    { agent: 'planner', letter: { to: 'coder', act: 'request' } },
    { agent: 'tester', letter: { to: ['coder', 'god', 'nobody'], act: 'inform' } },
  ],
};
const OWED: Scene = { ...TWO_LETTERS, broken: ['coder'] };

describe.each(['ordered', 'unordered'] as const)('a power cut, on an %s disk', (model) => {
  it.each([
    ['a delivery', TWO_LETTERS],
    ['a redelivery', OWED],
  ])('loses and doubles nothing in %s', async (_, scene) => {
    const found = await cutPower({ scene, model, mostStates: 8 });
    process.stdout.write(`${model} ${found.cuts} ${found.states}\n`);
    expect(found.problems).toEqual([]);
  }, 120_000);
});
