import { systemCode } from '../protocol/errors.ts';
import type { LogRow } from '../protocol/event.ts';
import { noteRows } from './note-rows.ts';
import { rowsFor } from './pending-events.ts';
import type { Router } from './router.ts';

/**
 * Writes the rows that belong to no batch. When the log can't take them they wait for the next pass, as
 * far as there is room for them.
 */
export async function writePendingEvents(router: Router): Promise<void> {
  const { pendingEvents, log, health, onRows } = router;
  // Taken out first: the history may add to them while these are being written.
  const taken = pendingEvents.take();
  let rows: LogRow[];
  try {
    rows = await log.append(rowsFor(taken));
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    pendingEvents.putBack(taken);
    const { lost } = pendingEvents;
    const given = lost === 0 ? '' : ` ${lost} rows were given up.`;
    health.report('log', { red: true, message: `log.jsonl can't be written (${code}).${given}` });
    return;
  }
  if (rows.length === 0) return;
  health.clear('log');
  noteRows(router, rows, router.census?.roster.orchestrator);
  onRows(rows);
}
