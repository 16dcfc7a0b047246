import { readFileSync } from 'node:fs';
import { systemCode } from '../protocol/errors.ts';

/** How a process stands to others. */
export interface ProcessPlace {
  parent: number;
  isStopped: boolean;
  /** It is in the group that gets what is typed into its terminal. */
  isInForeground: boolean;
}

/** Reads a file of `/proc` about a process; nothing when it has ended, or there is no `/proc`. */
export function readProc(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Finds a process among the others; nothing where the platform does not say. */
export function placeOfProcess(pid: number): ProcessPlace | undefined {
  const line = readProc(pid, 'stat');
  if (line === undefined) return undefined;
  // The command stands in brackets and may hold any characters, so fields count from the last one.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, , terminal, foreground] = fields;
  return {
    parent: Number(parent),
    isStopped: state === 'T' || state === 't',
    isInForeground: terminal !== '0' && group === foreground,
  };
}
