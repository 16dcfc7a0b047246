import { excludeFromOuterRepository } from '../history/outer-repository.ts';
import type { HiveFs } from '../hive/hive-fs.ts';
import { completeHive } from '../hive/init.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';

/**
 * Makes a hive whole before it is routed: one of an older release, of another system of this shape, or
 * one that a person took something out of. What can't be done is a note as well: mail does not need it.
 * @returns what the person should know, in sentences
 */
export async function completeBeforeRouting(fs: HiveFs, layout: HiveLayout): Promise<string[]> {
  const [completed, excluded] = [
    await noteTrouble(() => completeHive(fs, layout)),
    await noteTrouble(async () => keepOutOfWorkTree(layout.root)),
  ];
  return [...completed, ...excluded];
}

/**
 * Keeps a hive out of a git work tree around it.
 * @param root - absolute path of the hive
 * @returns what the person should know
 * @throws HivemailError `io` when that work tree's `info/exclude` can't be written
 */
export function keepOutOfWorkTree(root: string): string[] {
  const outer = excludeFromOuterRepository(root);
  if (outer.outcome !== 'excluded') return [];
  return [
    `The hive lies in a git work tree; it was added to ${outer.file}, or \`git add\` would fail there.`,
  ];
}

async function noteTrouble(work: () => Promise<string[]>): Promise<string[]> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HivemailError) return [error.message];
    const code = systemCode(error);
    if (code === undefined) throw error;
    return [`What the hive lacks can't be put into it (${code}). The next start tries again.`];
  }
}
