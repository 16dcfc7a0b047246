import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { followLog } from '../../src/log/follow.ts';
import { readLog } from '../../src/log/read-log.ts';
import { rowKey } from '../../src/log/rows.ts';
import { event, LOG, type LogScene, makeLog, SEGMENTS } from './log-scene.ts';

const PLACE = { path: LOG, segments: SEGMENTS };
const ids = (rows: Iterable<{ id?: string | undefined }>) => [...rows].map(({ id }) => id);

/** Writes rows `from` to `to`, a rotation after each third. */
async function write(scene: LogScene, from: number, to: number): Promise<void> {
  const log = scene.open();
  for (let n = from; n <= to; n++) {
    await log.append([event(`r${n}`)]);
    if (n % 3 === 0) await log.rotate(1);
  }
  log.close();
}

const named = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `r${from + n}`);

describe('rotation of the log', () => {
  it('leaves a log alone that is not large', async () => {
    const scene = makeLog();
    const log = scene.open();
    await log.append([event('a')]);
    await log.rotate(1_000_000);
    expect(scene.lines()).toHaveLength(1);
    expect(scene.files.stat(SEGMENTS)).toBeUndefined();
    log.close();
  });

  it('names segments by their first row, and every row is read once, in order', async () => {
    const scene = makeLog();
    await write(scene, 1, 8);
    expect(scene.files.list(SEGMENTS).sort()).toEqual(['000000000001.jsonl', '000000000004.jsonl']);
    expect(ids(readLog(scene.files, PLACE))).toEqual(named(1, 8));
    expect([...readLog(scene.files, PLACE)].map(({ seq }) => seq)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8,
    ]);
  });

  it('goes on with the number of the last segment when log.jsonl is empty or gone', async () => {
    const scene = makeLog();
    await write(scene, 1, 6);
    expect(scene.lines()).toEqual([]);
    scene.files.unlink(LOG);
    const log = scene.open(2);
    expect(log.seq).toBe(6);
    log.close();
  });

  it('never writes over a segment, also when numbers begin anew', async () => {
    const scene = makeLog();
    await write(scene, 1, 3);
    const [old] = scene.files.list(SEGMENTS);
    const before = scene.files.text(`${SEGMENTS}/${old}`);
    scene.files.rename(`${SEGMENTS}/${old}`, '/hive/aside');
    await write(scene, 1, 3);
    scene.files.rename('/hive/aside', `${SEGMENTS}/000000000001-7.jsonl`);
    expect(scene.files.list(SEGMENTS)).toHaveLength(2);
    const log = scene.open();
    await log.append([event('x')]);
    await log.rotate(1);
    log.close();
    expect(scene.files.list(SEGMENTS)).toHaveLength(3);
    expect(scene.files.text(`${SEGMENTS}/000000000001-7.jsonl`)).toBe(before);
  });

  it('finds the keys of a batch that was logged before the rotation', async () => {
    const scene = makeLog();
    await write(scene, 1, 8);
    const log = scene.open();
    const rows = [...readLog(scene.files, PLACE)];
    expect(log.keysAfter(2)).toEqual(new Set(rows.filter(({ seq }) => seq > 2).map(rowKey)));
    expect(log.keysAfter(5)).toEqual(new Set(rows.filter(({ seq }) => seq > 5).map(rowKey)));
    log.close();
  });

  it('gives the tail over segments', async () => {
    const scene = makeLog();
    await write(scene, 1, 8);
    const log = scene.open();
    expect(ids(log.tail(1_000_000))).toEqual(named(1, 8));
    const current = scene.files.stat(LOG)?.sizeBytes ?? 0;
    expect(ids(log.tail(current))).toEqual(named(7, 8));
    expect(ids(log.tail(current + 400)).length).toBeGreaterThan(2);
    expect(ids(readLog(scene.files, PLACE, { last: 2 }))).toEqual(named(7, 8));
    log.close();
  });

  it('in the middle of following misses no row and shows none twice', async () => {
    const scene = makeLog();
    await write(scene, 1, 2);
    const stopping = new AbortController();
    const seen: unknown[] = [];
    const done = (async () => {
      const options = { ...PLACE, from: 0, pollMs: 1, signal: stopping.signal };
      for await (const row of followLog(scene.files, options)) seen.push(row.id);
    })();
    for (let turns = 0; seen.length < 2 && turns < 5000; turns++) await turn();
    await write(scene, 3, 20);
    for (let turns = 0; seen.length < 20 && turns < 5000; turns++) await turn();
    await write(scene, 21, 22);
    for (let turns = 0; seen.length < 22 && turns < 5000; turns++) await turn();
    stopping.abort();
    await done;
    expect(seen).toEqual(named(1, 22));
  });

  it('keeps the log where it is when it can not be moved, and loses no row', async () => {
    const scene = makeLog();
    const log = scene.open();
    await log.append([event('r1')]);
    await scene.files.create(SEGMENTS, 'in the way');
    await expect(log.rotate(1)).rejects.toMatchObject({ code: 'ENOTDIR' });
    await log.append([event('r2')]);
    log.close();
    expect(ids(scene.rows())).toEqual(['r1', 'r2']);
  });
});
