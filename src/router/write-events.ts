import { systemCode } from '../protocol/errors.ts';
import type { Router } from './router.ts';

/** Rows that were given up because the log could not take them, beyond this many waiting. */
const MOST_WAITING = 1000;

/**
 * Writes the rows that belong to no batch. When the log can't take them they wait for the next pass;
 * beyond a thousand the oldest are given up, and counted in the health.
 */
export async function writePendingEvents(router: Router): Promise<void> {
  const { pendingEvents, log, health, onRows } = router;
  if (pendingEvents.length === 0) return;
  try {
    const rows = await log.append(pendingEvents);
    pendingEvents.length = 0;
    health.clear('log');
    onRows(rows);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    const lost = pendingEvents.splice(0, Math.max(0, pendingEvents.length - MOST_WAITING)).length;
    const given = lost === 0 ? '' : ` ${lost} rows were given up.`;
    health.report('log', { red: true, message: `log.jsonl can't be written (${code}).${given}` });
  }
}
