/**
 * Random schedules of the real pass over files in memory: agents that write and take letters, routers
 * that end or stand still at any operation, up to three of them at once, with the lock broken.
 *
 * A failing run prints its seed and path. To see it again:
 * `HIVEMAIL_SIM_SEED=<seed> HIVEMAIL_SIM_PATH=<path> npx vitest run test/simulation/simulation.test.ts`.
 * The long run: `HIVEMAIL_SIM_RUNS=50000`, with a random seed unless one is given.
 */
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type Event, play, type Reached, schedule } from './schedules.ts';

vi.mock('../../src/hive/random.ts', async () => {
  const { drawing } = await import('./drawing.ts');
  return { randomTail: () => drawing.random() };
});

const { HIVEMAIL_SIM_RUNS, HIVEMAIL_SIM_SEED, HIVEMAIL_SIM_PATH } = process.env;
const DEFAULT_SEED = 20_261_130;
const LONG_RUN = 10_000;

function parameters(): fc.Parameters<unknown> {
  const long = HIVEMAIL_SIM_RUNS !== undefined;
  const seed = Number(HIVEMAIL_SIM_SEED ?? (long ? Date.now() % 2 ** 31 : DEFAULT_SEED));
  return {
    seed,
    numRuns: Number(HIVEMAIL_SIM_RUNS ?? 2000),
    ...(HIVEMAIL_SIM_PATH === undefined ? {} : { path: HIVEMAIL_SIM_PATH }),
  };
}

describe('routers over a simulated hive', () => {
  it('deliver, archive, log and record each letter once, whatever ends them or stands still', async () => {
    const chosen = parameters();
    process.stdout.write(`simulation: seed ${chosen.seed}, ${chosen.numRuns} schedules\n`);
    const reached: Reached = { tornRows: 0, expiries: 0, redeliveriesAmongThree: 0 };
    const property = fc.asyncProperty(schedule, async (events) => {
      expect(await play(events, undefined, reached)).toEqual([]);
    });
    await fc.assert(property, chosen);
    process.stdout.write(`simulation: reached ${JSON.stringify(reached)}\n`);
    // They are rare; of a short run nothing can be said.
    if (chosen.path !== undefined || Number(chosen.numRuns) < LONG_RUN) return;
    for (const [what, times] of Object.entries(reached))
      expect([what, times > 0]).toEqual([what, true]);
  }, 3_600_000);

  it('write a row once when a cut took only its line feed', async () => {
    const letter: Event = {
      ...{ what: 'write', agent: 'planner', to: 'coder', act: 'inform' },
      ...{ form: 'whole', reply: false },
    };
    for (let changes = 0; changes < 60; changes++) {
      const ends: Event = { what: 'stop at', changes, torn: 'all but a byte', fate: 'dies' };
      expect(await play([letter, ends])).toEqual([]);
    }
  }, 60_000);
});
