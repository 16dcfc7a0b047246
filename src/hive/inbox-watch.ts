import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { systemCode } from '../protocol/errors.ts';
import { isLetterName } from './letter-name.ts';

/** A directory that is looked at again when something changed in it. */
export interface InboxWatch extends Disposable {
  /**
   * Returns when something changed, when time is up, or when the signal says so. A change while nobody
   * waits is kept for the next wait.
   * @returns whether something changed
   */
  change(mostMs: number, signal?: AbortSignal): Promise<boolean>;
}

/**
 * Watches a directory as far as the system can. The caller's own look after each wait is the guarantee:
 * events are lost in bursts, and where watches or inodes run out there are none.
 */
export function watchInbox(inbox: string): InboxWatch {
  let rung = false;
  let wake = (): void => {};
  const ring = (): void => {
    rung = true;
    wake();
  };
  const watcher = openWatch(inbox, ring);
  return {
    change: async (mostMs, signal) => {
      if (!rung && signal?.aborted !== true) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, mostMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
          signal?.addEventListener('abort', wake, { once: true });
        });
        signal?.removeEventListener('abort', wake);
      }
      const changed = rung;
      rung = false;
      return changed;
    },
    [Symbol.dispose]: () => watcher?.close(),
  };
}

/** Lists the names of the letters in an inbox; of one that can't be listed, none. */
export function letterNames(inbox: string): string[] {
  try {
    return readdirSync(inbox).filter(isLetterName);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return [];
  }
}

function openWatch(dir: string, ring: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(dir, ring);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}
