/**
 * Memory of a router over 100 000 letters that are handled as they come, and then over some that nobody
 * handles; over a bare node process that the same flags were set for.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeHive, report, round, withTempDir } from './measure.ts';
import { memoryOf } from './process-memory.ts';
import { Traffic } from './traffic.ts';

const LETTERS = Number(process.env['HIVEMAIL_BENCH_LETTERS'] ?? 100_000);
const LEFT = LETTERS / 10;
const AGENTS = 10;
const MIB = 1024 * 1024;
const SHARES = [0.1, 0.25, 0.5, 0.75, 1];
const HIVEMAIL = join(import.meta.dirname, '../dist/cli/hivemail.cjs');
/** As the launcher sets them for a router. */
const FLAGS = ['--heap-growing-percent=25', '--semi-space-growth-factor=1'];
const BARE = `${JSON.stringify(FLAGS)}.forEach(require('node:v8').setFlagsFromString); setInterval(() => {}, 1000)`;

await withTempDir(async (dir) => {
  const hive = await makeHive(dir, AGENTS);
  const router = spawn(process.execPath, [HIVEMAIL, 'up', hive], { stdio: 'ignore' });
  try {
    await pause(3000);
    await measure(hive, router, await bareBytes());
  } finally {
    router.kill('SIGTERM');
    await once(router, 'exit');
  }
});

async function measure(hive: string, router: ChildProcess, bare: number): Promise<void> {
  const traffic = new Traffic(hive);
  const tell = (what: string, reach: string): number => {
    const { now, most } = memoryOf(router);
    const value = `${round(now / MIB)} MiB, ${round(most / MIB)} at most`;
    report(what, value, `${round(now / bare)} x node alone (${round(bare / MIB)} MiB)`, reach);
    return now;
  };
  tell('router before any letter', '-');
  const began = performance.now();
  const samples: { letters: number; bytes: number }[] = [];
  for (const share of SHARES) {
    const letters = Math.round(LETTERS * share);
    await traffic.route(letters - traffic.written, { agents: AGENTS, handle: true });
    samples.push({ letters, bytes: tell(`router after ${letters} letters`, '<= 150 MiB, flat') });
  }
  const rate = LETTERS / ((performance.now() - began) / 1000);
  const [first, last] = [samples[1], samples.at(-1)];
  if (first === undefined || last === undefined) throw new Error('There are no samples.');
  const slope = ((last.bytes - first.bytes) / MIB / (last.letters - first.letters)) * 10_000;
  report(
    `growth over the last ${last.letters - first.letters}`,
    `${round(slope)} MiB for 10 000 letters`,
    `${Math.round(rate)} letters/s`,
    'about 0',
  );
  await traffic.route(LEFT, { agents: AGENTS, handle: false });
  tell(`router after ${LEFT} more that nobody handles`, '<= 150 MiB');
}

async function bareBytes(): Promise<number> {
  const bare = spawn(process.execPath, ['-e', BARE], { stdio: 'ignore' });
  await pause(3000);
  const { now } = memoryOf(bare);
  bare.kill();
  await once(bare, 'exit');
  return now;
}
