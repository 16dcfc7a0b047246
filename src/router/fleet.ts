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
}

/** Takes a snapshot of the agents. */
export function fleetOf({ census, fs, layout, clock }: Router): Fleet {
  const agents: Record<string, FleetAgent> = {};
  for (const { id, name, role, archived, onHold } of census?.roster.agents.values() ?? []) {
    agents[id] = {
      name,
      ...(role === undefined ? {} : { role }),
      status: archived ? 'gone' : 'idle',
      ...(archived ? { archived } : {}),
      ...(onHold ? { onHold } : {}),
      unread: countLetters(fs, layout.agent(id).inbox),
    };
  }
  const godId = census?.roster.orchestrator ?? null;
  return { at: toTimestamp(clock.now()), godId, agents };
}

function countLetters(fs: Router['fs'], inbox: string): number {
  try {
    return fs.list(inbox).filter((name) => name.endsWith('.json')).length;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return 0;
  }
}
