import { type AgentId, DESK } from '../protocol/addresses.ts';
import type { Router } from './router.ts';

/**
 * Has the log told of letters that were handled. While the log is in trouble nothing is looked for:
 * what is not taken now is found later.
 * @param when - `due`: only in the inboxes whose turn it is. `all`: in every one, before the router ends
 */
export function noteHandled(router: Router, when: 'due' | 'all'): void {
  const { fs, layout, clock, census, handled, pendingEvents } = router;
  if (census === undefined || pendingEvents.lost > 0 || pendingEvents.length > MOST_WAITING) return;
  const agents: AgentId[] = [...census.roster.agents.keys(), DESK];
  const options = { fs, layout, agents };
  const found =
    when === 'all' ? handled.lookAtAll(options) : handled.look(options, clock.monotonic());
  pendingEvents.push(...found);
  tellUnseen(router, agents);
}

function tellUnseen({ handled, health }: Router, agents: readonly AgentId[]): void {
  const keys = new Set<string>();
  for (const agent of agents) {
    const code = handled.unseen.get(agent);
    if (code === undefined) continue;
    const message = `agents/${agent}/inbox can't be looked at (${code}). What ${agent} handles is not seen until it can.`;
    keys.add(`handled/${agent}`);
    health.report(`handled/${agent}`, { red: false, message });
  }
  health.keepOnly('handled/', keys);
}

/** Rows that wait for a log that can't be written. */
const MOST_WAITING = 100;
