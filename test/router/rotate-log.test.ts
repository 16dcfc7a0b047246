import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openHive } from '../../src/api/open-hive.ts';
import { initHive } from '../../src/hive/init.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import { systemClock } from '../../src/hive/system-clock.ts';
import { runOnce } from '../../src/router/run-once.ts';
import { tempDir } from '../helpers/temp-dir.ts';

async function makeHive(): Promise<string> {
  const dir = join(tempDir(), 'hive');
  await initHive({ dir, fs: createNodeFs(), agents: ['a', 'b'], orchestrator: undefined });
  writeFileSync(join(dir, 'hive.json'), '{"log":{"segmentBytes":1024}}');
  return dir;
}

async function route(dir: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const letter = { to: 'b', act: 'inform', subject: `${n}` };
    writeFileSync(join(dir, 'agents/a/outbox', `${n}.json`), JSON.stringify(letter));
  }
  await runOnce({ dir, clock: systemClock });
}

it('the router moves a large log among its segments and numbers go on over restarts', async () => {
  const dir = await makeHive();
  for (let run = 0; run < 3; run++) await route(dir, 4);
  expect(readdirSync(join(dir, 'log')).length).toBeGreaterThanOrEqual(2);
  const rows = [...openHive(dir).rows()];
  expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, place) => place + 1));
  expect(rows.filter(({ kind }) => kind === 'letter')).toHaveLength(12);
});

it('a log that can not be moved goes on growing, and the health says so', async () => {
  const dir = await makeHive();
  rmSync(join(dir, 'log'), { recursive: true, force: true });
  writeFileSync(join(dir, 'log'), 'in the way');
  await route(dir, 4);
  await route(dir, 4);
  const rows = [...openHive(dir).rows()];
  expect(rows.filter(({ kind }) => kind === 'letter')).toHaveLength(8);
  expect(rows.map(({ code }) => code)).toContain('log-rotation');
  rmSync(join(dir, 'log'));
  mkdirSync(join(dir, 'log'));
});
