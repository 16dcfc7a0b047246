import { join } from 'node:path';
import type { HiveFs } from '../hive/hive-fs.ts';
import type { PlannedBatch } from '../routing/plan.ts';
import type { Epoch } from './epoch.ts';
import { type OwedBatch, PLAN_FILE } from './owed.ts';

/**
 * Writes a batch to disk and commits it: one directory with every copy and the plan, synced, then
 * renamed from staged to owed. That rename is the commit of the whole batch; before it nothing
 * happened, after it everything will. The claims it names are synced before it as well.
 * @throws the system's error; then nothing was committed and what was staged is worth nothing
 */
export async function commitBatch(
  planned: PlannedBatch,
  { fs, epoch }: { fs: HiveFs; epoch: Epoch },
): Promise<OwedBatch> {
  const { plan, contents } = planned;
  const staged = join(epoch.stage, plan.batch);
  const owed = join(epoch.owed, plan.batch);
  fs.mkdir(staged);
  const writes = [...contents].map(([name, content]) => fs.create(join(staged, name), content));
  writes.push(fs.create(join(staged, PLAN_FILE), JSON.stringify(plan)));
  if (plan.moves.some(({ from }) => from === 'claim')) writes.push(fs.syncDir(epoch.claim));
  // Last, and beside the files: all of their entries are made by then, and one wait for the disk does.
  writes.push(fs.syncDir(staged));
  await allSettled(writes);
  fs.rename(staged, owed);
  await fs.syncDir(epoch.owed);
  return { plan, dir: owed, fresh: true };
}

/** Waits for every write before the first failure is thrown, so that none goes on behind our back. */
async function allSettled(writes: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(writes)) {
    if (result.status === 'rejected') throw result.reason;
  }
}
