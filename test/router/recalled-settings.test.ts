import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openHive } from '../../src/api/open-hive.ts';
import { initHive } from '../../src/hive/init.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import { runOnce } from '../../src/router/run-once.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const HOUR_MS = 3_600_000;

it('windows that hive.json makes longer are remembered over a restart', async () => {
  const dir = join(tempDir(), 'hive');
  await initHive({ dir, fs: createNodeFs(), agents: ['a', 'b'], orchestrator: undefined });
  writeFileSync(join(dir, 'hive.json'), `{"loops":{"windowMs":${24 * HOUR_MS},"broadcasts":2}}`);
  let now = Date.parse('2026-11-30T08:00:00.000Z');
  const clock = { now: () => now, monotonic: () => performance.now() };
  for (const name of ['first', 'second', 'third']) {
    const letter = { to: 'broadcast', act: 'inform', subject: name };
    writeFileSync(join(dir, 'agents/a/outbox', `${name}.json`), JSON.stringify(letter));
    await runOnce({ dir, clock });
    now += HOUR_MS;
  }
  const rows = [...openHive(dir).rows()].filter(({ kind }) => kind === 'letter');
  expect(rows.map(({ code }) => code)).toEqual(['delivered', 'delivered', 'loop-window']);
});
