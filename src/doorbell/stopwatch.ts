import { readFileSync } from 'node:fs';
import { systemCode } from '../protocol/errors.ts';

/**
 * Measures time as it passes for this process. On a machine with more to do than cores a process waits
 * for its turn longer than for any disk: that is not the hive's fault, and going without the news does not
 * make it faster.
 * @returns what tells the milliseconds since
 */
export function startStopwatch(): () => number {
  const now = (): number => performance.now() - waitedForCpuMs();
  const started = now();
  return () => now() - started;
}

const NS_IN_MS = 1_000_000;

/** What the kernel says this process has waited for a core; 0 where it does not say. */
function waitedForCpuMs(): number {
  try {
    const [, waited] = readFileSync('/proc/self/schedstat', 'utf8').split(' ');
    return Number(waited) / NS_IN_MS || 0;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return 0;
  }
}
