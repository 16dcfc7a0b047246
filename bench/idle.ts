/** A pass over 1 000 agents with nothing to do, and what the daemon costs while it waits. */
import { lstatSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { layoutOf } from '../src/hive/layout.ts';
import { systemClock } from '../src/hive/system-clock.ts';
import type { AgentId } from '../src/protocol/addresses.ts';
import { openRouter } from '../src/router/open-router.ts';
import { runPass } from '../src/router/pass.ts';
import { startDaemon } from './daemon.ts';
import { makeHive, quantile, report, round, withTempDir } from './measure.ts';

const AGENTS = 1000;
const PASSES = 200;
const IDLE_MS = 60_000;
const SETTLING_MS = 60_000;

await withTempDir(async (dir) => {
  const hive = await makeHive(dir, AGENTS);
  const layout = layoutOf(hive);
  const outboxes = Array.from(
    { length: AGENTS },
    (_, n) => layout.agent(`a${n}` as AgentId).outbox,
  );
  const passes: number[] = [];
  const stats: number[] = [];
  {
    await using open = await openRouter({ dir: hive, clock: systemClock });
    await runPass(open.router, { takeIn: true });
    await pause(2500);
    await runPass(open.router, { takeIn: true });
    for (let turn = 0; turn < PASSES; turn++) {
      passes.push(await timed(async () => void (await runPass(open.router, { takeIn: true }))));
      stats.push(
        await timed(async () => outboxes.forEach((path) => lstatSync(path, { bigint: true }))),
      );
    }
  }
  const pass = quantile(passes, 0.5);
  const stat = quantile(stats, 0.5);
  report(
    `idle pass, ${AGENTS} agents`,
    `p50 ${round(pass)} ms, p99 ${round(quantile(passes, 0.99))} ms`,
    `${round(pass / stat)} x ${AGENTS} lstat calls (${round(stat)} ms)`,
    '<= 15 ms',
  );
  const share = await daemonShare(hive);
  report(
    `idle daemon, ${AGENTS} agents, poll 1500 ms`,
    `${round(share * 100)} % of a core`,
    `over ${IDLE_MS / 1000} s`,
    '<= 1 %',
  );
});

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** What the router takes as people run it, all its threads, once it has looked at everything. */
async function daemonShare(hive: string): Promise<number> {
  await using router = await startDaemon(hive);
  await pause(SETTLING_MS);
  const before = router.cpuMs();
  await pause(IDLE_MS);
  return (router.cpuMs() - before) / IDLE_MS;
}
