/** 1 000 letters of 2 kB over 10 agents: the router's rate over the rate of the bare system calls. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { layoutOf } from '../src/hive/layout.ts';
import { systemClock } from '../src/hive/system-clock.ts';
import type { AgentId } from '../src/protocol/addresses.ts';
import { openRouter } from '../src/router/open-router.ts';
import { runPass } from '../src/router/pass.ts';
import { runBareProtocol } from './bare-protocol.ts';
import { letterText, makeHive, quantile, report, round, withTempDir } from './measure.ts';

const AGENTS = 10;
const LETTERS = 1000;
const ROUNDS = 7;

const rates: { router: number[]; bare: number[]; ratio: number[] } = {
  router: [],
  bare: [],
  ratio: [],
};
for (let turn = 0; turn < ROUNDS; turn++) {
  const bare = await bareRate();
  const router = await routerRate();
  rates.bare.push(bare);
  rates.router.push(router);
  rates.ratio.push(router / bare);
}
const middle = (samples: number[]) => quantile(samples, 0.5);
report(
  `durable routing, ${LETTERS} x 2 kB, ${AGENTS} agents`,
  `${Math.round(middle(rates.router))}/s (bare ${Math.round(middle(rates.bare))}/s)`,
  `${round(middle(rates.ratio))} x bare (${rates.ratio.map(round).join(' ')})`,
  '>= 0.7 x',
);

async function routerRate(): Promise<number> {
  return await withTempDir(async (dir) => {
    const hive = await makeHive(dir, AGENTS);
    await using open = await openRouter({ dir: hive, clock: systemClock });
    await runPass(open.router, { takeIn: true });
    const layout = layoutOf(hive);
    fill((agent) => layout.agent(`a${agent}` as AgentId).outbox);
    const start = performance.now();
    let routed = 0;
    while (routed < LETTERS) routed += (await runPass(open.router, { takeIn: true })).letters;
    return LETTERS / ((performance.now() - start) / 1000);
  });
}

async function bareRate(): Promise<number> {
  return await withTempDir(async (dir) => {
    const boxes = (kind: string) =>
      Array.from({ length: AGENTS }, (_, agent) => join(dir, `${kind}${agent}`));
    const outboxes = boxes('out');
    const inboxes = boxes('in');
    for (const box of [...outboxes, ...inboxes]) mkdirSync(join(box, '.sent'), { recursive: true });
    mkdirSync(join(dir, 'work'));
    fill((agent) => outboxes[agent] as string);
    const start = performance.now();
    const moved = await runBareProtocol({ dir: join(dir, 'work'), outboxes, inboxes, size: 500 });
    return moved / ((performance.now() - start) / 1000);
  });
}

function fill(outboxOf: (agent: number) => string): void {
  for (let serial = 0; serial < LETTERS; serial++) {
    const agent = serial % AGENTS;
    const text = letterText(`a${(agent + 1) % AGENTS}`, serial);
    writeFileSync(join(outboxOf(agent), `letter-${serial}.json`), text);
  }
}
