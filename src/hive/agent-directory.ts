import { basename, dirname, join } from 'node:path';
import { type AgentId, DESK } from '../protocol/addresses.ts';
import { HivemailError } from '../protocol/errors.ts';
import { escapeLine } from '../protocol/escape.ts';
import type { Anchor, HiveFs } from './hive-fs.ts';
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
  using root = enter(fs, paths.root, paths.root);
  const within = (path: string): string => join(root.path, basename(path));
  if (id !== DESK) {
    await createMissing(fs, within(paths.identity), identityText(id, agent));
    await createMissing(fs, within(paths.memory), `# Memory of ${agent.name ?? id}\n`);
  }
  const mailboxes = [
    [paths.inbox, paths.done],
    [paths.outbox, paths.sent],
  ] as const;
  let failure: unknown;
  for (const [dir, below] of mailboxes) {
    try {
      using mailbox = enter(fs, within(dir), dir);
      makeMissing(fs, join(mailbox.path, basename(below)));
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
}

const WORDS = { file: 'a file', link: 'a link', other: 'a pipe or a device' };

/** Makes a directory when it is missing, and takes hold of it. `told`: its name for the person. */
function enter(fs: HiveFs, path: string, told: string): Anchor {
  makeMissing(fs, path);
  const kind = fs.stat(path)?.kind ?? 'directory';
  if (kind === 'directory') return fs.anchor(path);
  const sentence = `${escapeLine(told)} is ${WORDS[kind]} and no directory. Move it away.`;
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
