/** From the rename into an outbox to the file in the inbox, with the watcher and without it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, renameSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { layoutOf } from '../src/hive/layout.ts';
import { createNodeFs } from '../src/hive/node-fs.ts';
import type { AgentId } from '../src/protocol/addresses.ts';
import { letterText, makeHive, quantile, report, round, withTempDir } from './measure.ts';

const HIVEMAIL = join(import.meta.dirname, '../dist/cli/hivemail.cjs');
const AGENTS = 10;
const WATCHED = 300;
const POLLED = 20;
const POLL_MS = 500;

await withTempDir(async (dir) => {
  const hive = await makeHive(dir, AGENTS);
  const watched = await measure(hive, [], WATCHED);
  const bare = await bareLatency(dir);
  report(
    'outbox to inbox, watcher on, durable',
    `p50 ${round(quantile(watched, 0.5))} ms, p99 ${round(quantile(watched, 0.99))} ms`,
    `p50 ${round(quantile(watched, 0.5) / quantile(bare, 0.5))} x its syncs alone (${round(quantile(bare, 0.5))} ms)`,
    'p50 <= 5 ms, p99 <= 25 ms',
  );
  const polled = await measure(hive, ['--no-watch', '--poll-ms', `${POLL_MS}`], POLLED);
  report(
    `outbox to inbox, watcher off, poll ${POLL_MS} ms`,
    `max ${round(Math.max(...polled))} ms`,
    `${round(Math.max(...polled) / POLL_MS)} x the poll`,
    `<= ${POLL_MS + 50} ms`,
  );
});

async function measure(hive: string, flags: string[], letters: number): Promise<number[]> {
  const layout = layoutOf(hive);
  const router = spawn(process.execPath, [HIVEMAIL, 'up', hive, ...flags], { stdio: 'ignore' });
  await pause(1500);
  const samples: number[] = [];
  for (let serial = 0; serial < letters; serial++) {
    const { outbox } = layout.agent(`a${serial % AGENTS}` as AgentId);
    const { inbox } = layout.agent(`a${(serial + 1) % AGENTS}` as AgentId);
    const temporary = join(outbox, '.tmp-bench');
    writeFileSync(temporary, letterText(`a${(serial + 1) % AGENTS}`, serial));
    const watcher = watch(inbox);
    const start = performance.now();
    renameSync(temporary, join(outbox, `l${serial}.json`));
    await once(watcher, 'change');
    samples.push(performance.now() - start);
    watcher.close();
    await pause(20 + ((serial * 37) % 50));
  }
  router.kill('SIGTERM');
  await once(router, 'exit');
  return samples;
}

/** The syncs on the way of one letter: claims, copy, plan and their directory together, then the commit. */
async function bareLatency(dir: string): Promise<number[]> {
  const fs = createNodeFs();
  const samples: number[] = [];
  for (let serial = 0; serial < WATCHED; serial++) {
    const stage = join(dir, `s${serial}`);
    const start = performance.now();
    fs.mkdir(stage);
    await Promise.all([
      fs.syncDir(dir),
      fs.create(join(stage, 'copy'), letterText('a1', serial)),
      fs.create(join(stage, 'plan.json'), letterText('a1', serial)),
      fs.syncDir(stage),
    ]);
    fs.rename(stage, join(dir, `o${serial}`));
    await fs.syncDir(dir);
    fs.rename(join(dir, `o${serial}`, 'copy'), join(dir, `i${serial}`));
    samples.push(performance.now() - start);
    if (!existsSync(join(dir, `i${serial}`))) throw new Error('The bare protocol lost its file.');
    await pause(10);
  }
  return samples;
}
