import type { Stats } from 'node:fs';
import fastGlob from 'fast-glob';

/** Something that stands in a hive, as an inventory lists it. */
export interface InventoryEntry {
  /** Relative to where the inventory began, with `/` on every platform. */
  path: string;
  /** Its own, never those of what a link leads to. */
  stats: Stats;
}

/** An inventory, and whether there was more than was to be listed. */
export interface Inventory {
  /** By their paths. */
  entries: InventoryEntry[];
  cut: boolean;
}

/**
 * Lists what stands below a directory, never through a link. What can't be listed is passed over.
 * @param root - absolute path
 * @param patterns - globs relative to it, with `/` on every platform
 * @param most - entries at most
 */
export async function takeInventory(
  root: string,
  patterns: readonly string[],
  most: number,
): Promise<Inventory> {
  const found = fastGlob.stream([...patterns], {
    cwd: root,
    dot: true,
    onlyFiles: false,
    followSymbolicLinks: false,
    stats: true,
    suppressErrors: true,
  });
  const entries: InventoryEntry[] = [];
  for await (const each of found as AsyncIterable<unknown>) {
    if (entries.length >= most) return { entries: sorted(entries), cut: true };
    const { path, stats } = each as fastGlob.Entry;
    if (stats !== undefined) entries.push({ path, stats: stats as Stats });
  }
  return { entries: sorted(entries), cut: false };
}

function sorted(entries: readonly InventoryEntry[]): InventoryEntry[] {
  return [...entries].sort((a, b) => (a.path < b.path ? -1 : 1));
}
