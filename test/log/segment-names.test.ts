import { describe, expect, it } from 'vitest';
import { LogReader } from '../../src/log/log-reader.ts';
import { NameFilter } from '../../src/log/name-filter.ts';
import { readLog } from '../../src/log/read-log.ts';
import { collectSegmentNames, namesFileOf, readSegmentNames } from '../../src/log/segment-names.ts';
import { listSegments } from '../../src/log/segments.ts';
import type { LogRow } from '../../src/protocol/event.ts';
import { createMemoryFs, type MemoryFs } from '../helpers/memory-fs.ts';
import { LOG, NOON, SEGMENTS } from './log-scene.ts';

const PLACE = { path: LOG, segments: SEGMENTS };
const ROWS = 2000;

function rowAt(seq: number): LogRow {
  const ts = new Date(NOON + seq * 1000).toISOString();
  const thread = `thread-${Math.floor(seq / 100)}`;
  const about = seq % 2 === 0 ? { id: `m${seq}`, conversation: thread } : { id: `m${seq - 1}` };
  const kind = seq % 2 === 0 ? 'letter' : 'handled';
  return { seq, ts, epoch: 1, kind, ...about, note: 'x'.repeat(200) };
}

/** Five files of as many rows each, the last of them log.jsonl. */
function makeLog(): MemoryFs {
  const files = createMemoryFs();
  const each = ROWS / 5;
  for (let first = 0; first < ROWS; first += each) {
    const rows = Array.from({ length: each }, (_, place) => rowAt(first + place));
    const name = `${SEGMENTS}/${String(first).padStart(12, '0')}.jsonl`;
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    files.write(first + each === ROWS ? LOG : name, text);
  }
  return files;
}

function segmentOf(files: MemoryFs, path: string) {
  const stat = files.stat(path);
  return { path, sizeBytes: stat?.sizeBytes ?? 0, mtimeNs: stat?.mtimeNs ?? 0n };
}

function contentFor(files: MemoryFs, path: string): Uint8Array {
  const collecting = collectSegmentNames(files, segmentOf(files, path));
  for (;;) {
    const { done, value } = collecting.next();
    if (done === true) return value;
  }
}

function nameAll(files: MemoryFs): MemoryFs {
  for (const path of listSegments(files, SEGMENTS)) {
    files.write(namesFileOf(path), contentFor(files, path));
  }
  return files;
}

