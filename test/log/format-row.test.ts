import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatRow } from '../../src/log/format-row.ts';
import type { LogRow } from '../../src/protocol/event.ts';

const ROW: LogRow = {
  seq: 7,
  ts: '2026-11-30T17:19:11.123Z',
  epoch: 1,
  kind: 'letter',
  id: '01jabcdefghj-abcd5678',
  from: 'planner',
  to: ['coder'],
  act: 'request',
  subject: 'Build it',
  hops: 0,
  outcome: 'delivered',
  code: 'delivered',
};
const PLAIN = { color: false };

describe('formatRow', () => {
  test('shows a delivered letter on one line', () => {
    expect(formatRow(ROW, PLAIN)).toBe(
      '17:19:11  delivered    planner → coder           request  "Build it"  01jabcdefghj-abcd5678',
    );
  });

  test('shows the date when asked to', () => {
    expect(formatRow(ROW, { color: false, date: true })).toMatch(/^2026-11-30 17:19:11 {2}deliv/);
  });

  test('keeps columns in line, and lets a long name push on what follows', () => {
    const columnOf = (row: LogRow): number => formatRow(row, PLAIN).indexOf('"Build it"');
    expect(columnOf({ ...ROW, from: 'a', outcome: 'held' })).toBe(columnOf(ROW));
    expect(columnOf({ ...ROW, act: 'done', to: ['docs-writer'] })).toBe(columnOf(ROW));
    const long = { ...ROW, from: 'x'.repeat(64) };
    expect(formatRow(long, PLAIN)).toContain(`${'x'.repeat(64)} → coder  request  "Build it"`);
  });

  test.each<[string, Partial<LogRow>, string]>([
    ['a code that says more', { outcome: 'held', code: 'hop-cap' }, '"Build it"  hop-cap  01j'],
    ['hops', { hops: 3 }, '"Build it"  hops 3  01j'],
    ['repairs', { repairs: ['bom', 'comments'] }, '  repaired bom, comments  '],
    ['whom it did not reach', { failed: { x: 'send-only' } }, '  not x (send-only)  '],
    ['who waits for a copy', { owed: ['tester'] }, '  owed tester  '],
    [
      'many recipients in short',
      { to: ['a', 'b', 'c', 'd', 'e'] },
      'planner → a, b, c and 2 more  ',
    ],
    ['a note', { note: 'The inbox is a file.' }, '  The inbox is a file.  01j'],
    [
      'the file of what can not be read',
      { outcome: 'quarantined', file: 'a.json' },
      '  file a.json  ',
    ],
    ['quotes in a subject', { subject: 'a"  hop-cap  "b' }, '  "a\\"  hop-cap  \\"b"  '],
  ])('tells %s', (_, fields, told) => {
    expect(formatRow({ ...ROW, ...fields }, PLAIN)).toContain(told);
  });

  test('leaves out the file of a letter that could be read, and hops of none', () => {
    expect(formatRow({ ...ROW, file: 'a.json' }, PLAIN)).toBe(formatRow(ROW, PLAIN));
  });

  test('shows the kind of what is no letter', () => {
    const row: LogRow = { seq: 1, ts: ROW.ts, epoch: 1, kind: 'router', note: 'started' };
    expect(formatRow(row, PLAIN)).toMatch(/^17:19:11 {2}router {2,}started$/);
    expect(formatRow({ ...row, kind: 'stray', file: 'a.txt' }, PLAIN)).toContain('  file a.txt  ');
  });

  test.each<[number, Partial<LogRow>]>([
    [32, { outcome: 'delivered' }],
    [33, { outcome: 'partial' }],
    [33, { outcome: 'held' }],
    [31, { outcome: 'bounced' }],
    [31, { outcome: 'refused' }],
    [31, { outcome: 'quarantined' }],
    [2, { kind: 'notice' }],
    [2, { kind: 'roster', outcome: undefined }],
  ])('gives colour %i to %j alone, and only when asked to', (sgr, fields) => {
    const row = { ...ROW, ...fields };
    const shown = formatRow(row, { color: true });
    const [before, label, after] = shown.split(/\u001b\[\d+m/);
    expect(shown.split('\u001b[')).toHaveLength(3);
    expect(shown).toContain(`\u001b[${sgr}m${label}\u001b[0m`);
    expect(`${before}${label}${after}`).toBe(formatRow(row, PLAIN));
  });

  test('takes secrets out', () => {
    const shown = formatRow({ ...ROW, subject: 'password: hunter2', note: 'token=zyxwvu' }, PLAIN);
    expect(shown).not.toMatch(/hunter2|zyxwvu/);
  });

  test('cuts to a width, colour codes not counted', () => {
    const cut = formatRow(ROW, { color: true, width: 30 });
    expect(cut.replaceAll(/\u001b\[\d+m/g, '')).toBe('17:19:11  delivered    planne…');
    expect(formatRow(ROW, { color: true, width: 12 })).toBe('17:19:11  \u001b[32md…\u001b[0m');
    expect(formatRow(ROW, { color: false, width: 5 })).toBe('17:1…');
    expect(formatRow(ROW, { color: false, width: 0 })).toBe(formatRow(ROW, PLAIN));
  });
});

const NAMES =
  'seq ts epoch kind id from to act subject hops outcome code failed owed repairs file note';
const anyValue = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: 'binary' }),
  fc.array(fc.string({ unit: 'binary' })),
  fc.constantFrom(
    '\u001b[31m',
    '\r\n',
    '\u009b2J',
    '\u202e',
    '\t',
    'letter',
    'delivered',
    '2026-11-',
  ),
  fc.constantFrom<unknown>(-1, Number.POSITIVE_INFINITY, { toString: 1 }, [[[]]], { length: -1 }, [
    null,
    5,
    {},
  ]),
);
const anyRow = fc.oneof(
  fc.dictionary(fc.constantFrom(...NAMES.split(' '), '__proto__', 'toString'), anyValue),
  anyValue,
);

describe('formatRow on whatever the file holds', () => {
  test('gives one line without anything that a terminal acts on', () => {
    fc.assert(
      fc.property(anyRow, (row) => {
        expect(formatRow(row as LogRow, PLAIN)).not.toMatch(
          /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200b-\u200f\ufeff]/u,
        );
      }),
      { numRuns: 1000 },
    );
  });

  test('keeps to the width', () => {
    fc.assert(
      fc.property(anyRow, fc.integer({ min: 1, max: 120 }), (row, width) => {
        const shown = formatRow(row as LogRow, { color: true, width });
        expect([...shown.replaceAll(/\u001b\[\d+m/g, '')].length).toBeLessThanOrEqual(width);
      }),
    );
  });

  test('does not grow with what a field holds', () => {
    const huge = { ...ROW, subject: 'x'.repeat(1_000_000), to: Array<string>(100_000).fill('a') };
    expect(formatRow(huge, PLAIN).length).toBeLessThan(1000);
  });
});
