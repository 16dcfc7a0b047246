// needs: git
import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { initHive } from '../../src/hive/init.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import { systemCode } from '../../src/protocol/errors.ts';
import { runPass } from '../../src/router/pass.ts';
import { hivemail, makePlace, startRouter } from '../e2e/built.ts';
import { HiveBench } from '../helpers/hive-bench.ts';
import { removeTree, tempDir } from '../helpers/temp-dir.ts';

const AGENTS = ['god', 'planner', 'coder', 'tester'];
const PAGE = 4096;
const LIMIT_MS = 120_000;

function canMount(): boolean {
  // In a name space of its own, so that nothing is left behind whatever happens.
  const trial = 'mount -t tmpfs tmpfs /mnt';
  return process.platform === 'linux' && process.getuid?.() === 0
    ? spawnSync('unshare', ['-m', 'sh', '-c', trial]).status === 0
    : false;
}

const mounts = canMount();
if (!mounts) {
  process.stderr.write('!!! SKIPPED: a full disk can only be tested by root, who may mount one.\n');
}

/** Mounts a small disk for one test. */
function smallDisk(sizeBytes: number): string {
  const dir = join(tempDir(), 'disk');
  mkdirSync(dir);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', dir]);
  onTestFinished(() => {
    execFileSync('umount', [dir]);
  });
  return dir;
}

/** Fills a disk but for so many bytes. Returns what frees it again. */
function fill(disk: string, freeBytes: number): () => void {
  const path = join(disk, 'ballast');
  const fd = openSync(path, 'w');
  let size = 0;
  try {
    for (const page = Buffer.alloc(PAGE, 1); ; ) size += writeSync(fd, page);
  } catch (error) {
    if (systemCode(error) !== 'ENOSPC') throw error;
  } finally {
    closeSync(fd);
  }
  truncateSync(path, Math.max(0, size - freeBytes));
  return () => unlinkSync(path);
}

/**
 * Runs a pass as the daemon does: what the machine refuses is tried again by the next.
 * @returns whether the machine was seen to be in trouble
 */
async function pass(bench: HiveBench): Promise<boolean> {
  bench.wait(2000);
  try {
    await runPass(bench.router, { takeIn: true });
    return bench.router.health.state === 'red';
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return true;
  }
}

async function makeBench(disk: string, name: string): Promise<HiveBench> {
  const dir = join(disk, name);
  await initHive({ dir, fs: createNodeFs(), agents: AGENTS, orchestrator: 'god' });
  const bench = new HiveBench(dir);
  onTestFinished(() => bench.close());
  return bench;
}

function writeLetters(bench: HiveBench): void {
  const body = 'x'.repeat(3000);
  bench.write('planner', { to: 'coder', act: 'request', subject: 'direct', body });
  bench.write('coder', { to: 'all', act: 'inform', subject: 'broadcast', body });
  bench.write('tester', { to: 'nobody', act: 'inform', subject: 'lost', body });
  bench.write('tester', `{"to":"god","act":"inform","subject":"mended","body":"${body}",}`);
}

function subjects(bench: HiveBench, agent: string): string[] {
  return bench
    .inbox(agent)
    .map(({ subject }) => subject)
    .sort();
}

function checkAll(bench: HiveBench): void {
  expect(AGENTS.map((agent) => subjects(bench, agent))).toEqual([
    ['broadcast', 'mended'],
    ['broadcast'],
    ['direct'],
    ['bounced: unknown-recipient: lost', 'broadcast'],
  ]);
  const told = bench.letterRows().map(({ subject, code }) => `${subject} ${code}`);
  expect(told.sort()).toEqual([
    'broadcast delivered',
    'direct delivered',
    'lost unknown-recipient',
    'mended delivered',
  ]);
  const sent = AGENTS.flatMap((agent) => bench.list('agents', agent, 'outbox', '.sent'));
  expect(sent.map((name) => name.replace(/\w+-\w+\./, '')).sort()).toEqual([
    '1.json',
    '2.json',
    '4.json',
    'bounced-3.json',
  ]);
}

