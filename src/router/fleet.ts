import { readSessionStatus } from '../doorbell/read-session-status.ts';
import type { SessionStatus } from '../doorbell/session-status.ts';
import type { WakeRecord } from '../doorbell/wake/records.ts';
import { namesIn } from '../hive/names-in.ts';
import { isSameProcessAlive, type ProcessIdentity } from '../hive/process-identity.ts';
import { type AgentId, DESK } from '../protocol/addresses.ts';
import { toTimestamp } from '../protocol/clock.ts';
import { isMessageId, messageIdTime } from '../protocol/ids.ts';
import type { Rates } from '../routing/activity.ts';
import type { HealthReport } from './health.ts';
import type { Router } from './router.ts';

/** fleet.json: what each agent looks like now. */
export interface Fleet {
  /** ISO 8601, UTC. */
  at: string;
  godId: string | null;
  /** How the router is; `.router/health.json` says why. */
  health: HealthReport['state'];
  /** How much passes. */
  rates: Rates;
  /** Copies that wait for an inbox to become writable. */
  deferred: number;
  /** Messages in `held/`. */
  held: number;
  /** Letters on the person's desk that were not moved to `.done`. */
  desk: number;
  agents: Record<string, FleetAgent>;
}

/** One agent in fleet.json; the fields of the registry keep their names. */
export interface FleetAgent {
  name: string;
  role?: string | undefined;
  status: string;
  archived?: boolean;
  onHold?: boolean;
  /** Letters in the inbox that were not moved to `.done`. */
  unread: number;
  /** ISO 8601, UTC: when the oldest of them was accepted. */
  oldestUnread?: string;
  /** Answers that it owes, and that others owe it; a request that was agreed to counts until it is done. */
  owes: number;
  isOwed: number;
  /** ISO 8601, UTC: since when it has owed the oldest of them. */
  owesSince?: string;
  /** ISO 8601, UTC: when it last wrote, handled a letter, or its session was told of mail. */
  lastSeen?: string;
  /** ISO 8601, UTC: when a letter of it last got its outcome. */
  lastSent?: string;
  /** How its session stands; nothing when it has no doorbell. */
  doorbell?: SessionStatus;
}

/**
 * Takes a snapshot of the agents.
 * @param wakes - the wakes of idle sessions; nothing where none are asked for
 */
export function fleetOf(
  router: Router,
  wakes?: { record(agent: AgentId): WakeRecord | undefined },
): Fleet {
  const { census, fs, clock, doorbellReader, health, activity } = router;
  const agents: Record<string, FleetAgent> = {};
  const now = clock.now();
  const wakesFor = (id: AgentId) => wakes && { last: wakes.record(id) };
  const debts = debtsOf(router);
  for (const { id, name, role, archived, onHold } of census?.roster.agents.values() ?? []) {
    const unread = unreadBy(id, router);
    const doorbell = readSessionStatus(
      router,
      id,
      { unread, now, isAlive, wakes: wakesFor(id) },
      () => doorbellReader.read(router, id, clock.monotonic()),
    );
    agents[id] = {
      name,
      ...(role === undefined ? {} : { role }),
      status: archived ? 'gone' : 'idle',
      ...(archived ? { archived } : {}),
      ...(onHold ? { onHold } : {}),
      ...unreadOf(unread),
      ...(debts.get(id) ?? NO_DEBTS),
      ...signsOf(router, id, doorbell),
      ...(doorbell === undefined ? {} : { doorbell }),
    };
  }
  const godId = census?.roster.orchestrator ?? null;
  return {
    at: toTimestamp(now),
    godId,
    health: health.state,
    rates: activity.rates(now),
    deferred: fs.list(router.epoch.deferred).length,
    held: countHeld(router),
    desk: unreadBy(DESK, router).length,
    agents,
  };
}

/** Takes what was seen when its inbox was looked at last: to list a thousand would hold up a pass. */
function unreadBy(agent: AgentId, { fs, layout, handled }: Router): readonly string[] {
  return handled.lying(agent) ?? lettersIn(fs, layout.agent(agent).inbox);
}

type Debts = Pick<FleetAgent, 'owes' | 'isOwed' | 'owesSince'>;

const NO_DEBTS: Debts = { owes: 0, isOwed: 0 };

function debtsOf({ obligations }: Router): Map<string, Debts> {
  const debts = new Map<string, Debts>();
  const of = (agent: string): Debts => debts.get(agent) ?? NO_DEBTS;
  for (const { owes, to, since } of obligations.open()) {
    const debtor = of(owes);
    const owesSince = debtor.owesSince ?? since;
    debts.set(owes, { ...debtor, owes: debtor.owes + 1, owesSince });
    debts.set(to, { ...of(to), isOwed: of(to).isOwed + 1 });
  }
  return debts;
}

function unreadOf(ids: readonly string[]): Pick<FleetAgent, 'unread' | 'oldestUnread'> {
  const [oldest] = ids.filter(isMessageId).sort();
  return {
    unread: ids.length,
    ...(oldest === undefined ? {} : { oldestUnread: toTimestamp(messageIdTime(oldest)) }),
  };
}

function signsOf(
  { activity }: Router,
  agent: AgentId,
  doorbell: SessionStatus | undefined,
): Pick<FleetAgent, 'lastSeen' | 'lastSent'> {
  const { seen = '', sent } = activity.lastSigns(agent);
  const heard = doorbell?.session?.lastSeen ?? '';
  const lastSeen = seen > heard ? seen : heard;
  return {
    ...(lastSeen === '' ? {} : { lastSeen }),
    ...(sent === undefined ? {} : { lastSent: sent }),
  };
}

function countHeld({ fs, layout, census }: Router): number {
  const holders = [...(census?.roster.agents.keys() ?? []), DESK];
  const withMail = new Set(namesIn(fs, layout.held));
  return holders
    .filter((holder) => withMail.has(holder))
    .reduce((sum, holder) => sum + lettersIn(fs, layout.heldFor(holder)).length, 0);
}

/** Lists the ids of the letters in an inbox, in no order; none when it can't be read. */
export function lettersIn(fs: Router['fs'], inbox: string): string[] {
  const names = namesIn(fs, inbox).filter((name) => name.endsWith('.json'));
  return names.map((name) => name.slice(0, -'.json'.length));
}

/** Elsewhere the system is asked by a command, which the router does not wait for. */
function isAlive(identity: ProcessIdentity): boolean {
  return process.platform !== 'linux' || isSameProcessAlive(identity);
}
