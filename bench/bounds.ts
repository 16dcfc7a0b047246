/**
 * What one agent can do to the others: a file of 100 MB, JSON nested 10 000 deep, letters of 1 MiB that
 * are slow to read, an outbox of 100 000 files. For each, how much the router grows, and how long the
 * letters of two other agents take meanwhile, over what they take when all is quiet.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  ftruncateSync,
  openSync,
  readdirSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { layoutOf } from '../src/hive/layout.ts';
import type { AgentId } from '../src/protocol/addresses.ts';
import { letterText, makeHive, quantile, report, round, withTempDir } from './measure.ts';
import { memoryOf } from './process-memory.ts';

const HIVEMAIL = join(import.meta.dirname, '../dist/cli/hivemail.cjs');
const MIB = 1024 * 1024;
const FLOOD = Number(process.env['HIVEMAIL_BENCH_FLOOD'] ?? 100_000);
const SAMPLES = 40;
const MOST_MS = 120_000;
const MOST_FLOOD_MS = 900_000;

/** What `a0` does; letters go from `a1` to `a2` meanwhile. */
type Attack = (outbox: string) => void;

const attacks: [what: string, attack: Attack][] = [
  ['a file of 100 MB', writeLargeFile],
  ['JSON nested 10 000 deep, 50 letters', writeDeepLetters],
  ['objects of 80 000 fields, 50 letters', writeWideLetters],
  [`${FLOOD} files in one outbox`, (outbox) => writeFlood(outbox, FLOOD)],
];

for (const [what, attack] of attacks) await withTempDir((dir) => measure(dir, what, attack));

async function measure(dir: string, what: string, attack: Attack): Promise<void> {
  const hive = await makeHive(dir, 4);
  const outbox = layoutOf(hive).agent('a0' as AgentId).outbox;
  const router = spawn(process.execPath, [HIVEMAIL, 'up', hive], { stdio: 'ignore' });
  try {
    await pause(2000);
    const quiet = await latencies(hive, 0);
    const before = memoryOf(router).now;
    attack(outbox);
    const waiting = readdirSync(outbox).length - 1;
    const during = await latencies(hive, SAMPLES);
    const left = readdirSync(outbox).length - 1;
    const [calm, busy] = [quantile(quiet, 0.5), quantile(during, 0.5)];
    const [calmest, busiest] = [quantile(quiet, 0.99), quantile(during, 0.99)];
    report(
      what,
      `p50 ${round(busy)} ms, p99 ${round(busiest)} ms`,
      `p50 ${round(busy / calm)} x, p99 ${round(busiest / calmest)} x quiet (${round(calm)}, ${round(calmest)} ms)`,
      `a small part of a pass (${waiting} waited, ${left} left)`,
    );
    if (left > 500) await reportThroughput(outbox);
    const { most } = memoryOf(router);
    report(
      '  router',
      `${round(most / MIB)} MiB at most`,
      `+${round((most - before) / MIB)} MiB`,
      '<= 150 MiB',
    );
  } finally {
    router.kill('SIGTERM');
    await once(router, 'exit');
  }
}

/** Tells how fast the rest of a flood goes when nobody else writes, for as long as it takes. */
async function reportThroughput(outbox: string): Promise<void> {
  const waiting = (): number => readdirSync(outbox).length - 1;
  const [before, start] = [waiting(), performance.now()];
  let left = before;
  while (left > 0 && performance.now() - start < MOST_FLOOD_MS) {
    await pause(1000);
    left = waiting();
  }
  const seconds = (performance.now() - start) / 1000;
  const rate = `${Math.round((before - left) / seconds)}/s`;
  report('  the flood alone', rate, `over ${Math.round(seconds)} s`, `the end (${left} left)`);
}

/** Times letters of a bystander to another, one after the other. */
async function latencies(hive: string, from: number): Promise<number[]> {
  const layout = layoutOf(hive);
  const { outbox } = layout.agent('a1' as AgentId);
  const { inbox } = layout.agent('a2' as AgentId);
  const samples: number[] = [];
  for (let serial = from; serial < from + SAMPLES; serial++) {
    const before = readdirSync(inbox).length;
    writeFileSync(join(outbox, '.tmp'), letterText('a2', serial));
    const start = performance.now();
    renameSync(join(outbox, '.tmp'), join(outbox, `l${serial}.json`));
    while (readdirSync(inbox).length === before) {
      if (performance.now() - start > MOST_MS) throw new Error(`Letter ${serial} does not arrive.`);
      await pause(1);
    }
    samples.push(performance.now() - start);
    await pause(20);
  }
  return samples;
}

function writeLargeFile(outbox: string): void {
  const fd = openSync(join(outbox, '.tmp'), 'w');
  writeSync(fd, '{"to":"a2","act":"inform","body":"');
  const block = Buffer.alloc(MIB, 'x');
  for (let left = 100; left > 0; left--) writeSync(fd, block);
  ftruncateSync(fd, 100 * MIB);
  closeSync(fd);
  renameSync(join(outbox, '.tmp'), join(outbox, 'large.json'));
}

function writeDeepLetters(outbox: string): void {
  const deep = `{"to":"a2","act":"inform","body":${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
  for (let serial = 0; serial < 50; serial++)
    writeFileSync(join(outbox, `deep-${serial}.json`), deep);
}

function writeWideLetters(outbox: string): void {
  const fields = Array.from({ length: 80_000 }, (_, serial) => `"k${serial}":0`);
  const wide = `{"to":"a3","act":"inform","body":{${fields.join(',')}}}`;
  for (let serial = 0; serial < 50; serial++)
    writeFileSync(join(outbox, `wide-${serial}.json`), wide);
}

function writeFlood(outbox: string, files: number): void {
  const text = JSON.stringify({ to: 'a3', act: 'inform', subject: 'Flood', body: 'x' });
  for (let serial = 0; serial < files; serial++)
    writeFileSync(join(outbox, `f${serial}.json`), text);
}
