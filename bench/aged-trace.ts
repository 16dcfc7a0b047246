/**
 * What it costs to tell one message's life in a hive that is old: of the newest message and of the oldest,
 * against the one message of a hive that has no other, as a program of its own and within this one.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { layoutOf } from '../src/hive/layout.ts';
import { createNodeFs } from '../src/hive/node-fs.ts';
import { systemClock } from '../src/hive/system-clock.ts';
import { openHive, runOnce } from '../src/index.ts';
import type { AgentId } from '../src/protocol/addresses.ts';
import { SegmentNaming } from '../src/router/segment-naming.ts';
import { letterText, quantile, report, round } from './measure.ts';

const LAUNCHER = join(import.meta.dirname, '../dist/cli/hivemail.cjs');
const REACH = '<= 1.2 x';

/** A message, and the hive it is in. */
export interface Traced {
  hive: string;
  id: string;
}

/** Has the closed segments of a log tell what they name, as a router that is up does. */
export async function nameSegments(hive: string): Promise<void> {
  const place = { fs: createNodeFs(), layout: layoutOf(hive), clock: systemClock };
  await new SegmentNaming(place, new AbortController().signal).stepIfDue();
}

/** Routes the only letter of a hive, and returns it. */
export async function sendOne(hive: string): Promise<Traced> {
  const { outbox } = layoutOf(hive).agent('a0' as AgentId);
  writeFileSync(join(outbox, 'only.json'), letterText('a1', 0));
  await runOnce({ dir: hive, clock: systemClock });
  const [row] = [...openHive(hive).rows({ filter: { kinds: ['letter'] } })];
  return { hive, id: row?.id ?? '' };
}

/** Times the three in turns, and prints what the two of the old hive cost more. */
export async function compareTraces(
  { newest, oldest, only }: Record<'newest' | 'oldest' | 'only', Traced>,
  rounds: number,
): Promise<void> {
  const ways = { 'process and all': traceByProcess, 'in process': traceHere };
  for (const [way, trace] of Object.entries(ways)) {
    const traced = [newest, oldest, only];
    const times: number[][] = traced.map(() => []);
    for (let turn = 0; turn < rounds; turn++) {
      for (const [place, each] of traced.entries()) {
        const start = performance.now();
        await trace(each);
        times[place]?.push(performance.now() - start);
      }
    }
    const [ofNewest = 0, ofOldest = 0, ofOnly = 0] = times.map((each) => quantile(each, 0.5));
    const tell = (what: string, took: number): void => {
      const ratio = `${round(took / ofOnly)} x empty (${round(ofOnly)} ms)`;
      report(`trace of the ${what} message, ${way}`, `p50 ${round(took)} ms`, ratio, REACH);
    };
    tell('newest', ofNewest);
    tell('oldest', ofOldest);
  }
}

async function traceByProcess({ hive, id }: Traced): Promise<void> {
  const args = [LAUNCHER, 'trace', id, '--hive', hive];
  const { status, stderr, error } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`trace ended with ${status}: ${stderr}`, { cause: error });
}

async function traceHere({ hive, id }: Traced): Promise<void> {
  const { steps } = await openHive(hive).trace(id);
  if (steps.length === 0) throw new Error(`${id} has no life.`);
}
