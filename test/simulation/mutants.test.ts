/** The wrong protocols of design's protocol.md: each is found out by the simulation. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type * as Rows from '../../src/log/rows.ts';
import type * as Finish from '../../src/router/finish.ts';
import type * as PlanBatch from '../../src/routing/plan-batch.ts';
import type * as Publish from '../../src/spool/publish.ts';
import { WRONG_PROTOCOLS, type WrongProtocol } from './mutants.ts';
import { takeover } from './paused-router.ts';
import { play } from './schedules.ts';
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

/** More changes than the router makes in the schedules. */
const MOST_CHANGES = 75;

/** Goes through the points where the router is stopped, until a wrong protocol has gone wrong. */
async function findOut(
  { rewrite, events, proof }: WrongProtocol,
  step = 1,
): Promise<string | undefined> {
  for (let changes = 0; changes < MOST_CHANGES; changes += step) {
    const problems = await play(events(changes), rewrite);
    const found = problems.find((problem) => proof.test(problem));
    if (found !== undefined) return `stopped after ${changes} changes: ${found}`;
  }
  return undefined;
}

describe('a wrong protocol is found out', () => {
  afterEach(() => {
    inForce.name = undefined;
    takeover.early = false;
  });

  it.each(Object.entries(WRONG_PROTOCOLS))(
    '%s',
    async (name, wrong) => {
      inForce.name = name;
      takeover.early = name === 'the log taken over before the fence';
      expect(await findOut(wrong)).toBeDefined();
    },
    60_000,
  );

  it('where the right one stands each of their schedules', async () => {
    for (const events of new Set(Object.values(WRONG_PROTOCOLS).map((each) => each.events))) {
      expect(await findOut({ events, proof: /./ }, 2)).toBeUndefined();
    }
  }, 120_000);
});
