/**
 * From addresses as agents write them to the agents they mean. Looks names up in the roster and joins
 * nothing: what is not found is a failure with candidates, never a path.
 */
import {
  type AgentId,
  BROADCAST_NAMES,
  DESK,
  foldCase,
  isAgentId,
  ORCHESTRATOR,
  SYSTEM,
} from '../protocol/addresses.ts';
import { nearest } from '../protocol/nearest.ts';
import type { OutcomeCode } from '../protocol/outcomes.ts';
import { broadcastRecipients, type Roster, wayToPerson } from './roster.ts';

/** An address that leads nowhere. */
export interface ResolveFailure {
  /** The address as written. */
  to: string;
  code: OutcomeCode;
  /** Ids that may have been meant. */
  candidates: string[];
}

/** Where the addresses of one letter lead. */
export interface Resolution {
  /** Each recipient once, in the order addressed; {@link DESK} for the person. */
  recipients: AgentId[];
  failures: ResolveFailure[];
  /** One of the addresses was a broadcast. */
  broadcast: boolean;
  /** The person is addressed, through the orchestrator or directly. */
  needsHuman: boolean;
  /** Who gets a copy of what goes straight to the person: the orchestrator, where it is not addressed. */
  copyTo?: AgentId;
}

/** Who writes, and whether this answers the person. */
export interface ResolveContext {
  roster: Roster;
  sender: AgentId;
  /** The letter replies to one from the person, so `human` goes to the desk at once. */
  repliesToPerson: boolean;
}

type Lookup = { ids: AgentId[]; copyTo?: AgentId } | { code: OutcomeCode; candidates?: string[] };

/**
 * Resolves the addresses of a letter.
 * @param addresses - as written, trimmed; at least one
 */
export function resolveAddresses(
  addresses: readonly string[],
  context: ResolveContext,
): Resolution {
  const recipients = new Set<AgentId>();
  const copies = new Set<AgentId>();
  const resolution: Resolution = {
    recipients: [],
    failures: [],
    broadcast: false,
    needsHuman: false,
  };
  const byName = new Map(addresses.map((address) => [foldCase(address), address]));
  for (const [name, address] of byName) {
    const found = lookUp(name, context);
    if (BROADCAST_NAMES.includes(name)) resolution.broadcast = true;
    if (name === DESK) resolution.needsHuman = context.sender !== DESK;
    if ('code' in found) {
      resolution.failures.push({ to: address, candidates: [], ...found });
    } else if (found.ids.includes(context.sender)) {
      resolution.failures.push({ to: address, code: 'to-self', candidates: [] });
    } else {
      for (const id of found.ids) recipients.add(id);
      if (found.copyTo !== undefined) copies.add(found.copyTo);
    }
  }
  for (const copyTo of copies) if (!recipients.has(copyTo)) resolution.copyTo = copyTo;
  resolution.recipients = [...new Set([...recipients, ...copies])];
  return resolution;
}

function lookUp(name: string, context: ResolveContext): Lookup {
  const { roster, sender } = context;
  if (BROADCAST_NAMES.includes(name)) {
    const ids = broadcastRecipients(roster, sender);
    return ids.length > 0 ? { ids } : { code: 'nobody-reached' };
  }
  if (name === DESK) return lookUpPerson(context);
  if (name === SYSTEM || name === 'router') return { code: 'reply-to-system' };
  if (name.startsWith('role:')) return lookUpRole(name.slice('role:'.length).trim(), context);
  return name === ORCHESTRATOR ? lookUpOrchestrator(roster) : lookUpAgent(name, context);
}

function lookUpAgent(name: string, context: ResolveContext): Lookup {
  const { roster } = context;
  const agent = isAgentId(name) ? roster.agents.get(name) : undefined;
  const isRole = name === 'god' && (agent === undefined || agent.archived);
  if (isRole) return lookUpOrchestrator(roster);
  return agent === undefined ? lookUpDisplayName(name, context) : { ids: [agent.id] };
}

function lookUpPerson({ roster, sender, repliesToPerson }: ResolveContext): Lookup {
  const through = wayToPerson(roster, sender);
  if (sender === DESK || through === undefined) return { ids: [DESK] };
  return repliesToPerson ? { ids: [DESK], copyTo: through } : { ids: [through] };
}

function lookUpOrchestrator(roster: Roster): Lookup {
  return roster.orchestrator === undefined
    ? { code: 'no-orchestrator', candidates: [DESK] }
    : { ids: [roster.orchestrator] };
}

function lookUpRole(role: string, { roster, sender }: ResolveContext): Lookup {
  const live = [...roster.agents.values()].filter(({ archived }) => !archived);
  const inRole = live.filter((agent) => role !== '' && foldCase(agent.role?.trim() ?? '') === role);
  const reached = broadcastRecipients(roster, sender);
  const ids = inRole.map(({ id }) => id).filter((id) => reached.includes(id));
  if (ids.length > 0) return { ids };
  if (inRole.length > 0) return { code: 'nobody-reached' };
  const roles = live.flatMap((agent) =>
    agent.role ? [`role:${foldCase(agent.role.trim())}`] : [],
  );
  const meant = live.some(({ id }) => id === role) ? [role] : nearest(`role:${role}`, roles);
  return { code: 'unknown-recipient', candidates: meant };
}

function lookUpDisplayName(name: string, { roster, sender }: ResolveContext): Lookup {
  const agents = [...roster.agents.values()];
  const named = agents.filter((agent) => foldCase(agent.name.trim()) === name.trim());
  const live = named.filter((agent) => !agent.archived);
  const matches = live.length > 0 ? live : named;
  const [only, ...others] = matches;
  if (only !== undefined && others.length === 0) return { ids: [only.id] };
  if (only !== undefined) {
    return { code: 'ambiguous-recipient', candidates: matches.map((agent) => agent.id) };
  }
  const meant = agents.filter((agent) => !agent.archived && agent.id !== sender);
  const names = new Set(meant.flatMap((agent) => [agent.id, agent.name]));
  const ids = nearest(name, [...names]).map(
    (match) => meant.find((agent) => agent.id === match || agent.name === match)?.id ?? match,
  );
  return { code: 'unknown-recipient', candidates: [...new Set(ids)] };
}
