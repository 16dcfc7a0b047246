import {
  bootId,
  isSameProcessAlive,
  type ProcessIdentity,
  processIdentity,
} from '../hive/process-identity.ts';
import type { Moment } from './moment.ts';
import { parentOf, readProc } from './process-tree.ts';
import type { Holder } from './state.ts';

/** So long a session is taken to live after its last sign, where its process is not known. */
const UNSEEN_MS = 600_000;

const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ash', 'busybox', 'fish', 'ksh']);
const MOST_SHELLS = 4;

/** Moments at which a session comes to the fore of a client that has several. */
const TO_THE_FORE: ReadonlySet<Moment> = new Set(['start', 'prompt']);

/**
 * Tells whether a session may speak for the agent: nobody does, it does already, the one that does has
 * ended, or it comes to the fore in the same process. Sessions that work side by side in one process
 * would otherwise take it from each other at every tool call, and hear everything anew each time. A
 * session of a server that was left may live on unseen for as long as the server: after a while it gives
 * way to any other.
 */
export function mayHold(
  current: Holder | undefined,
  session: Holder,
  { moment, now }: { moment: Moment; now: number },
): boolean {
  if (current === undefined) return true;
  if (current.session === session.session && current.client === session.client) return true;
  const isUnseen = Math.abs(now - current.heardAt) > UNSEEN_MS;
  if (current.process === undefined) return isUnseen;
  if (current.shared === true && isUnseen) return true;
  if (isOneProcess(current, session)) return TO_THE_FORE.has(moment);
  return !isSameProcessAlive(current.process);
}

function isOneProcess({ process: one }: Holder, { process: other }: Holder): boolean {
  return one?.pid === other?.pid && one?.startedAt === other?.startedAt;
}

/**
 * Names the client's process: the parent of this hook, or the nearest one above the shell that ran it.
 * @returns nothing where the platform does not say
 */
export function clientProcess(parent: number): ProcessIdentity | undefined {
  let pid = parent;
  for (let shells = 0; shells < MOST_SHELLS && isShell(pid); shells += 1) {
    const above = parentOf(pid);
    if (above === undefined || above <= 1) break;
    pid = above;
  }
  const startedAt = processIdentity(pid);
  return startedAt === undefined ? undefined : { pid, startedAt, bootId: bootId() };
}

function isShell(pid: number): boolean {
  return SHELLS.has(readProc(pid, 'comm')?.trim() ?? '');
}
