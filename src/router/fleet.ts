import { readSessionStatus } from '../doorbell/read-session-status.ts';
import type { SessionStatus } from '../doorbell/session-status.ts';
import type { WakeRecord } from '../doorbell/wake/records.ts';
import { isSameProcessAlive, type ProcessIdentity } from '../hive/process-identity.ts';
import type { AgentId } from '../protocol/addresses.ts';
import { toTimestamp } from '../protocol/clock.ts';
import { systemCode } from '../protocol/errors.ts';
import type { Router } from './router.ts';

/** fleet.json: what each agent looks like now. */
export interface Fleet {
  /** ISO 8601, UTC. */
  at: string;
  godId: string | null;
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
  const { census, fs, layout, clock, doorbellReader } = router;
  const agents: Record<string, FleetAgent> = {};
  const now = clock.now();
  const wakesFor = (id: AgentId) => wakes && { last: wakes.record(id) };
  for (const { id, name, role, archived, onHold } of census?.roster.agents.values() ?? []) {
    const unread = lettersIn(fs, layout.agent(id).inbox);
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
      unread: unread.length,
      ...(doorbell === undefined ? {} : { doorbell }),
    };
  }
  const godId = census?.roster.orchestrator ?? null;
  return { at: toTimestamp(now), godId, agents };
}

/** Lists the ids of the letters in an inbox, in no order; none when it can't be read. */
export function lettersIn(fs: Router['fs'], inbox: string): string[] {
  try {
    const names = fs.list(inbox).filter((name) => name.endsWith('.json'));
    return names.map((name) => name.slice(0, -'.json'.length));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return [];
  }
}

/** Elsewhere the system is asked by a command, which the router does not wait for. */
function isAlive(identity: ProcessIdentity): boolean {
  return process.platform !== 'linux' || isSameProcessAlive(identity);
}
