import { existsSync, lstatSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { AGENT_ID, type AgentId, DESK, foldCase } from '../protocol/addresses.ts';

/** Where a hook stands, as far as it says which hive and which agent are meant. */
export interface HookPlace {
  /** What was asked for by `--hive` and `--agent`. */
  flags: { hive?: string | undefined; agent?: string | undefined };
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute path. */
  cwd: string;
}

/** Whose doorbell a hook rings. */
export interface Mailbox {
  /** Absolute path of the hive. */
  hive: string;
  agent: AgentId;
  /** Absolute path of the agent's directory. */
  root: string;
}

/**
 * Finds the mailbox that a hook is for, by the rules of the command line, with as little as a hook may
 * load: the roster is not read, an agent is who has a directory.
 * @returns nothing when there is none
 */
export function findMailbox(place: HookPlace): Mailbox | undefined {
  const hive = findHiveDir(place);
  if (hive === undefined) return undefined;
  const agent = foldCase(agentName(hive, place) ?? '');
  if (!AGENT_ID.test(agent) || agent === DESK) return undefined;
  const root = join(hive, 'agents', agent);
  return isDirectory(root) ? { hive, agent: agent as AgentId, root } : undefined;
}

function findHiveDir({ flags, env, cwd }: HookPlace): string | undefined {
  const named = [flags.hive, env['HIVEMAIL_HIVE'], env['HIVE_ROOT']].find((dir) => dir);
  if (named !== undefined) return resolve(cwd, named);
  for (let dir = cwd; ; dir = dirname(dir)) {
    if (existsSync(join(dir, 'hive.json'))) return dir;
    if (dir === dirname(dir)) break;
  }
  const below = join(cwd, 'hive');
  return existsSync(join(below, 'hive.json')) ? below : undefined;
}

function agentName(hive: string, { flags, env, cwd }: HookPlace): string | undefined {
  const named = flags.agent ?? env['HIVEMAIL_AGENT'];
  if (named) return named;
  const generic = foldCase(env['AGENT_ID'] ?? '');
  if (AGENT_ID.test(generic) && isDirectory(join(hive, 'agents', generic))) return generic;
  const [first, ...rest] = relative(join(hive, 'agents'), cwd).split(sep);
  return first === '' || first === '..' || rest.includes('..') ? undefined : first;
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
