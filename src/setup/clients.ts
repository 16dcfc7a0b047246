import type { ClientName } from '../doorbell/clients.ts';
import { HivemailError } from '../protocol/errors.ts';
import { planClaude } from './clients/claude.ts';
import { planCodex } from './clients/codex.ts';
import { planGemini } from './clients/gemini.ts';
import {
  planClaudeServer,
  planCodexServer,
  planGeminiServer,
  planOpencodeServer,
} from './clients/mcp.ts';
import type { PlanHooks } from './plan.ts';
import type { Kind } from './record.ts';

/** How hooks are set up in each client. */
const PLANS: Partial<Record<ClientName, PlanHooks>> = {
  claude: planClaude,
  codex: planCodex,
  gemini: planGemini,
};

/** How the server of a mailbox is set up in each client. */
const SERVER_PLANS: Record<ClientName, PlanHooks> = {
  claude: planClaudeServer,
  codex: planCodexServer,
  gemini: planGeminiServer,
  opencode: planOpencodeServer,
};

/**
 * Finds how something is set up in a client.
 * @throws HivemailError `refused`
 */
export function planOf(kind: Kind, client: ClientName): PlanHooks {
  if (kind === 'mcp') return SERVER_PLANS[client];
  const plan = PLANS[client];
  if (plan === undefined) {
    throw new HivemailError('refused', `Hooks for ${client} can't be installed yet.`);
  }
  return plan;
}
