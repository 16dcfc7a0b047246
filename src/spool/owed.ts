import { join } from 'node:path';
import type { HiveFs } from '../hive/hive-fs.ts';
import { makeMissing } from '../hive/make-missing.ts';
import { systemCode } from '../protocol/errors.ts';
import { isMessageId } from '../protocol/ids.ts';
import type { Plan } from '../routing/plan.ts';
import type { Epoch } from './epoch.ts';

/** A committed batch that is not finished. */
export interface OwedBatch {
  plan: Plan;
  /** Its directory; holds the copies not yet published, and the plan. */
  dir: string;
  /** Committed by this router in this pass, so none of its steps was taken before. */
  fresh: boolean;
}

/** A batch in `owed/` that can't be gone on with. */
export interface StuckBatch {
  /** Absolute path of its directory. */
  dir: string;
  /** The system's error code, or what is wrong with the plan. */
  reason: string;
  /** Its plan can't be read, so nobody knows which inputs are spoken for and nothing may be decided. */
  blocks: boolean;
}

/** What lies in the epoch's `owed/`. */
export interface OwedBatches {
  /** Oldest first. */
  batches: OwedBatch[];
  stuck: StuckBatch[];
}

/** Name of the plan in the directory of its batch; no copy can have it. */
export const PLAN_FILE = 'plan.json';

const MOST_PLAN_BYTES = 1024 * 1024 * 1024;

/**
 * Reads every committed batch of the epoch. A directory without a plan is a batch whose last step was
 * cut off between the plan's move and its own removal; it is removed here. One that can't be read holds
 * up no other.
 */
export function listOwed(fs: HiveFs, epoch: Epoch): OwedBatches {
  const owed: OwedBatches = { batches: [], stuck: [] };
  for (const name of fs.list(epoch.owed).filter(isMessageId).sort()) {
    const dir = join(epoch.owed, name);
    try {
      const plan = readPlan(fs, dir);
      if (plan === 'none') removeFinished(fs, dir, owed);
      else if (plan === 'bad') owed.stuck.push({ dir, reason: 'bad-plan', blocks: true });
      else owed.batches.push({ plan, dir, fresh: false });
    } catch (error) {
      const reason = systemCode(error);
      if (reason === undefined) throw error;
      owed.stuck.push({ dir, reason, blocks: true });
    }
  }
  return owed;
}

function readPlan(fs: HiveFs, dir: string): Plan | 'none' | 'bad' {
  let text: string;
  try {
    text = Buffer.from(fs.read(join(dir, PLAN_FILE), MOST_PLAN_BYTES).bytes).toString('utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 'none';
    throw error;
  }
  try {
    const plan = JSON.parse(text) as Plan;
    return plan.version === 1 ? plan : 'bad';
  } catch (error) {
    if (error instanceof SyntaxError) return 'bad';
    throw error;
  }
}

function removeFinished(fs: HiveFs, dir: string, owed: OwedBatches): void {
  try {
    fs.rmdir(dir);
  } catch (error) {
    const reason = systemCode(error);
    if (reason === undefined) throw error;
    if (reason !== 'ENOENT') owed.stuck.push({ dir, reason, blocks: false });
  }
}

/** Moves the plan of a finished batch into the history's queue, which ends the batch. */
export function recordBatch({ plan, dir }: OwedBatch, fs: HiveFs, historyQueue: string): void {
  const from = join(dir, PLAN_FILE);
  const to = join(historyQueue, `${plan.batch}.json`);
  try {
    fs.rename(from, to);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    if (fs.stat(from) !== undefined) {
      makeMissing(fs, historyQueue);
      fs.rename(from, to);
    }
  }
  fs.rmdir(dir);
}
