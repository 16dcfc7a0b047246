import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** What a process holds in memory, in bytes: now, and at most so far. No numbers where there is no /proc. */
export function memoryOf({ pid }: Pick<ChildProcess, 'pid'>): { now: number; most: number } {
  const path = `/proc/${pid}/status`;
  const status = existsSync(path) ? readFileSync(path, 'latin1') : '';
  const figure = (field: string): number => {
    const line = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status);
    return Number(line?.[1]) * 1024;
  };
  return { now: figure('VmRSS'), most: figure('VmHWM') };
}
