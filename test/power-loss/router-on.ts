import type { HiveFs } from '../../src/hive/hive-fs.ts';
import { layoutOf } from '../../src/hive/layout.ts';
import { assembleRouter } from '../../src/router/assemble-router.ts';
import { runPass } from '../../src/router/pass.ts';
import { PendingEvents } from '../../src/router/pending-events.ts';
import { openEpoch, takeOverEpochs } from '../../src/spool/epoch.ts';

const BEGINNING = Date.parse('2026-11-30T17:19:11.123Z');

/** Starts the real router on files, as `openRouter` does under the lock. */
export async function openRouterOn(fs: HiveFs): Promise<{ passes(count: number): Promise<void> }> {
  const layout = layoutOf('/hive');
  let [passedMs, drawn] = [0, 0];
  const random = () => `x${(drawn++).toString(36).padStart(7, '0')}`;
  const clock = { now: () => BEGINNING + passedMs, monotonic: () => 1000 + passedMs };
  for (const dir of [layout.control, layout.historyQueue, layout.held]) {
    if (fs.stat(dir) === undefined) fs.mkdir(dir);
  }
  const epoch = await openEpoch({ fs, layout }, { after: 0, tail: random() });
  await takeOverEpochs({ fs, layout }, epoch);
  const history = { nudge: () => {} };
  const parts = { fs, layout, clock, epoch, history, random };
  const router = assembleRouter({ ...parts, pendingEvents: new PendingEvents() });
  return {
    passes: async (count) => {
      for (let left = count; left > 0; left--) {
        await runPass(router, { takeIn: true });
        passedMs += 5000;
      }
    },
  };
}