/** Reads rows by names, and notes which files were read for it. */
function readNamed(files: MemoryFs, ...names: string[]) {
  const read = new Set<string>();
  const fs: MemoryFs = Object.assign(Object.create(files) as MemoryFs, {
    read: (path: string, most: number, from?: number) => {
      read.add(path);
      return files.read(path, most, from);
    },
  });
  const log = new LogReader(fs, PLACE);
  const wanted = (row: LogRow): boolean =>
    [row.id, row.of, row.in_reply_to, row.conversation].some((name) => names.includes(name ?? ''));
  const seqs = [...log.rows({ names })].filter(wanted).map(({ seq }) => seq);
  const back = [...log.backwards({ names })].flatMap(({ rows }) => rows.filter(wanted));
  expect(back.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(seqs);
  return { seqs, segments: [...read].filter((path) => path.endsWith('.jsonl') && path !== LOG) };
}

const [FIRST, SECOND] = [`${SEGMENTS}/000000000000.jsonl`, `${SEGMENTS}/000000000400.jsonl`];

describe('a set of names', () => {
  it('holds what was added, and says so of hardly anything else', () => {
    const filter = new NameFilter(new Uint8Array(1024));
    for (let n = 0; n < 600; n++) filter.add(`1m8pyqzvp${n}-jgvvao4d`);
    for (let n = 0; n < 600; n++) expect(filter.mayHold(`1m8pyqzvp${n}-jgvvao4d`)).toBe(true);
    const wrong = Array.from({ length: 5000 }, (_, n) => `1m8pyqzvq${n}-jgvvao4d`).filter((name) =>
      filter.mayHold(name),
    );
    expect(wrong.length).toBeLessThan(50);
  });
});

describe('a segment that tells what it names', () => {
  it('is read only for what it may name', () => {
    const files = nameAll(makeLog());
    expect(readNamed(files, 'm500')).toEqual({ seqs: [500, 501], segments: [SECOND] });
    expect(readNamed(files, 'm10', 'thread-5').segments).toEqual([FIRST, SECOND]);
    expect(readNamed(files, 'm1800')).toEqual({ seqs: [1800, 1801], segments: [] });
    expect(readNamed(files, 'none')).toEqual({ seqs: [], segments: [] });
    const thread = readLog(files, PLACE, { filter: { conversation: 'thread-5' } });
    expect([...thread].map(({ seq }) => seq)).toEqual(
      Array.from({ length: 50 }, (_, n) => 500 + 2 * n),
    );
  });

  it('names what its rows are about: messages, those they answer or tell of, and conversations', () => {
    const files = createMemoryFs();
    const row = { ...rowAt(0), id: 'a', of: 'b', in_reply_to: 'c', conversation: 'd', from: 'e' };
    files.write(FIRST, `${JSON.stringify(row)}\n{"torn\n`);
    nameAll(files);
    const names = readSegmentNames(files, segmentOf(files, FIRST));
    expect(['a', 'b', 'c', 'd', 'e'].map((name) => names?.mayHold(name))).toEqual([
      ...[true, true, true, true, false],
    ]);
  });

  it('is collected a slice at a time', () => {
    const files = makeLog();
    const filler = 'x'.repeat(1000);
    const rows = Array.from({ length: 1000 }, (_, seq) => ({ ...rowAt(seq), note: filler }));
    files.write(FIRST, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const slices = [...collectSegmentNames(files, segmentOf(files, FIRST))];
    expect(slices.length).toBeGreaterThan(5);
  });
});

describe('a file of names that is not to be trusted', () => {
  const cases: [string, (files: MemoryFs, content: Buffer) => void][] = [
    ['is missing', (files) => files.unlink(namesFileOf(SECOND))],
    ['is empty', (files) => files.write(namesFileOf(SECOND), '')],
    ['is cut', (files, content) => files.write(namesFileOf(SECOND), content.subarray(0, -3))],
    [
      'has a wrong bit',
      (files, content) => {
        content[content.length - 1] = (content.at(-1) ?? 0) ^ 1;
        files.write(namesFileOf(SECOND), content);
      },
    ],
    [
      'is empty of names',
      (files, content) => {
        content.fill(0, content.indexOf('\n') + 1);
        files.write(namesFileOf(SECOND), content);
      },
    ],
    [
      'belongs to another segment',
      (files) => files.write(namesFileOf(SECOND), contentFor(files, FIRST)),
    ],
    [
      'is a link',
      (files) => {
        files.rename(namesFileOf(SECOND), `${SEGMENTS}/elsewhere`);
        files.link(namesFileOf(SECOND), `${SEGMENTS}/elsewhere`);
      },
    ],
    ['may not be read', (files) => files.chmod(namesFileOf(SECOND), { read: false, write: false })],
  ];
  it.each(cases)('%s: the segment is read', (_, spoil) => {
    const files = nameAll(makeLog());
    spoil(files, Buffer.from(files.read(namesFileOf(SECOND), 1e6).bytes));
    expect(readNamed(files, 'm500')).toEqual({ seqs: [500, 501], segments: [SECOND] });
    expect(readNamed(files, 'm1800')).toEqual({ seqs: [1800, 1801], segments: [SECOND] });
  });

  it('was made before the segment was changed, be it to the same size: the segment is read', () => {
    const files = nameAll(makeLog());
    files.write(SECOND, (files.text(SECOND) ?? '').replaceAll('"m500"', '"n500"'));
    expect(readNamed(files, 'n500')).toEqual({ seqs: [500, 501], segments: [SECOND] });
  });
});
