/**
 * Finding a process again: a number alone is reused, by another program or after a boot, and a lock
 * that trusts it either locks everybody out or lets two in.
 *
 * Invariants: no clock takes part; an answer that can't be had is no answer, never a guess.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { systemCode } from '../protocol/errors.ts';

/** A process that another one can find again, and tell from a later one with the same number. */
export interface ProcessIdentity {
  pid: number;
  /** What `processIdentity` gave for it; nothing where the platform can't say. */
  startedAt: string | undefined;
  /** What {@link bootId} gave when it was recorded. */
  bootId: string | undefined;
}

const COMMAND_TIMEOUT_MS = 5000;
// Zombie, dead: the process has ended, only its parent has not looked yet.
const ENDED = /^[ZXx]/;
// Of /proc/<pid>/stat, counted from the state, which is field 3 and follows the command in brackets.
const START_TICKS_FIELD = 22 - 3;

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = systemCode(error);
    // ESRCH: the process ended between open and read.
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return undefined;
    throw error;
  }
}

function runOrNothing(command: string, args: string[]): string | undefined {
  try {
    // The start time is printed in the local zone and language, which may change meanwhile.
    const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };
    const output = execFileSync(command, args, {
      encoding: 'utf8',
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: COMMAND_TIMEOUT_MS,
    });
    return output.trim() === '' ? undefined : output.trim();
  } catch {
    // No such process (ps ends with 1), or no such command here: either way there is no answer.
    return undefined;
  }
}

/**
 * Reads state and start time out of a line of /proc/<pid>/stat. The command stands in brackets and
 * may itself hold blanks and brackets, so fields count from the last closing one.
 * @returns the start time in clock ticks since boot; nothing for a process that has ended
 */
export function parseProcStat(line: string): string | undefined {
  const fields = line
    .slice(line.lastIndexOf(')') + 1)
    .trim()
    .split(' ');
  if (ENDED.test(fields[0] ?? '')) return undefined;
  const ticks = fields[START_TICKS_FIELD];
  return ticks !== undefined && /^\d+$/.test(ticks) ? ticks : undefined;
}

/** Reads state and start time out of what `ps -o stat=,lstart=` prints for one process. */
export function parsePsLine(line: string): string | undefined {
  const match = /^(\S+)\s+(\S.*)$/.exec(line.trim());
  if (match === null || ENDED.test(match[1] ?? '')) return undefined;
  return match[2]?.replace(/\s+/g, ' ');
}

/**
 * Tells when a process started, in a form that only serves to be compared: with its number and the
 * boot it names one process for good, as a number alone does not.
 * @returns nothing when no such process runs (a zombie has ended), or the platform can't say
 */
export function processIdentity(
  pid: number,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (platform === 'linux') {
    const line = readOrNothing(`/proc/${pid}/stat`);
    return line === undefined ? undefined : parseProcStat(line);
  }
  if (platform === 'win32') return undefined;
  const line = runOrNothing('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
  return line === undefined ? undefined : parsePsLine(line);
}

/**
 * Names the running boot of this machine. On macOS the boot session, not `kern.boottime`, which
 * moves when the clock is set.
 * @returns nothing where the platform has no such name
 */
export function bootId(platform: NodeJS.Platform = process.platform): string | undefined {
  if (platform === 'linux') return readOrNothing('/proc/sys/kernel/random/boot_id')?.trim();
  if (platform === 'darwin') return runOrNothing('sysctl', ['-n', 'kern.bootsessionuuid']);
  return undefined;
}

/** Names this process, to be found again by {@link isSameProcessAlive}. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startedAt: processIdentity(process.pid), bootId: bootId() };
}

function isPidInUse(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}

/**
 * Tells whether that very process still runs on this machine, however long ago it was recorded. A
 * stopped one does; a zombie, one of an earlier boot or a later one with the same number does not.
 * Where no start time was recorded, any process with the number counts as the same.
 */
export function isSameProcessAlive(identity: ProcessIdentity): boolean {
  const boot = bootId();
  if (identity.bootId !== undefined && boot !== undefined && identity.bootId !== boot) return false;
  if (identity.startedAt === undefined) return isPidInUse(identity.pid);
  return processIdentity(identity.pid) === identity.startedAt;
}
