import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { listInbox } from '../hive/mailbox.ts';
import { ownerState, type RouterOwner, readOwner } from '../hive/owner.ts';
import { readText } from '../hive/read-text.ts';
import { readRegistry, rosterOf } from '../hive/registry.ts';
import { type AgentId, DESK } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import { listHeld } from '../router/ended-holds.ts';
import type { HealthReport } from '../router/health.ts';

/** Whether a hive has a router. */
export interface RouterState {
  /** `up`: a router runs. `down`: none does. `elsewhere`: one on another host, whose life can't be seen. */
  router: 'up' | 'down' | 'elsewhere';
  /** Who it is, or was last. */
  owner: RouterOwner | undefined;
}

/** What a hive looks like now. Reading it changes nothing. */
export interface HiveStatus extends RouterState {
  dir: string;
  /** As the router wrote it last; nothing when none ever ran. */
  health: HealthReport | undefined;
  orchestrator: AgentId | undefined;
  agents: AgentStatus[];
  /** Questions on the person's desk that are not handled. */
  desk: number;
  /** Messages in `held/`. */
  held: number;
}

/** One agent in a {@link HiveStatus}. */
export interface AgentStatus {
  id: AgentId;
  name: string;
  role: string | undefined;
  state: 'active' | 'archived' | 'on hold' | 'send-only';
  /** Letters in the inbox. */
  unread: number;
  /** ISO 8601, UTC: when the oldest of them was accepted. */
  oldestUnread: string | undefined;
  /** Unread letters that an answer is due to. */
  due: number;
  /** Letters in the outbox that are not routed yet. */
  waiting: number;
}

const MOST_HEALTH_BYTES = 4 * 1024 * 1024;

/**
 * Reads how a hive stands.
 * @throws HivemailError `bad-registry`
 */
export function readStatus(fs: HiveFs, layout: HiveLayout): HiveStatus {
  const roster = rosterOf(readRegistry(fs, layout.registry));
  return {
    dir: layout.root,
    ...readRouterState(fs, layout),
    health: readHealth(fs, layout),
    orchestrator: roster.orchestrator,
    agents: [...roster.agents.values()].map((agent) => {
      const unread = listInbox(fs, layout, agent.id);
      const state = agent.archived
        ? 'archived'
        : agent.onHold
          ? 'on hold'
          : agent.sendOnly
            ? 'send-only'
            : 'active';
      return {
        id: agent.id,
        name: agent.name,
        role: agent.role,
        state,
        unread: unread.length,
        oldestUnread: unread[0]?.message?.created_at,
        due: unread.filter(({ message }) => message?.requires_reply === true).length,
        waiting: countWaiting(fs, layout.agent(agent.id).outbox),
      };
    }),
    desk: listInbox(fs, layout, DESK).length,
    held: listHeld({ fs, layout }).length,
  };
}

/** Reads whether a hive has a router. Costs the same however much mail there is. */
export function readRouterState(fs: HiveFs, layout: HiveLayout): RouterState {
  const owner = readOwner(fs, layout);
  const state = owner === undefined ? 'ended' : ownerState(owner);
  return { router: state === 'running' ? 'up' : state === 'ended' ? 'down' : state, owner };
}

function readHealth(fs: HiveFs, layout: HiveLayout): HealthReport | undefined {
  const text = readText(fs, layout.health, MOST_HEALTH_BYTES);
  try {
    return text === undefined ? undefined : (JSON.parse(text) as HealthReport);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

function countWaiting(fs: HiveFs, outbox: string): number {
  try {
    return fs.list(outbox).filter((name) => /\.json$/i.test(name) && !name.startsWith('.')).length;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return 0;
  }
}
