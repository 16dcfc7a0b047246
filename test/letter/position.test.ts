import { describe, expect, test } from 'vitest';
import { positionAt } from '../../src/letter/position.ts';

describe('positionAt', () => {
  test.each([
    ['', 0, 1, 1],
    ['abc', 2, 1, 3],
    ['a\nbc', 3, 2, 2],
    ['a\r\nbc', 3, 2, 1],
    ['a\rb\r\rc', 5, 4, 1],
    ['😀x', 2, 1, 3],
    ['\n\n\n', 3, 4, 1],
  ])('finds in %j the offset %i', (text, offset, line, column) => {
    expect(positionAt(text, offset)).toEqual({ line, column });
  });
});
