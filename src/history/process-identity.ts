import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { systemCode } from '../protocol/errors.ts';

/**
 * Tells a process from every other that has or had its pid: by its start time, on Linux with the
 * boot it happened in, since ticks begin anew there.
 * @returns text to compare for equality; nothing when no such process runs (one that has ended but
 *   was not yet reaped does not run), or the system does not tell
 */
export function processIdentity(pid: number): string | undefined {
  return process.platform === 'linux' ? linuxIdentity(pid) : psIdentity(pid);
}

/** Tells whether a pid is in use, by whatever process. */
export function isPidInUse(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}

function linuxIdentity(pid: number): string | undefined {
  const stat = readProc(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The program's name stands in parentheses and may hold any character: count after the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0] ?? 'X';
  const startTicks = fields[22 - 3];
  if (startTicks === undefined || 'ZXx'.includes(state)) return undefined;
  return `${readProc('/proc/sys/kernel/random/boot_id')?.trim() ?? ''}:${startTicks}`;
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    // ESRCH: it ended between open and read.
    if (['ENOENT', 'ESRCH', 'EACCES'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

function psIdentity(pid: number): string | undefined {
  try {
    const started = execFileSync('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'latin1',
      env: { LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 5_000,
    }).trim();
    return started === '' ? undefined : started;
  } catch (error) {
    // No such process (exit code 1), or no `ps`: nothing is known of it.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
