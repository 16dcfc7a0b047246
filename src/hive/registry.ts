import * as z from 'zod';
import { type AgentId, isAgentId } from '../protocol/addresses.ts';
import { HivemailError } from '../protocol/errors.ts';
import type { Roster, RosterAgent } from '../routing/roster.ts';
import type { HiveFs } from './hive-fs.ts';
import { randomTail } from './random.ts';
import { replaceFile } from './replace-file.ts';

const optionalText = z.string().nullish();
const flag = z.boolean().nullish();

const agentSchema = z.looseObject({
  name: optionalText,
  role: optionalText,
  capabilities: z.array(z.string()).nullish(),
  provider: optionalText,
  cwd: optionalText,
  reportsTo: optionalText,
  isGod: flag,
  isAssistant: flag,
  archived: flag,
  onHold: flag,
});

const registrySchema = z.looseObject({
  godId: z.string().nullish(),
  agents: z.record(z.string(), agentSchema),
});

/** One agent in registry.json. Fields that are not known here are kept as they are. */
export type RegistryAgent = z.output<typeof agentSchema>;

/** registry.json: the roster as it is stored. */
export type Registry = z.output<typeof registrySchema>;

/** Finds an agent of a registry by id; an id may be called like a property of every object. */
export function agentOf(registry: Registry, id: string): RegistryAgent | undefined {
  return Object.hasOwn(registry.agents, id) ? registry.agents[id] : undefined;
}

/** Returns the registry of a hive without agents. */
export function emptyRegistry(): Registry {
  return { godId: null, agents: {} };
}

/**
 * Parses the text of registry.json.
 * @throws HivemailError `bad-registry` naming the field
 */
export function parseRegistry(text: string): Registry {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new HivemailError(
      'bad-registry',
      'registry.json is not valid JSON, perhaps half-written.',
      { cause },
    );
  }
  const parsed = registrySchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where =
    issue === undefined ? '' : `"${issue.path.map(String).join('.')}": ${issue.message}`;
  throw new HivemailError('bad-registry', `registry.json does not hold a roster. ${where}`);
}

const MOST_REGISTRY_BYTES = 64 * 1024 * 1024;

/**
 * Reads registry.json.
 * @throws HivemailError `bad-registry`, also when there is none
 */
export function readRegistry(fs: HiveFs, path: string): Registry {
  if (fs.stat(path) === undefined) {
    throw new HivemailError(
      'bad-registry',
      'registry.json is missing. Restore it, or run `hivemail init`.',
    );
  }
  return parseRegistry(Buffer.from(fs.read(path, MOST_REGISTRY_BYTES).bytes).toString('utf8'));
}

/** Replaces registry.json as a whole. */
export async function writeRegistry(fs: HiveFs, path: string, registry: Registry): Promise<void> {
  await replaceFile(fs, path, `${JSON.stringify(registry, undefined, 2)}\n`, randomTail);
}

/**
 * Turns the stored roster into what routing knows. Entries whose key is no agent id are left out;
 * {@link unusableIds} lists them.
 */
export function rosterOf(registry: Registry): Roster {
  const agents = new Map<AgentId, RosterAgent>();
  for (const [id, agent] of Object.entries(registry.agents)) {
    if (!isAgentId(id)) continue;
    agents.set(id, {
      id,
      name: agent.name ?? id,
      role: agent.role ?? undefined,
      archived: agent.archived === true,
      onHold: agent.onHold === true,
      sendOnly: agent.isAssistant === true,
    });
  }
  return { agents, orchestrator: orchestratorOf(registry, agents) };
}

/** Lists the keys of a registry that can't be agent ids, so nobody can write to them. */
export function unusableIds(registry: Registry): string[] {
  return Object.keys(registry.agents).filter((id) => !isAgentId(id));
}

function orchestratorOf(
  registry: Registry,
  agents: ReadonlyMap<AgentId, RosterAgent>,
): AgentId | undefined {
  const named =
    registry.godId ?? Object.keys(registry.agents).find((id) => registry.agents[id]?.isGod);
  const agent = named === undefined ? undefined : agents.get(named as AgentId);
  return agent === undefined || agent.archived ? undefined : agent.id;
}
