import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { systemCode } from '../protocol/errors.ts';

const ASKING_MS = 5000;

/**
 * Reads the words that a process was called with.
 * @returns nothing where the platform does not say. On macOS words are told apart by blanks, so one that
 *   holds blanks comes in pieces
 */
export function commandLineOf(
  pid: number,
  platform: NodeJS.Platform = process.platform,
): string[] | undefined {
  if (platform === 'win32') return undefined;
  if (platform === 'linux') return readWords(`/proc/${pid}/cmdline`);
  try {
    const options = { encoding: 'utf8', timeout: ASKING_MS, stdio: 'pipe' } as const;
    return execFileSync('/bin/ps', ['-o', 'args=', '-p', String(pid)], options)
      .trim()
      .split(/\s+/);
  } catch {
    // No such process: ps ends with 1.
    return undefined;
  }
}

function readWords(path: string): string[] | undefined {
  try {
    const words = readFileSync(path, 'utf8').split('\0').slice(0, -1);
    return words.length > 0 ? words : undefined;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}
