import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { layoutOf } from '../../src/hive/layout.ts';
import { LogReader } from '../../src/log/log-reader.ts';
import { namesFileOf, readSegmentNames } from '../../src/log/segment-names.ts';
import { logPlace } from '../../src/log/segments.ts';
import { startRouter } from '../../src/router/daemon.ts';
import { SegmentNaming } from '../../src/router/segment-naming.ts';
import { createMemoryFs, type MemoryFs } from '../helpers/memory-fs.ts';
import { makePastHive } from '../replay/past-hive.ts';

const layout = layoutOf('/hive');
const place = (name: string): string => join(layout.logSegments, name);
const [FIRST, SECOND] = [place('000000000001.jsonl'), place('000000000901.jsonl')];

function rowsOf(first: number, count: number): string {
  return Array.from({ length: count }, (_, n) => {
    const row = { seq: first + n, ts: '2026-11-30T12:00:00.000Z', epoch: 1, kind: 'handled' };
    return `${JSON.stringify({ ...row, id: `m${first + n}`, note: 'x'.repeat(300) })}\n`;
  }).join('');
}

function makeScene() {
  const files = createMemoryFs();
  files.write(FIRST, rowsOf(1, 900));
  files.write(SECOND, rowsOf(901, 900));
  files.write(layout.log, rowsOf(1801, 3));
  const time = { now: 0 };
  const ending = new AbortController();
  const clock = { now: () => 0, monotonic: () => time.now };
  const naming = new SegmentNaming({ fs: files, layout, clock }, ending.signal);
  return { files, time, naming, ending };
}

function namesOf(files: MemoryFs, path: string) {
  const { sizeBytes = 0, mtimeNs = 0n } = files.stat(path) ?? {};
  return readSegmentNames(files, { path, sizeBytes, mtimeNs });
}

describe('naming what segments name', () => {
  it('writes a file beside each closed segment, and none for log.jsonl', async () => {
    const { files, naming } = makeScene();
    await naming.stepIfDue();
    expect(namesOf(files, FIRST)?.mayHold('m900')).toBe(true);
    expect(namesOf(files, SECOND)?.mayHold('m901')).toBe(true);
    expect(files.list(layout.logSegments).sort()).toEqual([
      ...['000000000001.jsonl', '000000000001.names', '000000000901.jsonl', '000000000901.names'],
    ]);
    const log = new LogReader(files, logPlace(layout));
    expect([...log.rows({ names: ['m5', 'm1802'] })].map(({ seq }) => seq)).toEqual([5, 1802]);
  });

  it('looks again after a while: at what is new, was changed or spoiled, and for what is left over', async () => {
    const { files, time, naming } = makeScene();
    await naming.stepIfDue();
    files.write(FIRST, `${files.text(FIRST)}${rowsOf(7001, 1)}`);
    files.write(place('000000000800.names'), 'of a segment that is gone');
    files.write(place('notes.txt'), 'a person’s');
    await naming.stepIfDue();
    expect(namesOf(files, FIRST)).toBeUndefined();
    time.now += 60_000;
    await naming.stepIfDue();
    expect(namesOf(files, FIRST)?.mayHold('m7001')).toBe(true);
    expect(files.list(layout.logSegments)).toContain('notes.txt');
    expect(files.list(layout.logSegments)).not.toContain('000000000800.names');
  });

  it('rests between slices, and ends with the router without a file', async () => {
    const { files, naming, ending } = makeScene();
    const step = naming.stepIfDue();
    ending.abort();
    await step;
    await naming.settled();
    expect(files.list(layout.logSegments)).toHaveLength(2);
    await naming.stepIfDue();
    expect(files.list(layout.logSegments)).toHaveLength(2);
  });

  it('waits for better times when the machine refuses', async () => {
    const { files, time, naming } = makeScene();
    files.chmod(layout.logSegments, { read: true, write: false });
    await naming.stepIfDue();
    files.chmod(layout.logSegments, { read: true, write: true });
    time.now += 60_000;
    await naming.stepIfDue();
    expect(namesOf(files, FIRST)).toBeDefined();
  });
});

describe('a router that is up', () => {
  it('names the segments of its log, and a message is traced by it', async () => {
    const hive = await makePastHive();
    const { id } = await hive.send('planner', { to: 'coder', act: 'request', body: 'x' });
    const { logSegments } = hive.layout;
    mkdirSync(logSegments);
    const older = join(logSegments, '000000000000.jsonl');
    writeFileSync(older, rowsOf(0, 20));
    const router = await startRouter({ dir: hive.dir, pollMs: 20 });
    await expect.poll(() => existsSync(namesFileOf(older)), { timeout: 20_000 }).toBe(true);
    await router.stop();
    const { steps } = await hive.hive.trace(id);
    expect(steps.map(({ kind }) => kind)).toContain('delivered');
  });
});
