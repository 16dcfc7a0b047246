import { expect, it } from 'vitest';
import { randomTail } from '../../src/hive/random.ts';

it('draws eight characters that every file system tells apart, another time other ones', () => {
  const drawn = Array.from({ length: 1000 }, randomTail);
  expect(drawn.every((tail) => /^[0-9a-z]{8}$/.test(tail))).toBe(true);
  expect(new Set(drawn).size).toBe(1000);
});
