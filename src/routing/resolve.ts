/**
 * From addresses as agents write them to the agents they mean. Looks names up in the roster and joins
 * nothing: what is not found is a failure with candidates, never a path.
 */
import {
  type AgentId,
  BROADCAST_NAMES,
  DESK,
  isAgentId,
  ORCHESTRATOR,
  SYSTEM,
} from '../protocol/addresses.ts';
import { nearest } from '../protocol/nearest.ts';
import type { OutcomeCode } from '../protocol/outcomes.ts';
import { broadcastRecipients, type Roster } from './roster.ts';

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
}

/** Who writes, and whether this answers the person. */
export interface ResolveContext {
  roster: Roster;
  sender: AgentId;
  /** The letter replies to one from the person, so `human` goes to the desk at once. */
  repliesToPerson: boolean;
}

type Lookup = { ids: AgentId[] } | { code: OutcomeCode; candidates?: string[] };

/**
 * Resolves the addresses of a letter.
 * @param addresses - as written, trimmed; at least one
 */
export function resolveAddresses(
  addresses: readonly string[],
  context: ResolveContext,
): Resolution {
  const recipients = new Set<AgentId>();
  const resolution: Resolution = {
    recipients: [],
    failures: [],
    broadcast: false,
    needsHuman: false,
  };
  for (const address of addresses) {
    const name = address.toLowerCase();
    const found = lookUp(name, context);
    if (BROADCAST_NAMES.includes(name)) resolution.broadcast = true;
    if (name === DESK) resolution.needsHuman = context.sender !== DESK;
    if ('code' in found) {
      resolution.failures.push({ to: address, candidates: [], ...found });
    } else if (found.ids.length === 1 && found.ids[0] === context.sender) {
      resolution.failures.push({ to: address, code: 'to-self', candidates: [] });
    } else {
      for (const id of found.ids) if (id !== context.sender) recipients.add(id);
    }
  }
  resolution.recipients = [...recipients];
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
  if (name === ORCHESTRATOR) return lookUpOrchestrator(roster);
  const agent = isAgentId(name) ? roster.agents.get(name) : undefined;
  if (agent !== undefined && !(name === 'god' && agent.archived)) return { ids: [agent.id] };
  if (name === 'god') return lookUpOrchestrator(roster);
  return lookUpDisplayName(name, roster);
}

function lookUpPerson({ roster, sender, repliesToPerson }: ResolveContext): Lookup {
  const through = roster.orchestrator;
  if (sender === DESK || through === undefined || through === sender) return { ids: [DESK] };
  return { ids: repliesToPerson ? [DESK, through] : [through] };
}

function lookUpOrchestrator(roster: Roster): Lookup {
  return roster.orchestrator === undefined
    ? { code: 'no-orchestrator', candidates: [DESK] }
    : { ids: [roster.orchestrator] };
}

function lookUpRole(role: string, { roster, sender }: ResolveContext): Lookup {
  const agents = [...roster.agents.values()];
  const ids = broadcastRecipients(roster, sender).filter(
    (id) => roster.agents.get(id)?.role?.toLowerCase() === role,
  );
  if (ids.length > 0) return { ids };
  const roles = new Set(agents.flatMap((agent) => (agent.role ? [`role:${agent.role}`] : [])));
  return { code: 'unknown-recipient', candidates: nearest(`role:${role}`, [...roles]) };
}

function lookUpDisplayName(name: string, roster: Roster): Lookup {
  const agents = [...roster.agents.values()];
  const named = agents.filter((agent) => agent.name.trim().toLowerCase() === name);
  const live = named.filter((agent) => !agent.archived);
  const matches = live.length > 0 ? live : named;
  const [only, ...others] = matches;
  if (only !== undefined && others.length === 0) return { ids: [only.id] };
  if (only !== undefined) {
    return { code: 'ambiguous-recipient', candidates: matches.map((agent) => agent.id) };
  }
  const names = agents.filter((agent) => !agent.archived).flatMap(({ id, name }) => [id, name]);
  const ids = nearest(name, [...new Set(names)]).map(
    (match: string) => agents.find(({ id, name }) => id === match || name === match)?.id ?? match,
  );
  return { code: 'unknown-recipient', candidates: [...new Set(ids)] };
}
