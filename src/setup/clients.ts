import type { ClientName } from '../doorbell/clients.ts';
import { HivemailError } from '../protocol/errors.ts';
import { planClaude } from './clients/claude.ts';
import type { PlanHooks } from './plan.ts';

/** How hooks are set up in each client. */
const PLANS: Partial<Record<ClientName, PlanHooks>> = { claude: planClaude };

/**
 * Finds how hooks are set up in a client.
 * @throws HivemailError `refused`
 */
export function planOf(client: ClientName): PlanHooks {
  const plan = PLANS[client];
  if (plan === undefined) {
    throw new HivemailError('refused', `Hooks for ${client} can't be installed yet.`);
  }
  return plan;
}
