import fc from 'fast-check';
import { it, vi } from 'vitest';
import { play, schedule } from './schedules.ts';
vi.mock('../../src/hive/random.ts', async () => {
  const { drawing } = await import('./drawing.ts');
  return { randomTail: () => drawing.random() };
});
import { writeSync } from 'node:fs';
it('x', async () => {
  writeSync(2, 'begin\n');
  const t0 = Date.now();
  for (const [i, events] of fc.sample(schedule, { seed: 1, numRuns: 40 }).entries()) {
    const p = await play(events).catch((e: unknown) => [String((e as Error).stack)]);
    writeSync(2, `${i} ${Date.now() - t0} ${events.length} ${p.join(' | ')}\n`);
  }
}, 60000);
