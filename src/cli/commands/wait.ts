import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { HivemailError, type InboxEntry, systemClock } from '../../index.ts';
import type { Context } from '../context.ts';
import { printLines } from './inbox.ts';

/** Options of `wait`. */
export interface WaitOptions {
  after?: string;
  /** Seconds. */
  timeout?: number;
}

const POLL_MS = 500;

/**
 * Waits for a letter. Deferred and released mail arrives under its old id, so what was not there when the
 * waiting began is new whatever its id.
 * @throws HivemailError `timeout`
 */
export async function wait(context: Context, options: WaitOptions): Promise<void> {
  const agent = context.agent();
  const { inbox } = context.hive.layout.agent(agent);
  const { after = '', timeout = Number.POSITIVE_INFINITY } = options;
  const until = systemClock.monotonic() + timeout * 1000;
  const known = new Set(namesIn(inbox).filter((name) => !comesAfter(name, after)));
  using nudge = watchFor(inbox);
  for (;;) {
    if (namesIn(inbox).some((name) => !known.has(name))) {
      const entries = context.hive.inbox(agent).filter(({ id }) => !known.has(`${id}.json`));
      if (entries.length > 0) return tell(context, entries);
    }
    const leftMs = until - systemClock.monotonic();
    if (leftMs <= 0) {
      throw new HivemailError('timeout', `No letter came for ${agent} within ${timeout} s.`);
    }
    await nudge.wait(Math.min(POLL_MS, leftMs));
  }
}

function tell(context: Context, entries: InboxEntry[]): void {
  if (context.json) context.printJson(entries);
  else printLines(context, entries);
}

function comesAfter(name: string, after: string): boolean {
  return name > after && (after === '' || !name.startsWith(after));
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return [];
  }
}

interface Nudge extends Disposable {
  /** Returns when something changed, and at the latest when time is up. */
  wait(mostMs: number): Promise<void>;
}

/** Watches a directory as far as the system can; the poll finds what the watch misses. */
function watchFor(dir: string): Nudge {
  let rung = false;
  let wake = (): void => {};
  const ring = (): void => {
    rung = true;
    wake();
  };
  const watcher = openWatch(dir, ring);
  return {
    wait: async (mostMs) => {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, mostMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      rung = false;
    },
    [Symbol.dispose]: () => watcher?.close(),
  };
}

function openWatch(dir: string, ring: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(dir, ring);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return undefined;
  }
}