describe.skipIf(!mounts)('D4. A really full disk', { timeout: LIMIT_MS }, () => {
  it('loses no letter, doubles none and quarantines none, however much room was left', async () => {
    const disk = smallDisk(4 * 1024 * 1024);
    let red = 0;
    for (let pages = 0; pages <= 30; pages += 3) {
      const bench = await makeBench(disk, `hive-${pages}`);
      await bench.open();
      await bench.run();
      writeLetters(bench);
      const free = fill(disk, pages * PAGE);
      let trouble = false;
      for (let left = 6; left > 0; left--) trouble = (await pass(bench)) || trouble;
      if (trouble) red += 1;
      free();
      await bench.settle();
      expect([pages, await bench.recorded()]).toEqual([pages, true]);
      checkAll(bench);
      await bench.close();
      const kept = ['agents', 'log.jsonl', '.git', '.router'].map((name) => join(bench.dir, name));
      expect(bench.list('.router').filter((name) => /^e\d/.test(name))).toEqual([]);
      for (const path of kept) removeTree(path);
    }
    process.stdout.write(`full disk: trouble at ${red} of 11 levels of free space\n`);
    expect(red).toBeGreaterThan(3);
  });

  it('keeps a router from starting and lets it start by itself once there is room', async () => {
    const disk = smallDisk(2 * 1024 * 1024);
    const bench = await makeBench(disk, 'hive');
    writeLetters(bench);
    const free = fill(disk, 0);
    await expect(bench.open()).rejects.toThrow(/ENOSPC|no space|refuses|can not be taken/i);
    expect(bench.list('agents', 'tester', 'outbox')).toEqual(['.sent', '3.json', '4.json']);
    free();
    await bench.open();
    await bench.settle();
    checkAll(bench);
  });

  it('that comes before a stop leaves everything to the next start', async () => {
    const disk = smallDisk(4 * 1024 * 1024);
    const place = await makePlace(disk, AGENTS.join(','));
    const bench = new HiveBench(place.hive);
    await using router = await startRouter(place);
    // Stopped, so that it does not use up the room that the letters are given.
    router.signal('SIGSTOP');
    const free = fill(disk, 5 * PAGE);
    writeLetters(bench);
    router.signal('SIGCONT');
    await vi.waitFor(() => expect(router.stderr()).toMatch(/ENOSPC/), { timeout: 20_000 });
    router.signal('SIGTERM');
    expect((await router.result()).signal).toBe(null);
    free();
    expect(await hivemail(place, ['up', place.hive, '--once'])).toMatchObject({ exitCode: 0 });
    checkAll(bench);
  });

  it('counts the rows that it lost and says how many once it can; none was of a letter', async () => {
    const disk = smallDisk(2 * 1024 * 1024);
    const bench = await makeBench(disk, 'hive');
    await bench.open();
    const bad = join(bench.dir, 'hive.bad');
    const [settings, good] = [join(bench.dir, 'hive.json'), join(bench.dir, 'hive.good')];
    writeFileSync(bad, '{');
    writeFileSync(good, '{}');
    await bench.run();
    const free = fill(disk, 0);
    // A row at every change of what is amiss; there is no room for any of them.
    const toggles = 1100;
    for (let left = toggles; left > 0; left--) {
      const [next, last] = left % 2 === 0 ? [bad, good] : [good, bad];
      if (readdirSync(bench.dir).includes('hive.json') && left < toggles)
        renameSync(settings, last);
      renameSync(next, settings);
      await pass(bench);
    }
    free();
    writeLetters(bench);
    await bench.settle();
    checkAll(bench);
    const rows = bench.rows();
    const lost = rows.filter(({ code }) => code === 'rows-lost');
    expect(lost).toHaveLength(1);
    const count = Number.parseInt(lost[0]?.note ?? '', 10);
    const told = rows.filter(({ code }) => code?.startsWith('settings')).length;
    expect([count > 50, count + told >= toggles]).toEqual([true, true]);
  });
});
