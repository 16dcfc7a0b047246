import { dirname } from 'node:path';
import { type AgentId, DESK } from '../protocol/addresses.ts';
import type { HiveFs } from './hive-fs.ts';
import type { HiveLayout } from './layout.ts';
import { makeMissing } from './make-missing.ts';
import type { RegistryAgent } from './registry.ts';

/**
 * Makes what is missing of an agent's directory; identity.md and memory.md are written once and never
 * again.
 */
export async function makeAgentDirectory(
  fs: HiveFs,
  layout: HiveLayout,
  id: AgentId,
  agent: RegistryAgent,
): Promise<void> {
  const paths = layout.agent(id);
  const dirs = [layout.agents, paths.root, paths.inbox, paths.done, paths.outbox, paths.sent];
  for (const dir of dirs) makeMissing(fs, dir);
  if (id === DESK) return;
  await createMissing(fs, paths.identity, identityText(id, agent));
  await createMissing(fs, paths.memory, `# Memory of ${agent.name ?? id}\n`);
}

async function createMissing(fs: HiveFs, path: string, text: string): Promise<void> {
  if (fs.stat(path) !== undefined) return;
  await fs.create(path, text);
  await fs.syncDir(dirname(path));
}

function identityText(id: AgentId, agent: RegistryAgent): string {
  const lines = [`# ${agent.name ?? id}`, '', `I am the agent \`${id}\` of this hive.`];
  if (agent.role) lines.push(`My role: ${agent.role}.`);
  if (agent.isGod === true) {
    lines.push(
      'I am the orchestrator: I plan, assign work, keep board.md, and speak for the person.',
    );
  }
  if (agent.reportsTo) lines.push(`I report to \`${agent.reportsTo}\`.`);
  if (agent.capabilities?.length) lines.push(`I can: ${agent.capabilities.join(', ')}.`);
  lines.push('', 'How mail works here: `PROTOCOL.md` in the root of the hive.', '');
  return lines.join('\n');
}
