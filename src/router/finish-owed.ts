import { listOwed, type StuckBatch } from '../spool/owed.ts';
import { finishBatches } from './finish.ts';
import type { Router } from './router.ts';
import { spokenForBy } from './spoken-for.ts';

/** How what was owed stands after it was gone on with. */
export interface OwedState {
  /** All of it is published and logged, so new decisions can be made. */
  settled: boolean;
  /** What is not free to be decided on; see {@link spokenForBy}. */
  spokenFor: ReadonlySet<string>;
}

/** Goes on with every batch that an earlier pass or router has committed and not finished. */
export async function finishOwed(router: Router): Promise<OwedState> {
  const { batches, stuck } = listOwed(router.fs, router.epoch);
  noteStuck(stuck, router);
  // A commit whose last sync failed lies here as well, and nothing is archived before it is durable.
  if (batches.length > 0) await router.fs.syncDir(router.epoch.owed);
  const { logged, unfinished } = await finishBatches(batches, router);
  const open = new Set(unfinished.map(({ plan }) => `batch/${plan.batch}`));
  router.health.keepOnly('batch/', open);
  const blocked = stuck.some(({ blocks }) => blocks);
  return { settled: logged && !blocked, spokenFor: spokenForBy(unfinished) };
}

function noteStuck(stuck: readonly StuckBatch[], { health }: Router): void {
  const keys = new Set<string>();
  for (const { dir, reason, blocks } of stuck) {
    const key = `stuck/${dir}`;
    keys.add(key);
    const message = blocks
      ? `The plan of a committed batch can't be read (${reason}): ${dir}. Nothing new is routed until it can.`
      : `The rest of a finished batch can't be removed (${reason}): ${dir}. See what is in it.`;
    health.report(key, { red: blocks, message });
  }
  health.keepOnly('stuck/', keys);
}
