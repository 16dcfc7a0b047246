import type { History } from '../history/history.ts';
import type { Router } from './router.ts';

/**
 * Has the history look which of the hive's small files have changed.
 * @param when - `due`: those whose turn it is. `all`: every one, before the router ends
 */
export function lookAtState(
  { router, history }: { router: Router; history: History },
  when: 'due' | 'all',
): void {
  if (router.census === undefined) return;
  history.lookAtState([...router.census.roster.agents.keys()], when);
}
