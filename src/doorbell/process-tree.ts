import { readFileSync } from 'node:fs';
import { systemCode } from '../protocol/errors.ts';

/** Reads a file of `/proc` about a process; nothing when it has ended, or there is no `/proc`. */
export function readProc(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Where a process stands among others. */
export interface ProcessPlace {
  parent: number;
  /** Number of the terminal that it belongs to; 0 for none. */
  terminal: number;
  /** It gets what is typed there. */
  isInForeground: boolean;
}

/** Reads where a process stands; nothing where the platform does not say. */
export function placeOfProcess(pid: number): ProcessPlace | undefined {
  const line = readProc(pid, 'stat');
  if (line === undefined) return undefined;
  // The command stands in brackets and may hold any characters, so fields count from the last one.
  const [state, parent, group, , terminal, foreground] = line
    .slice(line.lastIndexOf(')') + 2)
    .split(' ');
  const isStopped = state === 'T' || state === 't';
  return {
    ...{ parent: Number(parent), terminal: Number(terminal) },
    isInForeground: !isStopped && group === foreground,
  };
}

/** Names the parent of a process; nothing where the platform does not say. */
export function parentOf(pid: number): number | undefined {
  return placeOfProcess(pid)?.parent;
}
