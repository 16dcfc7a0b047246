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

/** Names the parent of a process; nothing where the platform does not say. */
export function parentOf(pid: number): number | undefined {
  const line = readProc(pid, 'stat');
  if (line === undefined) return undefined;
  // The command stands in brackets and may hold any characters, so fields count from the last one.
  const [, parent] = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return Number(parent);
}
