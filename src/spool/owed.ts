import { join } from 'node:path';
import type { HiveFs } from '../hive/hive-fs.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';
import type { Plan } from '../routing/plan.ts';
import type { Epoch } from './epoch.ts';
import { PLAN_FILE } from './stage.ts';

/** A committed batch that is not finished. */
export interface OwedBatch {
  plan: Plan;
  /** Its directory; holds the copies not yet published, and the plan. */
  dir: string;
  /** Committed by this router in this pass, so none of its steps was taken before. */
  fresh: boolean;
}

const MOST_PLAN_BYTES = 1024 * 1024 * 1024;

/**
 * Reads every committed batch of the epoch, oldest first. A directory without a plan is a batch whose
 * last step was cut off between the plan's move and its own removal; it is removed here.
 */
export function listOwed(fs: HiveFs, epoch: Epoch): OwedBatch[] {
  return fs
    .list(epoch.owed)
    .sort()
    .flatMap((name) => {
      const dir = join(epoch.owed, name);
      const plan = readPlan(fs, dir);
      if (plan !== undefined) return [{ plan, dir, fresh: false }];
      fs.rmdir(dir);
      return [];
    });
}

function readPlan(fs: HiveFs, dir: string): Plan | undefined {
  const path = join(dir, PLAN_FILE);
  let text: string;
  try {
    text = Buffer.from(fs.read(path, MOST_PLAN_BYTES).bytes).toString('utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as Plan;
  } catch (cause) {
    throw new HivemailError(
      'internal',
      `${path} can't be read as a plan; nobody else may write there.`,
      {
        cause,
      },
    );
  }
}

/** Moves the plan of a finished batch into the history's queue, which ends the batch. */
export function recordBatch({ plan, dir }: OwedBatch, fs: HiveFs, historyQueue: string): void {
  try {
    fs.rename(join(dir, PLAN_FILE), join(historyQueue, `${plan.batch}.json`));
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || fs.stat(join(dir, PLAN_FILE)) !== undefined) throw error;
  }
  fs.rmdir(dir);
}
