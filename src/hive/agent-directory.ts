import { dirname } from 'node:path';
import { type AgentId, DESK } from '../protocol/addresses.ts';
import { HivemailError } from '../protocol/errors.ts';
import { escapeLine } from '../protocol/escape.ts';
import type { HiveFs } from './hive-fs.ts';
import type { HiveLayout } from './layout.ts';
import { makeMissing } from './make-missing.ts';
import type { RegistryAgent } from './registry.ts';

/**
 * Makes what is missing of an agent's directory; identity.md and memory.md are written once and never
 * again. Nothing is made below what is no directory: a link would lead out of the hive, or into the
 * mailbox of another agent.
 * @throws HivemailError `io` naming what stands in the place of a directory, once the rest is made
 */
export async function makeAgentDirectory(
  fs: HiveFs,
  layout: HiveLayout,
  id: AgentId,
  agent: RegistryAgent,
): Promise<void> {
  const paths = layout.agent(id);
  makeMissing(fs, layout.agents);
  requireDirectory(fs, paths.root);
  if (id !== DESK) {
    await createMissing(fs, paths.identity, identityText(id, agent));
    await createMissing(fs, paths.memory, `# Memory of ${agent.name ?? id}\n`);
  }
  const mailboxes = [
    [paths.inbox, paths.done],
    [paths.outbox, paths.sent],
  ] as const;
  let failure: unknown;
  for (const [dir, below] of mailboxes) {
    try {
      requireDirectory(fs, dir);
      makeMissing(fs, below);
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
}

const WORDS = { file: 'a file', link: 'a link', other: 'a pipe or a device' };

function requireDirectory(fs: HiveFs, dir: string): void {
  makeMissing(fs, dir);
  const kind = fs.stat(dir)?.kind;
  if (kind === undefined || kind === 'directory') return;
  const sentence = `${escapeLine(dir)} is ${WORDS[kind]} and no directory. Move it away.`;
  throw new HivemailError('io', sentence);
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
