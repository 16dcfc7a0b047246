import { realpathSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { isHive } from '../hive/init.ts';
import { layoutOf } from '../hive/layout.ts';
import { createNodeFs } from '../hive/node-fs.ts';
import { agentOf, readRegistry } from '../hive/registry.ts';
import { type AgentId, DESK, foldCase } from '../protocol/addresses.ts';
import { HivemailError } from '../protocol/errors.ts';

/** Where a command stands, as far as it says which hive and which agent are meant. */
export interface Surroundings {
  /** What was asked for by `--hive`, or `--agent`. */
  flag?: string | undefined;
  /** Environment variables. */
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the working directory. */
  cwd: string;
}

/**
 * Finds the hive that is meant: the flag, else `HIVEMAIL_HIVE` or `HIVE_ROOT`, else the nearest parent
 * that holds hive.json, else `./hive`.
 * @returns its absolute path
 * @throws HivemailError `hive-not-found`
 */
export function findHive({ flag, env, cwd }: Surroundings): string {
  const named = [flag, env['HIVEMAIL_HIVE'], env['HIVE_ROOT']].find((dir) => dir);
  if (named !== undefined) return requireHive(resolve(cwd, named), 'there');
  for (let dir = cwd; ; dir = dirname(dir)) {
    if (holdsHive(dir)) return dir;
    if (dir === dirname(dir)) break;
  }
  return requireHive(join(cwd, 'hive'), 'here or above');
}

function holdsHive(dir: string): boolean {
  return createNodeFs().stat(layoutOf(dir).settings)?.kind === 'file';
}

function requireHive(dir: string, where: string): string {
  if (isHive(createNodeFs(), layoutOf(dir))) return dir;
  const message = `There is no hive ${where} (${dir}). Name one with --hive DIR, or make one with \`hivemail init\`.`;
  throw new HivemailError('hive-not-found', message);
}

/**
 * Finds the agent that is meant: the flag, else `HIVEMAIL_AGENT`, else `AGENT_ID` when the hive has
 * that agent, else the `agents/<id>/` that we stand in. The person's desk is only meant when named,
 * and not by a process that runs as an agent.
 * @param hive - absolute path of the hive
 * @throws HivemailError `usage` when none is meant, `not-found` for one that the hive does not have,
 *   `refused` for the desk in an agent's environment
 */
export function findAgent(hive: string, surroundings: Surroundings): AgentId {
  const { flag, env } = surroundings;
  const inEnvironment = agentInEnvironment(hive, env);
  const named = flag ?? inEnvironment ?? agentInPath(hive, surroundings.cwd);
  if (named === undefined) {
    const message =
      'Which agent? Name it with --agent ID, or set HIVEMAIL_AGENT. `hivemail agent list` shows them.';
    throw new HivemailError('usage', message);
  }
  const name = foldCase(named);
  if (name === DESK) return requirePerson(flag, inEnvironment);
  if (!hasAgent(hive, name)) {
    const message = `This hive has no agent "${name}". \`hivemail agent list\` shows those it has.`;
    throw new HivemailError('not-found', message);
  }
  return name as AgentId;
}

function agentInEnvironment(hive: string, env: Surroundings['env']): string | undefined {
  if (env['HIVEMAIL_AGENT']) return env['HIVEMAIL_AGENT'];
  const other = env['AGENT_ID'];
  return other && hasAgent(hive, foldCase(other)) ? other : undefined;
}

function agentInPath(hive: string, cwd: string): string | undefined {
  const agents = realpathSync(layoutOf(hive).agents) + sep;
  const here = realpathSync(cwd);
  if (!here.startsWith(agents)) return undefined;
  const [name] = here.slice(agents.length).split(sep);
  return name === DESK ? undefined : name;
}

function requirePerson(flag: string | undefined, agent: string | undefined): AgentId {
  const asAgent = agent !== undefined && foldCase(agent) !== DESK;
  if (flag !== undefined && !asAgent) return DESK;
  const message = asAgent
    ? `This process runs as the agent "${agent}", and only the person acts as "human".`
    : "The person's desk is only used with --agent human.";
  throw new HivemailError('refused', message);
}

function hasAgent(hive: string, id: string): boolean {
  return agentOf(readRegistry(createNodeFs(), layoutOf(hive).registry), id) !== undefined;
}
