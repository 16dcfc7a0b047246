import type { ClientName } from '../doorbell/clients.ts';
import { planClaude } from './clients/claude.ts';
import { planCodex } from './clients/codex.ts';
import { planGemini } from './clients/gemini.ts';
import {
  planClaudeServer,
  planCodexServer,
  planGeminiServer,
  planOpencodeServer,
} from './clients/mcp.ts';
import { planOpencode } from './clients/opencode.ts';
import type { PlanSetup } from './plan.ts';
import type { Kind } from './record.ts';

/** How hooks are set up in each client. */
const PLANS: Record<ClientName, PlanSetup> = {
  claude: planClaude,
  codex: planCodex,
  gemini: planGemini,
  opencode: planOpencode,
};

/** How the server of a mailbox is set up in each client. */
const SERVER_PLANS: Record<ClientName, PlanSetup> = {
  claude: planClaudeServer,
  codex: planCodexServer,
  gemini: planGeminiServer,
  opencode: planOpencodeServer,
};

/** Finds how something is set up in a client. */
export function planOf(kind: Kind, client: ClientName): PlanSetup {
  return kind === 'mcp' ? SERVER_PLANS[client] : PLANS[client];
}
