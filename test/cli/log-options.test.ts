import { describe, expect, it } from 'vitest';
import { parseSince } from '../../src/cli/log-options.ts';
import { ageOf } from '../../src/protocol/age.ts';

const NOW = Date.parse('2026-11-30T12:00:00.000Z');

describe('a moment given to log', () => {
  it.each([
    ['45s', '2026-11-30T11:59:15.000Z'],
    ['30m', '2026-11-30T11:30:00.000Z'],
    ['1.5H', '2026-11-30T10:30:00.000Z'],
    ['7d', '2026-11-23T12:00:00.000Z'],
    ['2026-11-29', '2026-11-29T00:00:00.000Z'],
    ['2026-11-29T08:00:00+02:00', '2026-11-29T06:00:00.000Z'],
  ])('%s is %s', (text, moment) => {
    expect(parseSince(text, NOW)).toBe(moment);
  });

  it.each(['', '2', 'h', '2w', '-3h', 'soon'])('"%s" is none', (text) => {
    expect(() => parseSince(text, NOW)).toThrow('is no time');
  });
});

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
