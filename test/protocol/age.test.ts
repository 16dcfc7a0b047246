import { describe, expect, it } from 'vitest';
import { ageOf } from '../../src/protocol/age.ts';

const NOW = Date.parse('2026-11-30T12:00:00.000Z');

describe('an age', () => {
  it.each([
    ['2026-11-30T11:59:52.000Z', '8s'],
    ['2026-11-30T11:48:00.000Z', '12m'],
    ['2026-11-30T08:30:00.000Z', '3h'],
    ['2026-11-25T00:00:00.000Z', '5d'],
    ['2026-12-01T00:00:00.000Z', '0s'],
    ['', '?'],
  ])('since %s is %s', (since, age) => {
    expect(ageOf(since, NOW)).toBe(age);
  });
});
