import type { AgentId } from '../protocol/addresses.ts';

/** What routing knows of an agent. */
export interface RosterAgent {
  id: AgentId;
  /** Display name; the id where none was given. */
  name: string;
  role?: string | undefined;
  /** No longer at work: mail is filed, broadcasts pass by. */
  archived: boolean;
  /** Mail waits in `held/` until the hold ends. */
  onHold: boolean;
  /** Sends, and receives nothing. */
  sendOnly: boolean;
}

/** The agents of a hive at one moment. */
export interface Roster {
  agents: ReadonlyMap<AgentId, RosterAgent>;
  /** The agent in the role of orchestrator; nothing when there is none, or it is archived. */
  orchestrator: AgentId | undefined;
}

/** Lists the agents that a broadcast of `sender` is for: those that direct mail reaches, but the sender. */
export function broadcastRecipients(roster: Roster, sender: string): AgentId[] {
  return [...roster.agents.values()]
    .filter((agent) => !agent.archived && !agent.sendOnly && agent.id !== sender)
    .map((agent) => agent.id);
}

/**
 * Finds the agent through whom `sender` reaches the person: the orchestrator, unless that is the sender
 * itself or reads no mail.
 */
export function wayToPerson(roster: Roster, sender: string): AgentId | undefined {
  const { orchestrator, agents } = roster;
  if (orchestrator === undefined || orchestrator === sender) return undefined;
  return agents.get(orchestrator)?.sendOnly === true ? undefined : orchestrator;
}
