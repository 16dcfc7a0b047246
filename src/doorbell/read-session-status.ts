import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import type { AgentId } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import { readDoorbell, type SeenDoorbell } from './read-doorbell.ts';
import { type SessionStatus, type StatusContext, sessionStatus } from './session-status.ts';

/**
 * Reads how an agent's session stands. What can't be read is told and never thrown: it is the agent's.
 * @param read - reads its doorbell, unless it was read before
 * @returns nothing when the agent has no doorbell
 */
export function readSessionStatus(
  { fs, layout }: { fs: HiveFs; layout: HiveLayout },
  agent: AgentId,
  context: Omit<StatusContext, 'mode' | 'tmux'>,
  read: () => SeenDoorbell | undefined = () => readDoorbell(fs, layout, agent),
): SessionStatus | undefined {
  try {
    const seen = read();
    if (seen === undefined) return undefined;
    const { state, mode, tmux } = seen;
    return sessionStatus(state, { ...context, mode, tmux });
  } catch (error) {
    const problem = systemCode(error);
    if (problem === undefined) throw error;
    return { problem };
  }
}
