import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { endOrphan, forgetChild, recordChild } from '../../src/history/child-record.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { makeHive, prepare } from './hive.ts';

function place(): string {
  return join(tempDir(), 'git-child.json');
}

/** A process that goes on until it is ended; nothing of it stays after the test. */
function startSleep(program = 'sleep', args = ['600']): { child: ChildProcess; pid: number } {
  const child = spawn(program, args, { stdio: 'ignore' });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  if (child.pid === undefined) throw new Error('sleep does not start');
  return { child, pid: child.pid };
}

const runs = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

test('an orphan that still runs is ended, and its record goes', async () => {
  const path = place();
  const { child, pid } = startSleep();
  recordChild(path, pid);
  const exit = once(child, 'exit');
  expect(await endOrphan(path, { graceMs: 50 })).toBe('ended');
  expect(await exit).toEqual([null, 'SIGTERM']);
  expect(existsSync(path)).toBe(false);
});

test('an orphan that ignores the polite signal is killed', async () => {
  const path = place();
  const script = `process.on('SIGTERM', () => {}); process.send('ready'); setInterval(() => {}, 1e6);`;
  const child = spawn(process.execPath, ['-e', script], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  recordChild(path, child.pid ?? 0);
  const exit = once(child, 'exit');
  expect(await endOrphan(path, { graceMs: 20 })).toBe('ended');
  expect(await exit).toEqual([null, 'SIGKILL']);
});

test('an orphan that finishes in time is left to finish', async () => {
  const path = place();
  const { child, pid } = startSleep('sleep', ['0.3']);
  recordChild(path, pid);
  expect(await endOrphan(path, { graceMs: 20_000 })).toBe('finished');
  expect(child.signalCode).toBeNull();
  expect(existsSync(path)).toBe(false);
});

test('a process that has the pid but started at another time is left alone', async () => {
  const path = place();
  const { child, pid } = startSleep();
  recordChild(path, pid);
  const record = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...record, startedAt: '1' }));
  expect(await endOrphan(path, { graceMs: 0 })).toBe('none');
  expect(runs(child)).toBe(true);
  expect(existsSync(path)).toBe(false);
});

test('a process of another boot is left alone', async () => {
  const path = place();
  const { child, pid } = startSleep();
  recordChild(path, pid);
  const record = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...record, bootId: 'another' }));
  expect(await endOrphan(path, { graceMs: 0 })).toBe('none');
  expect(runs(child)).toBe(true);
});

test('a process whose start is not known is waited for and left alone', async () => {
  const path = place();
  const { child, pid } = startSleep();
  writeFileSync(path, JSON.stringify({ pid }));
  expect(await endOrphan(path, { graceMs: 0 })).toBe('finished');
  expect(runs(child)).toBe(true);
});

test.each(['', '{', 'null', '[]', '{"pid":0}', '{"pid":-1}', '{"pid":1}', '{"pid":"7"}'])(
  'a record that names no process is dropped: %j',
  async (text) => {
    const path = place();
    writeFileSync(path, text);
    expect(await endOrphan(path)).toBe('none');
    expect(existsSync(path)).toBe(false);
  },
);

test('no record, no orphan', async () => {
  expect(await endOrphan(place())).toBe('none');
});

test('waiting for an orphan ends with the signal, and its record stays', async () => {
  const path = place();
  const { child, pid } = startSleep();
  recordChild(path, pid);
  const signal = AbortSignal.abort();
  await expect(endOrphan(path, { signal })).rejects.toMatchObject({ name: 'AbortError' });
  expect(runs(child)).toBe(true);
  expect(existsSync(path)).toBe(true);
});

test('the record of another router is not removed', () => {
  const path = place();
  recordChild(path, process.pid);
  forgetChild(path, process.pid + 1);
  expect(existsSync(path)).toBe(true);
  forgetChild(path, process.pid);
  expect(existsSync(path)).toBe(false);
});

test('a start ends the orphan before it cleans the lock that the orphan holds', async () => {
  const hive = makeHive();
  await prepare(hive);
  const lock = join(hive.layout.git, 'refs/heads/main.lock');
  writeFileSync(lock, '');
  // Ends on SIGTERM, and says on its way whether the lock was still there.
  const said = join(hive.layout.root, 'said');
  const script = `trap 'test -e ${lock} && echo held > ${said}; exit' TERM; while :; do sleep 0.05; done`;
  const { child, pid } = startSleep('sh', ['-c', script]);
  recordChild(join(hive.layout.router, 'git-child.json'), pid);
  const exit = once(child, 'exit');
  await prepare(hive);
  await exit;
  expect(readFileSync(said, 'utf8')).toBe('held\n');
  expect(existsSync(lock)).toBe(false);
  expect(hive.reports.map(({ kind }) => kind)).toEqual(['orphan-ended']);
});
