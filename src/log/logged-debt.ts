import type { HiveEvent } from '../protocol/event.ts';

/** Code of the row that says that `.router/` was gone when a router started. */
export const ROUTER_LOST = 'router-lost';

/** What a log tells of what lay in `.router/`. */
export interface LoggedDebt {
  /** A router is known to have been there. */
  known: boolean;
  /** The last one did not stop cleanly, so letters may have been in its hands that no row tells of. */
  died: boolean;
  /** Messages that are owed, as `<id> for <agent>`. */
  owed: string[];
}

/**
 * Tells by the log what was in `.router/`, for when that directory is gone.
 * @param rows - oldest first
 */
export function loggedDebt(rows: Iterable<HiveEvent>): LoggedDebt {
  const debt = { known: false, died: false };
  const owed = new Set<string>();
  for (const { kind, code, id, to, owed: owing } of rows) {
    if (kind === 'router') Object.assign(debt, { known: true, died: code === 'start' });
    if (kind === 'warning' && code === ROUTER_LOST) owed.clear();
    for (const agent of owing ?? []) owed.add(`${id} for ${agent}`);
    if (kind === 'late' || kind === 'expired')
      for (const agent of to ?? []) owed.delete(`${id} for ${agent}`);
  }
  return { ...debt, owed: [...owed] };
}

const NAMED = 5;

/** Says in a sentence or two what was lost with `.router/`; nothing when nothing was. */
export function describeLoss({ died, owed }: LoggedDebt): string | undefined {
  if (!died && owed.length === 0) return undefined;
  const how = died ? 'it did not stop cleanly' : 'it could not bring all of it to its end';
  const more = owed.length > NAMED ? ` and ${owed.length - NAMED} more` : '';
  const named = `${owed.slice(0, NAMED).join(', ')}${more}`;
  const byLog = owed.length === 0 ? '' : ` By the log it still owed ${named}.`;
  return `What the last router had in .router/ is gone, and ${how}.${byLog}`;
}
