import { describe, expect, test } from 'vitest';
import { scanStructure } from '../../src/letter/structure.ts';

describe('scanStructure', () => {
  test.each([
    '{}',
    '[]',
    '"hi"',
    '{"a":"}"} trailing',
    '{"a":"line\nbreak"}',
    '```json\n{}\n```',
    '{}\n```',
    '{} // end',
    'Here it is: {"a":1}',
    '{"a":1]',
    '{}{"a":',
  ])('finds %j closed', (text) => {
    expect(scanStructure(text, 64).closed).toBe(true);
  });

  test.each([
    '',
    'to: coder',
    '42',
    '{',
    '{"a":"}',
    '{"a":"\\"}',
    '{"a":[}',
    '{"a":1 // }',
    '{"a":1 /* }',
    '{} /* ',
    '```json\n{}',
    '```',
    '"hi',
    '}',
  ])('finds %j not closed', (text) => {
    expect(scanStructure(text, 64).closed).toBe(false);
  });

  test.each([
    ['[[1]]', 2, undefined],
    ['[[1]]', 1, 1],
    ['{"a":"[[[["}', 1, undefined],
    ['{"a":{"b":[]}}', 2, 10],
    ['[][][]', 1, undefined],
    ['[] /* [[[ */ [[', 1, 14],
  ])('finds in %j, at most %i deep, the bracket that is too deep', (text, limit, offset) => {
    expect(scanStructure(text, limit).tooDeepAt).toBe(offset);
  });

  test.each([
    ['{"a":1,"b":{"c":1,"d":2},"a":":"}', 3],
    ['{}', 0],
    ['[{"a":1}]', 0],
    ['{"a":1}{"b":1}', 1],
  ])('counts the top fields of %j', (text, count) => {
    expect(scanStructure(text, 64).fieldCount).toBe(count);
  });
});
