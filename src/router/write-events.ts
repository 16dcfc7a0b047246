import { systemCode } from '../protocol/errors.ts';
import type { HiveEvent, LogRow } from '../protocol/event.ts';
import type { Router } from './router.ts';

/** Rows that wait for a log that can't be written; beyond this many the oldest are given up. */
const MOST_WAITING = 1000;

/**
 * Writes the rows that belong to no batch. When the log can't take them they wait for the next pass;
 * beyond a thousand the oldest are given up, which the log tells once it can.
 */
export async function writePendingEvents(router: Router): Promise<void> {
  const { pendingEvents, log, health, onRows } = router;
  const lost = lossOf(router.lostRows);
  // Taken out first: the history may add to them while these are being written.
  const events = pendingEvents.splice(0);
  if (events.length === 0) return;
  let rows: LogRow[];
  try {
    rows = await log.append([...lost, ...events]);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    pendingEvents.unshift(...events);
    router.lostRows += pendingEvents.splice(0, pendingEvents.length - MOST_WAITING).length;
    const given = router.lostRows === 0 ? '' : ` ${router.lostRows} rows were given up.`;
    health.report('log', { red: true, message: `log.jsonl can't be written (${code}).${given}` });
    return;
  }
  router.lostRows = 0;
  health.clear('log');
  onRows(rows);
}

function lossOf(count: number): HiveEvent[] {
  if (count === 0) return [];
  const note = `${count} rows could not be written here and were given up. None was of a letter.`;
  return [{ kind: 'warning', code: 'rows-lost', note }];
}
