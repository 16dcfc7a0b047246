/**
 * Changes of the roster as data and the one place that applies them, whether the router does it for a
 * control request or the command line under the lock. Pure: a registry in, a registry out.
 */
import * as z from 'zod';
import { type AgentId, agentIdProblem, foldCase } from '../protocol/addresses.ts';
import type { ErrorCode } from '../protocol/errors.ts';
import { nearest } from '../protocol/nearest.ts';
import { agentOf, type Registry, type RegistryAgent } from './registry.ts';

/** Fields of an agent that `agent add` and `agent set` take. */
export const agentFieldsSchema = z.strictObject({
  name: z.string().min(1).optional(),
  role: z.string().optional(),
  capabilities: z.array(z.string()).optional(),
  provider: z.string().optional(),
  cwd: z.string().optional(),
  reportsTo: z.string().optional(),
  isAssistant: z.boolean().optional(),
  isGod: z.boolean().optional(),
});

const target = { agent: z.string() };

/** A change of the roster. */
export const rosterChangeSchema = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('add'), ...target, fields: agentFieldsSchema }),
  z.strictObject({ op: z.literal('set'), ...target, fields: agentFieldsSchema }),
  z.strictObject({ op: z.literal('rename'), ...target, name: z.string().min(1) }),
  z.strictObject({ op: z.literal('archive'), ...target }),
  z.strictObject({ op: z.literal('restore'), ...target }),
  z.strictObject({ op: z.literal('hold'), ...target }),
  z.strictObject({ op: z.literal('unhold'), ...target }),
]);

/** Fields of an agent that can be given; see `agentFieldsSchema`. */
export type AgentFields = z.output<typeof agentFieldsSchema>;

/** A change of the roster; see `rosterChangeSchema`. */
export type RosterChange = z.output<typeof rosterChangeSchema>;

/** What became of a change. `said` is a sentence for the person. */
export type RosterChangeResult =
  | { ok: true; registry: Registry; agent: AgentId; said: string }
  | { ok: false; code: ErrorCode; message: string };

/** Applies a change to a registry; the one given stays as it is. */
export function changeRoster(registry: Registry, change: RosterChange): RosterChangeResult {
  if (change.op === 'add') return addAgent(registry, change.agent, change.fields);
  const id = foldCase(change.agent) as AgentId;
  if (agentOf(registry, id) === undefined) return unknownAgent(registry, change.agent);
  switch (change.op) {
    case 'set':
      return setFields(registry, id, change.fields);
    case 'rename':
      return changed(registry, id, { name: change.name }, `${id} is now called "${change.name}".`);
    case 'archive':
      return changed(registry, id, { archived: true }, `${id} is archived: mail to it is filed.`);
    case 'restore':
      return changed(registry, id, { archived: false }, `${id} is back; mail reaches it again.`);
    case 'hold':
      return changed(
        registry,
        id,
        { onHold: true },
        `${id} is on hold: its mail waits in held/${id}/.`,
      );
    case 'unhold':
      return changed(
        registry,
        id,
        { onHold: false },
        `The hold on ${id} ended; its mail is delivered.`,
      );
  }
}

function unknownAgent(registry: Registry, name: string): RosterChangeResult {
  const meant = nearest(name, Object.keys(registry.agents));
  const hint =
    meant.length > 0 ? `Did you mean ${meant.join(', ')}?` : 'See `hivemail agent list`.';
  return { ok: false, code: 'not-found', message: `There is no agent "${name}". ${hint}` };
}

function addAgent(registry: Registry, name: string, fields: AgentFields): RosterChangeResult {
  const problem = agentIdProblem(name);
  if (problem !== undefined) return { ok: false, code: 'usage', message: problem };
  const id = name as AgentId;
  const existing = agentOf(registry, id);
  if (existing !== undefined) {
    const archived = existing.archived === true;
    const hint = archived
      ? `Bring it back with \`hivemail agent restore ${id}\`.`
      : 'Choose another id.';
    return { ok: false, code: 'refused', message: `There is an agent "${id}" already. ${hint}` };
  }
  const conflict = orchestratorConflict(registry, id, fields);
  if (conflict !== undefined) return conflict;
  const agent: RegistryAgent = { id, name: fields.name ?? id, ...fields, status: 'idle' };
  const next = withAgent(registry, id, agent);
  return { ok: true, registry: next, agent: id, said: `${id} is added.` };
}

function setFields(registry: Registry, id: AgentId, fields: AgentFields): RosterChangeResult {
  const conflict = orchestratorConflict(registry, id, fields);
  return conflict ?? changed(registry, id, fields, `${id}: ${Object.keys(fields).join(', ')} set.`);
}

function orchestratorConflict(
  registry: Registry,
  id: AgentId,
  fields: AgentFields,
): RosterChangeResult | undefined {
  const { godId } = registry;
  const held = godId != null && godId !== id && agentOf(registry, godId) !== undefined;
  if (fields.isGod !== true || !held) return undefined;
  const message = `${godId} is the orchestrator, and a hive has at most one. First run \`hivemail agent set ${godId} --no-orchestrator\`.`;
  return { ok: false, code: 'refused', message };
}

function changed(
  registry: Registry,
  id: AgentId,
  fields: Partial<RegistryAgent>,
  said: string,
): RosterChangeResult {
  const agent = { ...agentOf(registry, id), ...fields } as RegistryAgent;
  return { ok: true, registry: withAgent(registry, id, agent), agent: id, said };
}

function withAgent(registry: Registry, id: AgentId, agent: RegistryAgent): Registry {
  const godId = agent.isGod === true ? id : registry.godId === id ? null : (registry.godId ?? null);
  return { ...registry, godId, agents: { ...registry.agents, [id]: agent } };
}
