/**
 * Makes a hive out of the template, or makes an existing one whole. Never overwrites what is there;
 * PROTOCOL.md alone is refreshed, and only where nobody edited it.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastGlob from 'fast-glob';
import { type AgentId, agentIdProblem, DESK, isAgentId } from '../protocol/addresses.ts';
import { HivemailError } from '../protocol/errors.ts';
import { makeAgentDirectory } from './agent-directory.ts';
import type { HiveFs } from './hive-fs.ts';
import { type HiveLayout, layoutOf } from './layout.ts';
import { makeMissing } from './make-missing.ts';
import { requirePresent } from './past-mark.ts';
import { randomTail } from './random.ts';
import { readText } from './read-text.ts';
import {
  agentOf,
  emptyRegistry,
  type Registry,
  readRegistry,
  rosterOf,
  writeRegistry,
} from './registry.ts';
import { replaceFile } from './replace-file.ts';
import { changeRoster } from './roster-change.ts';
import { isShippedProtocol } from './shipped-protocol.ts';

/** How a hive is made. */
export interface InitOptions {
  /** Absolute path. */
  dir: string;
  fs: HiveFs;
  /** Ids of the first agents; only for a new hive. */
  agents: readonly string[];
  /** Which of them is the orchestrator; nothing for none. */
  orchestrator: string | undefined;
}

/** What `init` did. */
export interface InitResult {
  dir: string;
  created: boolean;
  agents: AgentId[];
  /** What the person should know, in sentences. */
  notes: string[];
}

/** The directory that a new hive is copied from. */
export const TEMPLATE_DIR = fileURLToPath(new URL('../../hive-template/', import.meta.url));

const MOST_PROTOCOL_BYTES = 1024 * 1024;

/**
 * Makes a hive, or completes an existing one.
 * @throws HivemailError `usage` for an id that can't be one, `refused` for a directory that holds
 *   something else
 */
export async function initHive(options: InitOptions): Promise<InitResult> {
  const { dir, fs } = options;
  const layout = layoutOf(dir);
  requirePresent(fs, layout);
  const exists = isHive(fs, layout);
  const first = exists ? registryOfDirectories(fs, layout) : firstRegistry(options);
  if (!exists) requireEmpty(fs, dir);
  makeWithParents(fs, dir);
  const isMissing = fs.stat(layout.registry) === undefined;
  if (isMissing) await writeRegistry(fs, layout.registry, first);
  const notes = await completeHive(fs, layout);
  if (exists && isMissing) {
    notes.push(
      'registry.json was missing. It was made anew from the directories in agents/; roles, names and holds are not known any more. See `hivemail agent list`.',
    );
  }
  const registry = readRegistry(fs, layout.registry);
  const agents = [...rosterOf(registry).agents.keys()];
  for (const id of [...agents, DESK]) {
    await makeAgentDirectory(fs, layout, id, agentOf(registry, id) ?? {});
  }
  return { dir, created: !exists, agents, notes };
}

/**
 * Puts into an existing hive what a release brings and it lacks: directories, template files, the current
 * PROTOCOL.md. A missing registry.json stays missing: an empty roster in its place would have mail to
 * everybody bounce, and only a person knows whether there is a copy of it.
 * @returns what the person should know
 */
export async function completeHive(fs: HiveFs, layout: HiveLayout): Promise<string[]> {
  for (const dir of [layout.agents, layout.held, layout.router]) makeMissing(fs, dir);
  await copyMissing(fs, layout);
  return await refreshProtocol(fs, layout);
}

/** Tells whether a directory is a hive, made by us or by another system of this shape. */
export function isHive(fs: HiveFs, layout: HiveLayout): boolean {
  return [layout.settings, layout.registry].some((path) => fs.stat(path)?.kind === 'file');
}

/** Makes a roster of the agents that have a directory; the one called `god` is the orchestrator. */
function registryOfDirectories(fs: HiveFs, layout: HiveLayout): Registry {
  const names = fs.stat(layout.agents)?.kind === 'directory' ? fs.list(layout.agents).sort() : [];
  const isAgent = (name: string): boolean =>
    isAgentId(name) && fs.stat(layout.agent(name).root)?.kind === 'directory';
  return names.filter(isAgent).reduce((registry, agent) => {
    const fields = agent === 'god' ? { role: 'orchestrator', isGod: true } : {};
    const result = changeRoster(registry, { op: 'add', agent, fields });
    return result.ok ? result.registry : registry;
  }, emptyRegistry());
}

function firstRegistry({ agents, orchestrator }: InitOptions): Registry {
  if (orchestrator !== undefined && !agents.includes(orchestrator)) {
    const message = `The orchestrator "${orchestrator}" is none of the agents ${agents.join(', ')}. Name it in --agents too.`;
    throw new HivemailError('usage', message);
  }
  let registry = emptyRegistry();
  for (const agent of agents) {
    const problem = agentIdProblem(agent);
    if (problem !== undefined) throw new HivemailError('usage', problem);
    const isGod = agent === orchestrator;
    const fields = isGod ? { role: 'orchestrator', isGod } : { role: agent };
    const result = changeRoster(registry, { op: 'add', agent, fields });
    if (!result.ok) throw new HivemailError(result.code, result.message);
    registry = result.registry;
  }
  return registry;
}

function requireEmpty(fs: HiveFs, dir: string): void {
  const stat = fs.stat(dir);
  if (stat === undefined) return;
  if (stat.kind === 'directory' && fs.list(dir, 1).length === 0) return;
  const message = `${dir} is no hive and not empty. Name a new directory, as in \`hivemail init ${join(dir, 'hive')}\`.`;
  throw new HivemailError('refused', message);
}

async function copyMissing(fs: HiveFs, layout: HiveLayout): Promise<void> {
  let copied = false;
  for (const name of await fastGlob('**/*', { cwd: TEMPLATE_DIR, dot: true })) {
    const target = join(layout.root, name);
    if (target === layout.registry || fs.stat(target) !== undefined) continue;
    copied = true;
    makeWithParents(fs, dirname(target));
    await fs.create(target, readFileSync(join(TEMPLATE_DIR, name)));
  }
  if (copied) await fs.syncDir(layout.root);
}

/**
 * Brings PROTOCOL.md up to date where it is one that a release shipped. Where it was edited, the new one
 * is put beside it.
 * @returns what the person should know; nothing when the current text lies beside it already
 */
export async function refreshProtocol(fs: HiveFs, layout: HiveLayout): Promise<string[]> {
  const shipped = readFileSync(join(TEMPLATE_DIR, 'PROTOCOL.md'), 'utf8');
  const here = readText(fs, layout.protocol, MOST_PROTOCOL_BYTES);
  if (here === shipped) return [];
  if (here === undefined || isShippedProtocol(here)) {
    await replaceFile(fs, layout.protocol, shipped, randomTail);
    return ['PROTOCOL.md was brought up to date.'];
  }
  const beside = `${layout.protocol}.new`;
  if (readText(fs, beside, MOST_PROTOCOL_BYTES) === shipped) return [];
  await replaceFile(fs, beside, shipped, randomTail);
  return [
    'PROTOCOL.md holds house rules, or is of another system, so it was left alone. The current text is in PROTOCOL.md.new; take over what you need.',
  ];
}

function makeWithParents(fs: HiveFs, dir: string): void {
  if (fs.stat(dir) !== undefined) return;
  makeWithParents(fs, dirname(dir));
  fs.mkdir(dir);
}
