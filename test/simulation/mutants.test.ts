/** The wrong protocols of design's protocol.md: each is found out by the simulation. */
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type * as Finish from '../../src/router/finish.ts';
import type * as PlanBatch from '../../src/routing/plan-batch.ts';
import type * as Publish from '../../src/spool/publish.ts';
import type * as Rows from '../../src/log/rows.ts';
import { WRONG_PROTOCOLS, type WrongProtocol } from './mutants.ts';
import { play, schedule } from './schedules.ts';
import { inForce } from './wrong-steps.ts';

vi.mock('../../src/hive/random.ts', async () => {
  const { drawing } = await import('./drawing.ts');
  return { randomTail: () => drawing.random() };
});
vi.mock('../../src/log/rows.ts', async (original) => {
  const [real, { wrongRowKey }] = [await original<typeof Rows>(), await import('./wrong-steps.ts')];
  return { ...real, rowKey: wrongRowKey(real.rowKey) };
});
vi.mock('../../src/spool/publish.ts', async (original) => {
  const real = await original<typeof Publish>();
  const { wrongDeferredName } = await import('./wrong-steps.ts');
  return { ...real, deferredName: wrongDeferredName(real.deferredName) };
});
vi.mock('../../src/routing/plan-batch.ts', async (original) => {
  const real = await original<typeof PlanBatch>();
  const { wrongPlanBatch } = await import('./wrong-steps.ts');
  return { ...real, planBatch: wrongPlanBatch(real.planBatch) };
});
vi.mock('../../src/router/finish.ts', async (original) => {
  const real = await original<typeof Finish>();
  const { logBatches } = await import('../../src/router/log-batches.ts');
  const { wrongFinish } = await import('./wrong-steps.ts');
  return { ...real, finishBatches: wrongFinish(real.finishBatches, logBatches) };
});

const SEED = 20_261_130;
const MOST_RUNS = 3000;

/** Looks for a schedule that a wrong protocol does not stand. */
async function findOut({ rewrite, proof }: WrongProtocol): Promise<{ runs: number; said: string }> {
  let said = '';
  const property = fc.asyncProperty(schedule, async (events) => {
    const problems = await play(events, rewrite);
    said = problems.join(' ');
    return !problems.some((problem) => proof.test(problem));
  });
  const parameters = { seed: SEED, numRuns: MOST_RUNS, endOnFailure: true };
  const { failed, numRuns } = await fc.check(property, parameters);
  return { runs: failed ? numRuns : 0, said };
}

describe('the simulation finds out', () => {
  afterEach(() => {
    inForce.name = undefined;
  });

  it.each(Object.entries(WRONG_PROTOCOLS))('%s', async (name, wrong) => {
    inForce.name = name;
    const { runs, said } = await findOut(wrong);
    if (process.env.HIVEMAIL_SIM_TELL) process.stdout.write(`${name}: run ${runs}: ${said}\n`);
    expect(runs).toBeGreaterThan(0);
  }, 120_000);
});
