import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { recordBatches } from '../../src/history/recorder.ts';
import { findInPath } from '../../src/hive/path-lookup.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import * as hives from './hive.ts';

const LONG = { timeoutMs: 30_000 };
const REAL_GIT = findInPath('git', process.env['PATH'] ?? '') ?? '';

const queue = (hive: hives.TestHive): string[] => readdirSync(hive.layout.historyQueue);

/** A git whose behaviour a test can change by writing the script anew. */
function makeGit(dir: string, body = ''): string {
  const path = join(dir, 'git');
  writeFileSync(path, `#!/bin/sh\n${body}\nexec ${REAL_GIT} "$@"\n`);
  chmodSync(path, 0o700);
  return path;
}

test('what waits when the router starts is recorded in order, oldest first', async () => {
  const hive = hives.makeHive();
  const batches = ['one', 'two', 'three'].map((subject) =>
    hives.makeBatch(hive, hives.makeMessage(hive, { subject })),
  );
  for (const batch of batches) hives.enqueue(hive, batch);
  const { list } = hive.fs;
  hive.fs.list = (dir, most) => list(dir, most).sort().reverse();
  const history = await hives.open(hive);
  expect(history.state()).toMatchObject({ ok: true, behind: 3 });
  expect(await history.flush(LONG)).toBe(true);
  expect(hives.subjects(hive).map((line) => /"(.*)"/.exec(line)?.[1])).toEqual([
    'one',
    'two',
    'three',
  ]);
  expect(queue(hive)).toEqual([]);
  expect(history.state()).toEqual({
    ok: true,
    behind: 0,
    lastRecordedAt: '2026-11-30T17:19:11.123Z',
    gitVersion: expect.stringMatching(/^\d+\.\d+/),
  });
  expect(hive.reports).toEqual([]);
});

