import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LogReader } from '../../src/log/log-reader.ts';
import { readLog } from '../../src/log/read-log.ts';
import type { RowFilter } from '../../src/log/row-filter.ts';
import type { LogRow } from '../../src/protocol/event.ts';
import { createMemoryFs, type MemoryFs } from '../helpers/memory-fs.ts';
import { LOG, NOON, SEGMENTS } from './log-scene.ts';

const PLACE = { path: LOG, segments: SEGMENTS };

function rowAt(seq: number, timeMs: number, more: Partial<LogRow> = {}): LogRow {
  return { seq, ts: new Date(timeMs).toISOString(), epoch: 1, kind: 'letter', ...more };
}

/** Writes a log in files of so many rows each; the last one is log.jsonl. */
function logOf(rows: readonly LogRow[], perFile = rows.length || 1): MemoryFs {
  const files = createMemoryFs();
  for (const dir of ['/hive', SEGMENTS]) files.mkdir(dir);
  for (let first = 0; first < rows.length; first += perFile) {
    const part = rows.slice(first, first + perFile);
    const name = `${SEGMENTS}/${String(part[0]?.seq).padStart(12, '0')}.jsonl`;
    const text = part.map((row) => `${JSON.stringify(row)}\n`).join('');
    files.write(first + perFile >= rows.length ? LOG : name, text);
  }
  return files;
}

const minutes = (count: number) => NOON + count * 60_000;
const iso = (timeMs: number) => new Date(timeMs).toISOString();
const seqs = (rows: Iterable<LogRow>) => [...rows].map(({ seq }) => seq);
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n);

/** Counts the bytes that are read. */
function metered(files: MemoryFs): { fs: MemoryFs; bytes: () => number } {
  let bytes = 0;
  const fs: MemoryFs = Object.assign(Object.create(files) as MemoryFs, {
    read: (path: string, most: number, from?: number) => {
      const content = files.read(path, most, from);
      bytes += content.bytes.length;
      return content;
    },
  });
  return { fs, bytes: () => bytes };
}

describe('reading the log', () => {
  const rows = range(1, 40).map((seq) =>
    rowAt(seq, minutes(seq), {
      kind: seq % 10 === 0 ? 'warning' : 'letter',
      from: seq % 2 === 0 ? 'planner' : 'coder',
      to: ['tester'],
      conversation: `c${seq % 3}`,
    }),
  );
  const read = (filter: RowFilter, last?: number) =>
    seqs(readLog(logOf(rows, 7), PLACE, { filter, last }));

  it('gives all rows over all segments, oldest first', () => {
    expect(read({})).toEqual(range(1, 40));
  });

  it('gives the rows of a time, both ends included', () => {
    expect(read({ since: iso(minutes(38)) })).toEqual([38, 39, 40]);
    expect(read({ until: iso(minutes(2)) })).toEqual([1, 2]);
    expect(read({ since: iso(minutes(13)), until: iso(minutes(15)) })).toEqual([13, 14, 15]);
    expect(read({ since: '2026-11-30T13:40:00+01:00' })).toEqual([40]);
    expect(read({ since: iso(minutes(41)) })).toEqual([]);
    expect(read({ until: iso(minutes(0)) })).toEqual([]);
  });

  it('gives the rows of kinds, of an agent, of a conversation', () => {
    expect(read({ kinds: ['warning', 'notice'] })).toEqual([10, 20, 30, 40]);
    expect(read({ agent: 'Planner', until: iso(minutes(6)) })).toEqual([2, 4, 6]);
    expect(read({ agent: 'tester' })).toEqual(range(1, 40));
    expect(read({ conversation: 'c1', agent: 'coder' })).toEqual([1, 7, 13, 19, 25, 31, 37]);
    expect(read({ conversation: 'c' })).toEqual([]);
  });

  it('gives the last of those that pass', () => {
    expect(read({}, 3)).toEqual([38, 39, 40]);
    expect(read({ kinds: ['warning'] }, 2)).toEqual([30, 40]);
    expect(read({ until: iso(minutes(20)), agent: 'coder' }, 2)).toEqual([17, 19]);
    expect(read({ since: iso(minutes(39)) }, 20)).toEqual([39, 40]);
    expect(read({}, 0)).toEqual([]);
  });

  it('refuses a time that is none', () => {
    expect(() => read({ since: 'soon' })).toThrow('"soon" is no time');
  });

  it('finds nothing in a log that is missing or empty', () => {
    expect(seqs(readLog(logOf([]), PLACE))).toEqual([]);
    expect(seqs(readLog(logOf([]), PLACE, { last: 5 }))).toEqual([]);
  });

  it('passes over what is no row, and waits for no unfinished line', () => {
    const files = logOf(rows.slice(0, 3));
    files.write(LOG, `{"torn\nnull\n${files.text(LOG)}{"seq":9,"ts":"2026`);
    expect(seqs(readLog(files, PLACE))).toEqual([1, 2, 3]);
    expect(seqs(readLog(files, PLACE, { last: 2 }))).toEqual([2, 3]);
  });

  it('agrees with going through all rows, whatever the clock did and however the log is cut', () => {
    const scene = fc.record({
      steps: fc.array(fc.integer({ min: -3, max: 5 }), { maxLength: 60 }),
      perFile: fc.integer({ min: 1, max: 60 }),
      since: fc.option(fc.integer({ min: -10, max: 120 }), { nil: undefined }),
      until: fc.option(fc.integer({ min: -10, max: 120 }), { nil: undefined }),
      last: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
      agent: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
    });
    fc.assert(
      fc.property(scene, ({ steps, perFile, since, until, last, agent }) => {
        let at = 0;
        const all = steps.map((step, n) =>
          rowAt(n, minutes((at += step)), { from: n % 3 === 0 ? 'a' : 'b', to: [] }),
        );
        const from = since === undefined ? undefined : iso(minutes(since));
        const to = until === undefined ? undefined : iso(minutes(until));
        const passing = all.filter(
          (row) =>
            (from === undefined || row.ts >= from) &&
            (to === undefined || row.ts <= to) &&
            (agent === undefined || row.from === agent),
        );
        const expected = passing.slice(last === undefined ? 0 : passing.length - last).slice();
        const wanted = last !== undefined && last >= passing.length ? passing : expected;
        const filter = { since: from, until: to, agent };
        const found = readLog(logOf(all, perFile), PLACE, { filter, last });
        expect(seqs(found)).toEqual(seqs(wanted));
      }),
    );
  });
});

