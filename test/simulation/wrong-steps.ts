/**
 * Wrong protocols that are not said in file operations: single steps of the pass, replaced. A test puts
 * them in place of the product's modules, and chooses which of them is in force.
 */
import type { HiveEvent } from '../../src/protocol/event.ts';
import type { finishBatches as FinishBatches } from '../../src/router/finish.ts';
import type { logBatches as LogBatches } from '../../src/router/log-batches.ts';
import type { BatchInputs } from '../../src/routing/inputs.ts';
import type { PlanContext, PlannedBatch } from '../../src/routing/plan.ts';
import { NO_BATCH } from './mutants.ts';

/** Which wrong protocol is in force, if any; see mutants.ts. */
export const inForce: { name: string | undefined } = { name: undefined };

let rows = 0;

/** Makes every row another one. */
export function wrongRowKey(rowKey: (row: HiveEvent) => string): (row: HiveEvent) => string {
  return (row) => (inForce.name === 'rows without a key' ? `row ${(rows += 1)}` : rowKey(row));
}

/** Calls every batch the same. */
export function wrongPlanBatch(
  planBatch: (inputs: BatchInputs, context: PlanContext) => PlannedBatch,
): typeof planBatch {
  return (inputs, context) => {
    if (inForce.name !== 'a batch directory name used twice') return planBatch(inputs, context);
    const batch = '000000000000-00000000' as PlanContext['batch'];
    return planBatch(inputs, { ...context, batch });
  };
}

/** Leaves the batch out of the name of a deferred copy. */
export function wrongDeferredName(
  deferredName: (batch: string, copyName: string) => string,
): typeof deferredName {
  return (batch, copy) =>
    deferredName(inForce.name === 'a deferred name without its batch' ? NO_BATCH : batch, copy);
}

type Finish = typeof FinishBatches;
type Log = typeof LogBatches;

/** Logs before it publishes: what the rows say then is what is hoped for. */
export function wrongFinish(finishBatches: Finish, logBatches: Log): Finish {
  return async (batches, router) => {
    if (inForce.name === 'log before publish') {
      const logged = batches.length === 0 || (await logBatches(batches, router));
      if (!logged) return { logged, unfinished: [...batches] };
      // Their rows are known to be there, so they are not written again.
      const known = batches.map((batch) => ({ ...batch, fresh: false }));
      return await finishBatches(known, router);
    }
    return await finishBatches(batches, router);
  };
}
