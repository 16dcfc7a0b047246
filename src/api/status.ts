import { basename } from 'node:path';
import { readSessionStatus } from '../doorbell/read-session-status.ts';
import type { SessionStatus } from '../doorbell/session-status.ts';
import { parseWakes, type WakeRecord } from '../doorbell/wake/records.ts';
import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { type InboxEntry, listInbox } from '../hive/mailbox.ts';
import { ownerState, type RouterOwner, readOwner } from '../hive/owner.ts';
import { readText } from '../hive/read-text.ts';
import { emptyRegistry, readRegistry, rosterOf } from '../hive/registry.ts';
import { type AgentId, DESK } from '../protocol/addresses.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';
import { listHeld } from '../router/ended-holds.ts';
import type { HealthReport } from '../router/health.ts';
import type { Rates } from '../routing/activity.ts';
import type { Roster, RosterAgent } from '../routing/roster.ts';
import { type Leftovers, readLeftovers } from '../spool/leftovers.ts';
import { readFleet, type ToldOfAgent } from './read-fleet.ts';

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
  /** How much passes, as the router told last; nothing when none is known to have told. */
  rates?: Rates;
  /** ISO 8601, UTC: when the router last told who owes what, who was seen, and how much passes. */
  toldAt?: string;
  /** Accepted mail that waits in `.router/` for a router; all 0 while one is up, which has it in hand. */
  leftovers: Leftovers;
  /** What could not be read, in sentences; then the rest says less than it should. */
  problems: string[];
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
  /** What the router told of it last. */
  told: ToldOfAgent;
  /** How its session stands; nothing when it has no doorbell. */
  doorbell?: SessionStatus;
}

const MOST_HEALTH_BYTES = 4 * 1024 * 1024;

/** Reads how a hive stands. What of it can't be read is told among the problems. */
export function readStatus(fs: HiveFs, layout: HiveLayout, now: number): HiveStatus {
  const problems: string[] = [];
  const roster = readRoster(fs, layout, problems);
  const state = readRouterState(fs, layout);
  const wakes = state.router === 'up' ? readWakes(fs, layout, problems) : undefined;
  const { of: toldOf, ...told } = readFleet(fs, layout);
  return {
    dir: layout.root,
    ...state,
    ...told,
    leftovers:
      state.router === 'down' ? readLeftovers(fs, layout) : { letters: 0, batches: 0, copies: {} },
    health: readHealth(fs, layout, problems),
    orchestrator: roster.orchestrator,
    agents: [...roster.agents.values()].map((agent) => {
      const unread = readInbox(fs, layout, { agent: agent.id, problems });
      const doorbell = readSessionStatus({ fs, layout }, agent.id, {
        unread: unread.map(({ path }) => basename(path, '.json')),
        now,
        wakes: wakes && { last: wakes.get(agent.id) },
      });
      return {
        id: agent.id,
        name: agent.name,
        role: agent.role,
        state: stateOf(agent),
        unread: unread.length,
        oldestUnread: unread[0]?.message?.created_at,
        due: unread.filter(({ message }) => message?.requires_reply === true).length,
        waiting: countWaiting(fs, layout.agent(agent.id).outbox),
        told: toldOf(agent.id),
        ...(doorbell === undefined ? {} : { doorbell }),
      };
    }),
    desk: readInbox(fs, layout, { agent: DESK, problems }).length,
    held: listHeld({ fs, layout }).length,
    problems,
  };
}

function readRoster(fs: HiveFs, layout: HiveLayout, problems: string[]): Roster {
  try {
    return rosterOf(readRegistry(fs, layout.registry));
  } catch (error) {
    if (!(error instanceof HivemailError)) throw error;
    problems.push(error.message);
    return rosterOf(emptyRegistry());
  }
}

function readInbox(
  fs: HiveFs,
  layout: HiveLayout,
  { agent, problems }: { agent: AgentId; problems: string[] },
): InboxEntry[] {
  try {
    return listInbox(fs, layout, agent);
  } catch (error) {
    const code = systemCode(error instanceof HivemailError ? error.cause : error);
    if (code === undefined) throw error;
    problems.push(`The inbox of ${agent} can't be read (${code}): ${layout.agent(agent).inbox}`);
    return [];
  }
}

function stateOf({ archived, onHold, sendOnly }: RosterAgent): AgentStatus['state'] {
  if (archived) return 'archived';
  if (onHold) return 'on hold';
  return sendOnly ? 'send-only' : 'active';
}

/** Reads whether a hive has a router. Costs the same however much mail there is. */
export function readRouterState(fs: HiveFs, layout: HiveLayout): RouterState {
  const owner = readOwner(fs, layout);
  const state = owner === undefined ? 'ended' : ownerState(owner);
  return { router: state === 'running' ? 'up' : state === 'ended' ? 'down' : state, owner };
}

function readHealth(fs: HiveFs, layout: HiveLayout, problems: string[]): HealthReport | undefined {
  const text = readOrTell(fs, layout.health, problems);
  try {
    return text === undefined ? undefined : (JSON.parse(text) as HealthReport);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/**
 * Reads what the router remembers of the wakes it asked for.
 * @param problems - gets a sentence when it can't be read; then there are none
 */
export function readWakes(
  fs: HiveFs,
  layout: HiveLayout,
  problems: string[],
): ReadonlyMap<string, WakeRecord> {
  return parseWakes(readOrTell(fs, layout.wakes, problems) ?? '');
}

/** Reads one of the router's own files; something else may stand there. */
function readOrTell(fs: HiveFs, path: string, problems: string[]): string | undefined {
  try {
    return readText(fs, path, MOST_HEALTH_BYTES);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    problems.push(
      `What the router tells of itself can't be read (${code}): ${path}. Take away what stands there; it is written anew.`,
    );
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