describe('a long log', () => {
  const filler = 'x'.repeat(400);
  const rows = range(1, 20_000).map((seq) =>
    rowAt(seq, minutes(seq), { note: filler, conversation: seq === 9000 ? 'rare' : 'c' }),
  );
  const files = logOf(rows, 3000);

  it('costs what the wanted rows cost, not what it holds', () => {
    const total = new LogReader(files, PLACE).sizeBytes;
    expect(total).toBeGreaterThan(8_000_000);
    for (const options of [
      { filter: { since: iso(minutes(12_000)), until: iso(minutes(12_010)) } },
      { filter: { until: iso(minutes(5)) } },
      { filter: { since: iso(minutes(19_990)) } },
      { last: 20 },
    ]) {
      const { fs, bytes } = metered(files);
      expect(seqs(readLog(fs, PLACE, options)).length).toBeGreaterThan(0);
      expect(bytes()).toBeLessThan(3_500_000);
    }
  });

  it('is in order where it is read by pieces', () => {
    expect(seqs(readLog(files, PLACE))).toEqual(range(1, 20_000));
    expect(seqs(readLog(files, PLACE, { last: 4000 }))).toEqual(range(16_001, 20_000));
    expect(seqs(readLog(files, PLACE, { filter: { conversation: 'rare' } }))).toEqual([9000]);
    expect(seqs(readLog(files, PLACE, { filter: { conversation: 'rare' }, last: 9 }))).toEqual([
      9000,
    ]);
  });

  it('is begun where the row that is looked for can be', () => {
    for (const wanted of [1, 2, 777, 3000, 3001, 15_432, 20_000]) {
      const log = new LogReader(files, PLACE);
      const from = log.seek(({ seq }) => seq < wanted);
      const [first] = seqs(log.rows({ from }));
      expect(first).toBeLessThanOrEqual(wanted);
      expect(first).toBeGreaterThan(wanted - 300);
    }
  });

  it('is found by rows that show their place, where others do not', () => {
    const log = new LogReader(files, PLACE);
    const from = log.seek(({ seq }) => (seq % 1000 === 0 ? seq < 15_000 : undefined));
    const [first] = seqs(log.rows({ from }));
    expect(first).toBeLessThanOrEqual(15_000);
    expect(first).toBeGreaterThan(12_000);
  });

  it('is read to its end when it is rotated meanwhile', () => {
    const copy = files.copy();
    const found = readLog(copy, PLACE);
    const first = found.next();
    copy.rename(LOG, `${SEGMENTS}/000000018001.jsonl`);
    copy.write(LOG, `${JSON.stringify(rowAt(20_001, minutes(20_001)))}\n`);
    expect([first.value?.seq, ...seqs(found)]).toEqual(range(1, 20_000));
  });
});

describe('rows that are longer than is read at once', () => {
  it('are given, forwards and backwards', () => {
    const rows = range(1, 6).map((seq) =>
      rowAt(seq, minutes(seq), { note: 'é'.repeat(seq % 2 === 0 ? 700_000 : 3) }),
    );
    const files = logOf(rows, 4);
    expect(seqs(readLog(files, PLACE))).toEqual(range(1, 6));
    expect(seqs(readLog(files, PLACE, { last: 4 }))).toEqual(range(3, 6));
    const since = iso(minutes(4));
    expect(seqs(readLog(files, PLACE, { filter: { since } }))).toEqual([4, 5, 6]);
  });
});
