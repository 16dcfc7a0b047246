/**
 * Brings committed batches to their end: archive → publish → log → record. Idempotent at every step,
 * so the same code serves the batch of this pass, one that met an error before, and one of a router
 * that died. A batch that gets stuck stays owed and holds up no other.
 */

import { rowKey } from '../log/rows.ts';
import { systemCode } from '../protocol/errors.ts';
import type { HiveEvent } from '../protocol/event.ts';
import type { Copy, Plan } from '../routing/plan.ts';
import { recallRow } from '../routing/recall.ts';
import { archiveBatch } from '../spool/archive.ts';
import { type OwedBatch, recordBatch } from '../spool/owed.ts';
import { deferredName, publishBatch } from '../spool/publish.ts';
import type { Router } from './router.ts';

/**
 * Finishes batches as far as the machine lets it.
 * @returns whether all of them are logged, which new decisions have to wait for
 */
export async function finishBatches(
  batches: readonly OwedBatch[],
  router: Router,
): Promise<boolean> {
  if (batches.length === 0) return true;
  const trouble = new Set<string>();
  const changed = new Set<string>();
  for (const batch of batches) {
    attempt(batch, router, trouble, () => archiveBatch(batch, router, changed));
  }
  const published = batches.filter((batch) =>
    attempt(batch, router, trouble, () => publishBatch(batch, publishContext(router))),
  );
  const [, logged] = await Promise.all([
    syncDirs(changed, router, trouble),
    logBatches(published, router),
  ]);
  for (const batch of logged ? published : []) {
    if (trouble.has(batch.plan.batch) || trouble.has('sync')) continue;
    attempt(batch, router, trouble, () => recordFinished(batch, router));
  }
  reportTrouble(trouble, router);
  router.history.nudge();
  return logged && published.length === batches.length;
}

function publishContext(router: Router) {
  return {
    ...router,
    onDeferred: ({ to, place }: Copy, code: string) => {
      const where = place === 'inbox' ? `agents/${to}/inbox` : `held/${to}`;
      const message = `${where} can't be written to (${code}). Its mail is kept and tried again.`;
      router.health.report(`inbox/${to}`, { red: true, message });
    },
  };
}

/** Runs a step of a batch; false, and noted, when the machine refused it. */
function attempt(
  { plan }: OwedBatch,
  router: Router,
  trouble: Set<string>,
  step: () => void,
): boolean {
  try {
    step();
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined || router.fs.stat(router.epoch.dir) === undefined) throw error;
    trouble.add(plan.batch);
    router.health.report(`batch/${plan.batch}`, {
      red: true,
      message: `A committed batch can't be finished yet (${code}). It is tried again in every pass.`,
    });
    return false;
  }
}

async function syncDirs(dirs: Set<string>, router: Router, trouble: Set<string>): Promise<void> {
  const syncs = [...dirs].map((dir) => router.fs.syncDir(dir));
  for (const result of await Promise.allSettled(syncs)) {
    if (result.status === 'fulfilled') continue;
    if (systemCode(result.reason) === undefined) throw result.reason;
    trouble.add('sync');
  }
}

async function logBatches(batches: readonly OwedBatch[], router: Router): Promise<boolean> {
  const { fs, epoch, log, health, memory, rules, committed, onRows } = router;
  const deferred = new Set(fs.list(epoch.deferred));
  const recovered = batches.filter(({ fresh }) => !fresh);
  const since = Math.min(...recovered.map(({ plan }) => plan.logSeq));
  try {
    const written = recovered.length === 0 ? new Set<string>() : log.keysAfter(since);
    const isNew = (row: HiveEvent) => written.size === 0 || !written.has(rowKey(row));
    const events = batches.flatMap(({ plan }) => rowsOf(plan, deferred)).filter(isNew);
    const rows = await log.append(events);
    for (const row of rows) if (!committed.has(row.batch ?? '')) recallRow(row, memory, rules);
    memory.commit();
    health.clear('log');
    onRows(rows);
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    const message = `log.jsonl can't be written (${code}). Nothing new is routed until it can.`;
    health.report('log', { red: true, message });
    return false;
  }
}

/** The rows of a plan as it really went: a copy found deferred is owed and not delivered. */
function rowsOf(plan: Plan, deferred: ReadonlySet<string>): HiveEvent[] {
  const owed = plan.copies.filter(({ name }) => deferred.has(deferredName(plan.batch, name)));
  if (owed.length === 0) return plan.rows;
  return plan.rows.flatMap((row) => {
    const mine = owed.filter(({ id, to }) => id === row.id && row.to?.includes(to) === true);
    if (mine.length === 0) return [row];
    const names = mine.map(({ to }) => to as string);
    const without = (list: string[] | undefined) => list?.filter((to) => !names.includes(to)) ?? [];
    const delivered = without(row.delivered);
    const held = without(row.held);
    if (row.kind === 'late' && delivered.length === 0) return [];
    const outcome = delivered.length > 0 ? ('partial' as const) : ('held' as const);
    const code = outcome === 'partial' ? 'partial' : 'owed';
    const told = row.kind === 'letter' ? { outcome, code } : {};
    return [{ ...row, ...told, delivered, held, owed: names }];
  });
}

function recordFinished(batch: OwedBatch, router: Router): void {
  recordBatch(batch, router.fs, router.layout.historyQueue);
  router.committed.delete(batch.plan.batch);
  router.health.clear(`batch/${batch.plan.batch}`);
}

function reportTrouble(trouble: ReadonlySet<string>, { health }: Router): void {
  if (!trouble.has('sync')) return health.clear('sync');
  const message = 'A directory could not be synced; the batches are kept until it can.';
  health.report('sync', { red: true, message });
}
