import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { followLog } from '../../src/log/follow.ts';
import type { RowFilter } from '../../src/log/row-filter.ts';
import { takeOverLog } from '../../src/log/take-over.ts';
import { event, LOG, type LogScene, makeLog, SEGMENTS } from './log-scene.ts';

/** Follows a log until the end of the test; what it yields is in `seen`. */
function follow(scene: LogScene, from?: number, filter?: RowFilter) {
  const stopping = new AbortController();
  const seen: string[] = [];
  const options = { path: LOG, segments: SEGMENTS, pollMs: 1, signal: stopping.signal, filter };
  const done = (async () => {
    const rows = followLog(scene.fs, from === undefined ? options : { ...options, from });
    for await (const row of rows) seen.push(row.id ?? '');
  })();
  onTestFinished(async () => {
    stopping.abort();
    await done;
  });
  /** Waits until that many rows have come, and a little longer for one too many. */
  const settle = async (count: number) => {
    while (seen.length < count) await pause(1);
    await pause(20);
    return seen;
  };
  return { seen, settle, stop: () => stopping.abort(), done };
}

describe('following the log', () => {
  it('yields the rows that are written from then on, each once', async () => {
    const scene = makeLog();
    const log = scene.open();
    await log.append([event('old')]);
    const { settle } = follow(scene);
    expect(await settle(0)).toEqual([]);
    await log.append([event('a'), event('b')]);
    expect(await settle(2)).toEqual(['a', 'b']);
    await log.append([event('c')]);
    expect(await settle(3)).toEqual(['a', 'b', 'c']);
    log.close();
  });
  it('yields only what a filter lets pass', async () => {
    const scene = makeLog();
    const log = scene.open();
    await log.append([event('old', { conversation: 'c1' })]);
    const { settle } = follow(scene, undefined, { conversation: 'c1', kinds: ['letter'] });
    await settle(0);
    await log.append([
      event('a', { conversation: 'c2' }),
      event('b', { conversation: 'c1' }),
      event('c', { conversation: 'c1', kind: 'late' }),
      event('d', { conversation: 'c1' }),
    ]);
    expect(await settle(2)).toEqual(['b', 'd']);
    log.close();
  });
  it('begins at an offset when it is given one', async () => {
    const scene = makeLog();
    const log = scene.open();
    await log.append([event('a')]);
    const from = scene.files.stat(LOG)?.sizeBytes ?? 0;
    await log.append([event('b')]);
    expect(await follow(scene, 0).settle(2)).toEqual(['a', 'b']);
    expect(await follow(scene, from).settle(1)).toEqual(['b']);
    log.close();
  });
  it.each([
    ['the same size', 0],
    ['a greater one', 3],
  ])('yields what a log holds that was emptied and written anew to %s', async (_, more) => {
    const scene = makeLog();
    const log = scene.open();
    await log.append([event('a'), event('b')]);
    const { settle } = follow(scene);
    await settle(0);
    const text = scene.files.text(LOG) ?? '';
    const row = (seq: number, id: string): string =>
      `${text.split('\n')[0]}\n`
        .replace(/"seq":\d+/, `"seq":${seq}`)
        .replace(/"ts":"[^"]+"/, '"ts":"2026-12-31T00:00:00.000Z"')
        .replace('"a"', `"${id}"`);
    const rows = Array.from({ length: 2 + more }, (__, place) =>
      row(place + 1, 'cdefg'[place] ?? ''),
    );
    scene.files.write(LOG, rows.join(''));
    expect(await settle(2 + more)).toEqual(Array.from('cdefg').slice(0, 2 + more));
    log.close();
  });
  it('waits for a log that is not there yet', async () => {
    const scene = makeLog();
    const { settle } = follow(scene);
    await settle(0);
    const log = scene.open();
    await log.append([event('a')]);
    expect(await settle(1)).toEqual(['a']);
    log.close();
  });
  it('waits for the end of a line, and passes over torn ones', async () => {
    const scene = makeLog();
    const { settle } = follow(scene);
    const row = '{"seq":1,"ts":"t","kind":"letter","id":"a"}';
    scene.files.write(LOG, row.slice(0, 20));
    expect(await settle(0)).toEqual([]);
    scene.files.write(LOG, `${row}\n`);
    expect(await settle(1)).toEqual(['a']);
    const log = scene.open();
    scene.files.write(LOG, `${row}\n{"seq":2,"torn`);
    await log.append([event('b')]);
    expect(await settle(2)).toEqual(['a', 'b']);
    log.close();
  });
  it('yields each row once over a log that is replaced by its copy', async () => {
    const scene = makeLog();
    const log = scene.open();
    await log.append([event('old'), event('older')]);
    const { settle } = follow(scene);
    await settle(0);
    await log.append([event('a')]);
    await settle(1);
    await takeOverLog(scene.fs, LOG, '/hive/copy');
    expect(await settle(1)).toEqual(['a']);
    await log.append([event('b')]);
    expect(await settle(2)).toEqual(['a', 'b']);
    log.close();
  });
  it('goes on with the new file when the old one is taken away', async () => {
    const scene = makeLog();
    const log = scene.open();
    await log.append([event('old')]);
    const { settle } = follow(scene);
    await settle(0);
    scene.files.rename(LOG, '/hive/old.jsonl');
    await log.append([event('a')]);
    expect(await settle(1)).toEqual(['a']);
    log.close();
  });
  it('goes on after a log that was emptied', async () => {
    const scene = makeLog();
    const log = scene.open();
    await log.append([event('old')]);
    const { settle } = follow(scene);
    await settle(0);
    scene.files.write(LOG, '');
    await settle(0);
    await log.append([event('a')]);
    expect(await settle(1)).toEqual(['a']);
    log.close();
  });
  it('comes through rows that are longer than it reads at once', async () => {
    const scene = makeLog();
    const { settle } = follow(scene);
    const log = scene.open();
    await log.append([event('a', { note: 'x'.repeat(1_500_000) }), event('b')]);
    expect(await settle(2)).toEqual(['a', 'b']);
    log.close();
  });
  it('ends when it is told to, also while it waits', async () => {
    const scene = makeLog();
    const { stop, done } = follow(scene);
    stop();
    await expect(done).resolves.toBeUndefined();
  });
});
