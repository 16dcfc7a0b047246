import { join } from 'node:path';
import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { namesIn } from '../hive/names-in.ts';
import { isEpochName } from './epoch.ts';
import { parseDeferredName } from './publish.ts';

/** Accepted mail in `.router/` that no router is at work on. */
export interface Leftovers {
  /** Letters taken out of an outbox and not decided on. */
  letters: number;
  /** Committed batches that are not finished. */
  batches: number;
  /** Messages that an inbox could not take, for each recipient. */
  copies: Record<string, number>;
}

/** Counts what router starts have left behind. What can't be listed is passed over. */
export function readLeftovers(fs: HiveFs, layout: HiveLayout): Leftovers {
  const left: Leftovers = { letters: 0, batches: 0, copies: {} };
  for (const name of namesIn(fs, layout.router).filter(isEpochName)) {
    const inEpoch = (place: string): string[] => namesIn(fs, join(layout.router, name, place));
    left.letters += inEpoch('claim').length;
    left.batches += inEpoch('owed').length;
    for (const copy of inEpoch('deferred')) {
      const to = parseDeferredName(copy)?.to ?? 'nobody';
      left.copies[to] = (left.copies[to] ?? 0) + 1;
    }
  }
  return left;
}

/** Tells whether anything is left behind. */
export function isLeftBehind({ letters, batches, copies }: Leftovers): boolean {
  return letters > 0 || batches > 0 || Object.keys(copies).length > 0;
}
