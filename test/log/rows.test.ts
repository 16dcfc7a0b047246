import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRow, readRows, readTail, rowKey } from '../../src/log/rows.ts';
import { event, LOG, makeLog } from './log-scene.ts';

const line = (seq: number, fill = '') =>
  `{"seq":${seq},"ts":"t","kind":"letter","note":"${fill}"}\n`;

function fileOf(text: string) {
  const { files } = makeLog();
  files.write(LOG, text);
  const seqs = (from: number, most: number) => {
    const stretch = readRows(files, LOG, from, most);
    return { ...stretch, rows: stretch.rows.map(({ seq }) => seq) };
  };
  return { files, seqs };
}

describe('a line of the log', () => {
  it('is a row when it has a number and a time', () => {
    expect(parseRow(line(1).trim())).toMatchObject({ seq: 1 });
    for (const text of ['', '{}', '{"seq":1', '[1]', 'x', '{"seq":"1","ts":"t"}', 'null']) {
      expect(parseRow(text), text).toBeUndefined();
    }
  });
});

describe('the key of a row', () => {
  it('tells batches, ids, kinds and recipients apart', () => {
    const rows = [
      event('a'),
      event('b'),
      event('a', { batch: 'batch-2' }),
      event('a', { kind: 'late' }),
      event('a', { to: ['tester'] }),
    ];
    expect(new Set(rows.map(rowKey)).size).toBe(rows.length);
  });
  it('does not depend on what became of the copies', () => {
    expect(rowKey(event('a', { delivered: ['coder'] }))).toBe(rowKey(event('a', { owed: ['x'] })));
  });
});

describe('reading rows', () => {
  it('reads whole lines from an offset, and says where they end', () => {
    const text = line(1) + line(2) + line(3);
    const { seqs } = fileOf(text);
    expect(seqs(0, 1000)).toEqual({ rows: [1, 2, 3], from: 0, to: text.length });
    const second = line(1).length;
    expect(seqs(second, 1000)).toEqual({ rows: [2, 3], from: second, to: text.length });
    expect(seqs(0, second + 3)).toEqual({ rows: [1], from: 0, to: second });
  });
  it('begins with the next line when the offset is inside of one', () => {
    const { seqs } = fileOf(line(1) + line(2));
    expect(seqs(5, 1000)).toMatchObject({ rows: [2], from: line(1).length });
  });
  it('leaves an unfinished line for later', () => {
    const { seqs } = fileOf(`${line(1)}{"seq":2,`);
    expect(seqs(0, 1000)).toEqual({ rows: [1], from: 0, to: line(1).length });
    expect(seqs(line(1).length, 1000)).toMatchObject({ rows: [], to: line(1).length });
  });
  it('passes over torn lines', () => {
    expect(fileOf(`${line(1)}{"torn\n${line(2)}`).seqs(0, 1000).rows).toEqual([1, 2]);
  });
  it('reads on where a single line is longer than what was asked for', () => {
    const text = line(1, 'x'.repeat(5000)) + line(2);
    const { seqs } = fileOf(text);
    expect(seqs(0, 100).rows[0]).toBe(1);
    expect(seqs(0, 100).to).toBeGreaterThan(5000);
  });
  it('comes through a log of any lines piece by piece, each row once', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 30 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 400 }), (fills, most) => {
        const { seqs } = fileOf(fills.map((fill, n) => line(n, 'é'.repeat(fill))).join(''));
        const found: number[] = [];
        for (let from = 0; ; ) {
          const { rows, to } = seqs(from, most);
          found.push(...rows);
          if (to === from) break;
          from = to;
        }
        expect(found).toEqual(fills.map((_, n) => n));
      }),
    );
  });
});

describe('the tail of the log', () => {
  it('is its last rows, as many as fit whole', () => {
    const { files } = fileOf(line(1) + line(2) + line(3));
    const two = line(2).length * 2;
    const seqs = (most: number) => readTail(files, LOG, most).map(({ seq }) => seq);
    expect(seqs(two)).toEqual([2, 3]);
    expect(seqs(two - 1)).toEqual([3]);
    expect(seqs(1_000_000)).toEqual([1, 2, 3]);
    expect(seqs(3)).toEqual([]);
  });
  it('is empty for a missing or empty log', () => {
    const { files } = makeLog();
    expect(readTail(files, LOG, 100)).toEqual([]);
    files.write(LOG, '');
    expect(readTail(files, LOG, 100)).toEqual([]);
  });
});

describe('a row that lacks only its line feed', () => {
  it('counts as written: its number goes on, its key is known, and it is read once', async () => {
    const scene = makeLog();
    const first = scene.open();
    await first.append([event('a'), event('b')]);
    first.close();
    const text = scene.files.text(LOG) ?? '';
    scene.files.write(LOG, text.slice(0, -1));
    const log = scene.open(2);
    expect(log.seq).toBe(2);
    const known = scene.rows().map((row) => rowKey(row));
    expect([...log.keysAfter(0)].sort()).toEqual(known.sort());
    expect(log.tail(100_000).map(({ id }) => id)).toEqual(['a', 'b']);
    await log.append([event('c')]);
    log.close();
    expect(scene.rows().map(({ id, seq }) => [id, seq])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ]);
  });
});
