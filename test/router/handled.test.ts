import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/hive/system-clock.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import { startRouter } from '../../src/router/daemon.ts';
import { runOnce } from '../../src/router/run-once.ts';
import { failWhere } from '../helpers/faulty-fs.ts';
import { makeBench, type RouterBench } from '../helpers/router-bench.ts';
import { makeRealHive, type RealHive } from './real-hive.ts';

const pathsOf = (bench: RouterBench, agent = 'coder') => bench.layout.agent(agent as AgentId);

async function makeRunning(agents?: readonly string[]): Promise<RouterBench> {
  const bench = await makeBench(agents === undefined ? {} : { agents });
  await bench.start();
  return bench;
}

/** Has letters delivered to coder and returns their ids. */
async function deliver(bench: RouterBench, count = 1): Promise<string[]> {
  const before = bench.inbox('coder').length;
  for (let n = 0; n < count; n++) {
    bench.write('planner', `${n}.json`, { to: 'coder', act: 'inform', subject: 's', body: 'b' });
  }
  await bench.passes(1);
  return bench
    .inbox('coder')
    .map(({ id }) => id as string)
    .slice(before);
}

function ack(bench: RouterBench, id: string): void {
  const { inbox, done } = pathsOf(bench);
  bench.files.rename(join(inbox, `${id}.json`), join(done, `${id}.json`));
}

function handled(bench: RouterBench): string[] {
  const rows = bench.rows().filter(({ kind }) => kind === 'handled');
  return rows.map(({ id, to, note }) => [id, ...(to ?? []), note].filter(Boolean).join(' '));
}

describe('a letter that its recipient has handled', () => {
  it('is told of once, and how', async () => {
    const bench = await makeRunning();
    const [acked = '', removed = '', kept = ''] = await deliver(bench, 3);
    await bench.passes(2);
    ack(bench, acked);
    bench.files.unlink(join(pathsOf(bench).inbox, `${removed}.json`));
    await bench.passes(5);
    expect(handled(bench).sort()).toEqual([`${acked} coder`, `${removed} coder removed`].sort());
    ack(bench, kept);
    await bench.passes(2);
    expect(handled(bench)).toContain(`${kept} coder`);
  });

  it('is told of with the next pass when it is one of more than are told of at once', async () => {
    const bench = await makeRunning();
    for (let batch = 0; batch < 12; batch++) await deliver(bench, 100);
    for (const { id } of bench.inbox('coder')) ack(bench, id);
    await bench.passes(1);
    const rows = handled(bench).length;
    await bench.passes(1, 10);
    expect([rows, handled(bench).length]).toEqual([500, 1000]);
    await bench.passes(1, 10);
    expect(new Set(handled(bench)).size).toBe(1200);
  });

  it('is told of although it was handled before anyone looked', async () => {
    const bench = await makeRunning();
    const [id = ''] = await deliver(bench);
    ack(bench, id);
    await bench.passes(2);
    expect(handled(bench)).toEqual([`${id} coder`]);
  });

  it('is told of by the next router when it was handled while none was up', async () => {
    const bench = await makeRunning();
    const [seen = '', unseen = '', kept = ''] = await deliver(bench, 3);
    await bench.passes(2);
    ack(bench, seen);
    await bench.passes(2);
    ack(bench, unseen);
    await bench.start();
    await bench.passes(3);
    expect(handled(bench)).toEqual([`${seen} coder`, `${unseen} coder`]);
    ack(bench, kept);
    await bench.passes(2);
    expect(handled(bench)).toHaveLength(3);
  });

  it('is told of once by a router that ends before the row is written', async () => {
    const bench = await makeRunning();
    const [id = ''] = await deliver(bench);
    await bench.passes(2);
    ack(bench, id);
    const { log } = bench.layout;
    bench.fs.plan = failWhere(({ kind, path }) => kind === 'append' && path === log, 'EIO');
    await bench.passes(2);
    bench.fs.restart();
    expect(handled(bench)).toEqual([]);
    await bench.start();
    await bench.passes(3);
    expect(handled(bench)).toEqual([`${id} coder`]);
  });

  it('is not taken for handled because its inbox is away', async () => {
    const bench = await makeRunning();
    const [id = ''] = await deliver(bench);
    const { inbox } = pathsOf(bench);
    for (const away of [() => {}, () => bench.files.write(inbox, 'no directory')]) {
      bench.files.rename(inbox, `${inbox}.away`);
      away();
      await bench.passes(3);
      expect(handled(bench)).toEqual([]);
      if (bench.files.stat(inbox)?.kind === 'file') bench.files.unlink(inbox);
      bench.files.rename(`${inbox}.away`, inbox);
    }
    ack(bench, id);
    await bench.passes(3);
    expect(handled(bench)).toEqual([`${id} coder`]);
  });

  it('is none that no router brought', async () => {
    const bench = await makeRunning();
    await bench.passes(2);
    const { inbox } = pathsOf(bench);
    const names = ['x.json', '1m8pqferk000-aaaaaaaa.json'];
    for (const name of names) bench.files.write(join(inbox, name), '{}');
    await bench.passes(2);
    for (const name of names) bench.files.unlink(join(inbox, name));
    await bench.passes(2);
    expect(handled(bench)).toEqual([]);
  });
});

