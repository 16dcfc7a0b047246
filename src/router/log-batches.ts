import { rowKey } from '../log/rows.ts';
import { systemCode } from '../protocol/errors.ts';
import type { HiveEvent, LogRow } from '../protocol/event.ts';
import type { Plan } from '../routing/plan.ts';
import { recallRow } from '../routing/recall.ts';
import type { OwedBatch } from '../spool/owed.ts';
import { deferredName } from '../spool/publish.ts';
import { noteRows } from './note-rows.ts';
import type { Router } from './router.ts';

/**
 * Logs published batches with one append and one sync. Rows that an earlier try or router has written
 * are not written again; the memory learns of those that this router did not decide on itself.
 * @returns whether all of their rows are in the log
 */
export async function logBatches(batches: readonly OwedBatch[], router: Router): Promise<boolean> {
  const { fs, epoch, log, health, memory, rules, committed, onRows } = router;
  // Of a fenced epoch this is missing, and nothing is logged: the successor finishes the batches.
  const deferred = new Set(fs.list(epoch.deferred));
  const recovered = batches.filter(({ fresh }) => !fresh);
  const since = Math.min(...recovered.map(({ plan }) => plan.logSeq));
  let rows: LogRow[];
  try {
    const written = recovered.length === 0 ? new Set<string>() : log.keysAfter(since);
    const isNew = (row: HiveEvent) => written.size === 0 || !written.has(rowKey(row));
    rows = await log.append(batches.flatMap(({ plan }) => rowsOf(plan, deferred)).filter(isNew));
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    const message = `log.jsonl can't be written (${code}). Nothing new is routed until it can.`;
    health.report('log', { red: true, message });
    return false;
  }
  for (const row of rows) if (!committed.has(row.batch ?? '')) recallRow(row, memory, rules);
  memory.commit();
  noteRows(router, rows, router.census?.roster.orchestrator);
  if (rows.length > 0) health.clear('log');
  onRows(rows);
  return true;
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
    const told = { ...row, delivered: without(row.delivered), held: without(row.held) };
    if (row.kind === 'late' && told.delivered.length === 0) return [];
    return [{ ...told, ...outcomeOf(told), owed: names }];
  });
}

/** The outcome of a letter some of whose copies are owed; one that is held says why by its own code. */
function outcomeOf(row: HiveEvent): Pick<HiveEvent, 'outcome' | 'code'> {
  if (row.kind !== 'letter' || row.outcome === 'held') return {};
  const others = row.delivered?.length || row.failed !== undefined;
  return others ? { outcome: 'partial', code: 'partial' } : { outcome: 'held', code: 'owed' };
}