test('many nudges while batches arrive record each batch once', async () => {
  const hive = hives.makeHive();
  const history = await hives.open(hive);
  for (let count = 0; count < 20; count++) {
    hives.enqueue(hive, hives.makeBatch(hive));
    history.nudge();
    if (count % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await history.flush(LONG)).toBe(true);
  expect(hives.commitCount(hive)).toBe(20);
});

test('a batch that was recorded before the router was killed is not recorded again', async () => {
  const hive = hives.makeHive();
  const [killed, next] = [hives.makeBatch(hive), hives.makeBatch(hive)];
  await recordBatches(await hives.prepare(hive), [killed]);
  for (const batch of [killed, next]) hives.enqueue(hive, batch);
  const history = await hives.open(hive);
  expect(await history.flush(LONG)).toBe(true);
  expect(hives.commitCount(hive)).toBe(2);
});

test('more batches than one import takes are all recorded', async () => {
  const hive = hives.makeHive();
  for (let count = 0; count < 120; count++) hives.enqueue(hive, hives.makeBatch(hive));
  const history = await hives.open(hive);
  expect(await history.flush(LONG)).toBe(true);
  expect(hives.commitCount(hive)).toBe(120);
  expect(readdirSync(join(hive.layout.git, 'objects', 'pack'))).toHaveLength(6);
});

test('a batch without records leaves the queue and no commit', async () => {
  const hive = hives.makeHive();
  hives.enqueue(hive, { ...hives.makeBatch(hive), records: [] });
  const history = await hives.open(hive);
  expect(await history.flush(LONG)).toBe(true);
  expect(hives.tryGit(hive.layout.root, 'rev-parse', '--verify', 'main').status).not.toBe(0);
});

test('what holds no batch is put aside and reported; the others are recorded', async () => {
  const hive = hives.makeHive();
  const { historyQueue } = hive.layout;
  const good = hives.makeBatch(hive);
  const bad: Record<string, string> = {
    'cut.json': '{"batch"',
    'null.json': 'null',
    'path.json': JSON.stringify({ ...good, records: [{ id: '../../../x', original: '' }] }),
    'void.json': JSON.stringify({ ...good, records: [{ id: good.batch }] }),
    'time.json': JSON.stringify({ ...good, at: 'noon' }),
    'text.json': JSON.stringify({ ...good, records: [{ id: good.batch, message: { to: [] } }] }),
  };
  for (const [name, text] of Object.entries(bad)) writeFileSync(join(historyQueue, name), text);
  mkdirSync(join(historyQueue, 'dir.json'));
  writeFileSync(join(historyQueue, 'note.txt'), '');
  hives.enqueue(hive, good);
  const history = await hives.open(hive);
  expect(await history.flush(LONG)).toBe(true);
  expect(hives.commitCount(hive)).toBe(1);
  const aside = [...Object.keys(bad), 'dir.json'].map((name) => `${name}.unreadable`);
  expect(queue(hive).sort()).toEqual([...aside, 'note.txt'].sort());
  expect(hive.reports.map(({ kind }) => kind)).toEqual(aside.map(() => 'unreadable-batch'));
  expect(history.state().ok).toBe(true);
});

test('a file that the disk does not give holds up no other, and stays', async () => {
  const hive = hives.makeHive();
  const stuck = hives.enqueue(hive, hives.makeBatch(hive));
  hives.enqueue(hive, hives.makeBatch(hive));
  const { read } = hive.fs;
  let broken = true;
  hive.fs.read = (path, most) => {
    if (broken && path === stuck) throw Object.assign(new Error('EIO: read'), { code: 'EIO' });
    return read(path, most);
  };
  const history = await hives.open(hive);
  expect(await history.flush(LONG)).toBe(false);
  expect(hives.commitCount(hive)).toBe(1);
  expect(existsSync(stuck)).toBe(true);
  expect(history.state()).toMatchObject({
    ok: false,
    behind: 1,
    problem: expect.stringContaining('EIO'),
  });
  broken = false;
  expect(await history.flush(LONG)).toBe(true);
  expect(hives.commitCount(hive)).toBe(2);
});

test('without git the batches stay, the state says so once, and git is found when it comes', async () => {
  const hive = hives.makeHive();
  hives.enqueue(hive, hives.makeBatch(hive));
  const bin = tempDir();
  const history = await hives.open(hive, { env: { PATH: bin } });
  expect(await history.flush(LONG)).toBe(false);
  expect(await history.flush(LONG)).toBe(false);
  expect(history.state()).toEqual({
    ok: false,
    behind: 1,
    problem: expect.stringContaining('git was not found on PATH'),
  });
  expect(hive.reports.map(({ kind }) => kind)).toEqual(['recording-failed']);
  makeGit(bin);
  expect(await history.flush(LONG)).toBe(true);
  expect(history.state()).toMatchObject({ ok: true, behind: 0 });
  expect(hives.commitCount(hive)).toBe(1);
});

test('nudges do nothing for a while after a failure, then try again', async () => {
  const hive = hives.makeHive();
  hives.enqueue(hive, hives.makeBatch(hive));
  const dir = tempDir();
  const calls = join(dir, 'calls');
  const gitPath = makeGit(dir, `echo x >> ${calls}; echo 'fatal: no' >&2; exit 128`);
  const history = await hives.open(hive, { gitPath });
  const count = (): number => (hive.fs.stat(calls)?.sizeBytes ?? 0) / 2;
  await history.flush(LONG);
  const before = count();
  hive.clock.passMs(999);
  for (let nudge = 0; nudge < 5; nudge++) history.nudge();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(count()).toBe(before);
  hive.clock.passMs(60_000);
  for (let nudge = 0; nudge < 5; nudge++) history.nudge();
  await until(() => count() > before);
  await history[Symbol.asyncDispose]();
  expect(count()).toBe(before + 1);
});

test('a repository that goes while the router runs is made anew', async () => {
  const hive = hives.makeHive();
  const history = await hives.open(hive);
  hives.enqueue(hive, hives.makeBatch(hive));
  expect(await history.flush(LONG)).toBe(true);
  rmSync(hive.layout.git, { recursive: true });
  hives.enqueue(hive, hives.makeBatch(hive));
  expect(await history.flush(LONG)).toBe(false);
  expect(await history.flush(LONG)).toBe(true);
  expect(hives.commitCount(hive)).toBe(1);
  expect(history.state().ok).toBe(true);
});

test('a lock that a killed git left while the router runs goes by itself', async () => {
  const hive = hives.makeHive();
  const history = await hives.open(hive);
  hives.enqueue(hive, hives.makeBatch(hive));
  await history.flush(LONG);
  writeFileSync(join(hive.layout.git, 'refs/heads/main.lock'), '');
  hives.enqueue(hive, hives.makeBatch(hive));
  expect(await history.flush(LONG)).toBe(false);
  expect(history.state().problem).toContain('git fast-import failed');
  expect(await history.flush(LONG)).toBe(true);
  expect(hives.commitCount(hive)).toBe(2);
});

test('a flush gives up in time, on the signal, and when it is closed', async () => {
  const hive = hives.makeHive();
  hives.enqueue(hive, hives.makeBatch(hive));
  const gitPath = makeGit(tempDir(), 'case "$*" in *fast-import*) sleep 600;; esac');
  const history = await hives.open(hive, { gitPath, closeMs: 1 });
  expect(await history.flush({ timeoutMs: 1 })).toBe(false);
  expect(await history.flush({ signal: AbortSignal.abort() })).toBe(false);
  await history[Symbol.asyncDispose]();
  expect(await history.flush(LONG)).toBe(false);
  expect(queue(hive)).toHaveLength(1);
});

test('closing ends a git that hangs, and leaves nothing of it running', async () => {
  const hive = hives.makeHive();
  hives.enqueue(hive, hives.makeBatch(hive));
  const dir = tempDir();
  const gitPath = makeGit(
    dir,
    `case "$*" in *fast-import*) echo $$ > ${dir}/pid; exec sleep 600;; esac`,
  );
  const history = await hives.open(hive, { gitPath, closeMs: 1 });
  await until(
    () =>
      existsSync(join(dir, 'pid')) && readdirSync(hive.layout.router).includes('git-child.json'),
  );
  await history[Symbol.asyncDispose]();
  const pid = Number(Buffer.from(hive.fs.read(join(dir, 'pid'), 99).bytes).toString());
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  expect(readdirSync(hive.layout.router)).toEqual(['history']);
  expect(history.state()).toMatchObject({ behind: 1 });
});

test('closing waits for a recording in progress', async () => {
  const hive = hives.makeHive();
  hives.enqueue(hive, hives.makeBatch(hive));
  const gitPath = makeGit(tempDir(), 'case "$*" in *fast-import*) sleep 0.3;; esac');
  const history = await hives.open(hive, { gitPath, closeMs: 30_000 });
  await until(() => readdirSync(hive.layout.router).includes('git-child.json'));
  await history[Symbol.asyncDispose]();
  expect(hives.commitCount(hive)).toBe(1);
  expect(queue(hive)).toEqual([]);
});

test('many recordings leave few packs', async () => {
  const hive = hives.makeHive();
  const repository = await hives.prepare(hive);
  for (let count = 0; count < 64; count++) await recordBatches(repository, [hives.makeBatch(hive)]);
  const history = await hives.open(hive);
  const packs = (): number =>
    readdirSync(join(hive.layout.git, 'objects', 'pack')).filter((name) => name.endsWith('.pack'))
      .length;
  await until(() => packs() < 64 && !existsSync(join(hive.layout.router, 'git-child.json')));
  await history[Symbol.asyncDispose]();
  expect(hives.commitCount(hive)).toBe(64);
  expect(hives.tryGit(hive.layout.root, 'fsck').status).toBe(0);
});

test('a listener that throws stops nothing', async () => {
  const hive = hives.makeHive();
  writeFileSync(join(hive.layout.historyQueue, 'a.json'), '');
  hives.enqueue(hive, hives.makeBatch(hive));
  const onProblem = (): never => {
    throw new Error('listener');
  };
  const history = await hives.open(hive, { onProblem });
  expect(await history.flush(LONG)).toBe(true);
  expect(history.state().ok).toBe(true);
});

test('a queue that can not be listed is a problem and no exception', async () => {
  const hive = hives.makeHive();
  hive.fs.list = () => {
    throw Object.assign(new Error('EMFILE: list'), { code: 'EMFILE' });
  };
  const history = await hives.open(hive);
  expect(await history.flush(LONG)).toBe(false);
  expect(history.state()).toMatchObject({ ok: false, problem: expect.stringContaining('EMFILE') });
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}

test('nudges in close succession share one import when batches may gather', async () => {
  const hive = hives.makeHive();
  const calls = join(hive.layout.root, 'calls');
  const gitPath = makeGit(hive.layout.root, `echo "$*" >> ${calls}`);
  const history = await hives.open(hive, { gitPath, gather: { quietMs: 200, mostMs: 60_000 } });
  for (let count = 0; count < 5; count++) {
    hives.enqueue(hive, hives.makeBatch(hive));
    history.nudge();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await vi.waitFor(() => expect(history.state().behind).toBe(0), { timeout: 20_000 });
  const imports = readFileSync(calls, 'utf8')
    .split('\n')
    .filter((call) => call.includes('fast-import'));
  expect(imports).toHaveLength(1);
  expect(hives.commitCount(hive)).toBe(5);
});

test('closing ends the wait for more batches', async () => {
  const hive = hives.makeHive();
  const history = await hives.open(hive, { gather: { quietMs: 60_000, mostMs: 60_000 } });
  hives.enqueue(hive, hives.makeBatch(hive));
  history.nudge();
  await history[Symbol.asyncDispose]();
  expect(queue(hive)).toHaveLength(1);
});
