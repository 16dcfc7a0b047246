import type { LogRow } from '../protocol/event.ts';
import type { Router } from './router.ts';

/** What remembers rows besides the memory that routing goes by. */
export type RowKeepers = Pick<Router, 'handled' | 'obligations' | 'activity'>;

/**
 * Has everything that remembers rows for others to read know of those just written, or recalled.
 * @param orchestrator - its id, as the roster has it
 */
export function noteRows(
  { handled, obligations, activity }: RowKeepers,
  rows: readonly LogRow[],
  orchestrator: string | undefined,
): void {
  for (const row of rows) {
    handled.note(row);
    obligations.note(row, orchestrator);
    activity.note(row);
  }
}
