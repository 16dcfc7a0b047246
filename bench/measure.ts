import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { initHive } from '../src/hive/init.ts';
import { createNodeFs } from '../src/hive/node-fs.ts';

/** The value below which a share of the samples lies. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Prints one figure on a line: what, the value, the ratio to the machine's limit, what to reach. */
export function report(what: string, value: string, ratio: string, reach: string): void {
  console.log(`${what.padEnd(46)} ${value.padEnd(28)} ${ratio.padEnd(30)} reach: ${reach}`);
}

/** Rounds to two places. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Runs work in a temporary directory on the file system of the project, and removes it. */
export async function withTempDir<Result>(work: (dir: string) => Promise<Result>): Promise<Result> {
  const base = process.env['HIVEMAIL_BENCH_DIR'] ?? tmpdir();
  const dir = mkdtempSync(join(base, 'hivemail-bench-'));
  try {
    return await work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** Makes a hive with agents `a0`, `a1`, …; `a0` is no orchestrator. */
export async function makeHive(dir: string, agents: number): Promise<string> {
  const hive = join(dir, 'hive');
  mkdirSync(dir, { recursive: true });
  const ids = Array.from({ length: agents }, (_, place) => `a${place}`);
  await initHive({ dir: hive, fs: createNodeFs(), agents: ids, orchestrator: undefined });
  return hive;
}

/** A letter of about two kilobytes. */
export function letterText(to: string, serial: number): string {
  const body = `${serial} ${'The quick brown fox jumps over the lazy dog. '.repeat(40)}`;
  return JSON.stringify({ to, act: 'request', subject: `Letter ${serial}`, body });
}