describe('looking for what was handled', () => {
  const inboxOf = (path: string) => path.endsWith('/inbox');

  async function looks(bench: RouterBench, gapMs: number): Promise<string[]> {
    bench.fs.restart();
    await bench.pass();
    bench.passTime(gapMs);
    const { operations } = bench.fs;
    return operations.filter(({ path }) => inboxOf(path)).map(({ kind }) => kind);
  }

  it('is one look for each inbox in five seconds, spread over the passes', async () => {
    const agents = Array.from({ length: 100 }, (_, n) => `a${n}`);
    const bench = await makeRunning(agents);
    await bench.passes(4);
    const counts: number[] = [];
    for (let pass = 0; pass < 100; pass++) counts.push((await looks(bench, 50)).length);
    expect(Math.max(...counts.slice(1))).toBeLessThanOrEqual(3);
    const total = counts.slice(1).reduce((sum, count) => sum + count, 0);
    expect(total).toBeGreaterThan(90);
    expect(total).toBeLessThan(110);
  });

  it('lists no inbox that has not changed', async () => {
    const bench = await makeRunning();
    await deliver(bench, 3);
    await bench.passes(4);
    for (let pass = 0; pass < 3; pass++) {
      expect(new Set(await looks(bench, 5000))).toEqual(new Set(['stat']));
    }
  });

  it('lists a full inbox less often', async () => {
    const bench = await makeRunning();
    const { inbox } = pathsOf(bench);
    for (let n = 0; n < 8000; n++) {
      const id = `1m8pqferk000-${n.toString(36).padStart(8, '0')}`;
      bench.files.write(join(inbox, `${id}.json`), '{}');
    }
    await bench.passes(4);
    let listings = 0;
    for (let pass = 0; pass < 20; pass++) {
      bench.files.write(join(inbox, `new-${pass}.json`), '{}');
      listings += (await looks(bench, 5000)).filter((kind) => kind === 'list').length;
    }
    expect(listings).toBeGreaterThan(2);
    expect(listings).toBeLessThan(6);
  });
});

describe('a router that ends', () => {
  async function deliverAndAck(hive: RealHive): Promise<string> {
    const [message] = hive.inbox('coder');
    const { inbox, done } = hive.layout.agent('coder' as AgentId);
    await rename(join(inbox, `${message?.id}.json`), join(done, `${message?.id}.json`));
    return message?.id ?? '';
  }

  it('looks once more, so that what was handled until then is told', async () => {
    const hive = await makeRealHive();
    hive.write('planner', 'a.json', { to: 'coder', act: 'inform', subject: 's', body: 'b' });
    const router = await startRouter({ dir: hive.dir, watch: false });
    const id = await deliverAndAck(hive);
    await router.stop();
    expect(hive.rows('handled')).toMatchObject([{ id, to: ['coder'] }]);
  });

  it('does so too when it only runs once', async () => {
    const hive = await makeRealHive();
    hive.write('planner', 'a.json', { to: 'coder', act: 'inform', subject: 's', body: 'b' });
    await runOnce({ dir: hive.dir, clock: systemClock });
    const id = await deliverAndAck(hive);
    await runOnce({ dir: hive.dir, clock: systemClock });
    await runOnce({ dir: hive.dir, clock: systemClock });
    expect(hive.rows('handled')).toMatchObject([{ id, to: ['coder'] }]);
  });
});
