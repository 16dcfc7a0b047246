import { type Dirent, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../protocol/errors.ts';

/**
 * Removes locks that a killed git left: one `*.lock` blocks every later write. To be called only
 * when no git of ours runs on the repository; git holds a lock for milliseconds.
 * @param gitDir - the history's repository
 * @returns the absolute paths that were removed
 */
export function removeStaleLocks(gitDir: string): string[] {
  const isLock = (name: string): boolean => name.endsWith('.lock');
  return [
    ...removeFiles(gitDir, isLock),
    ...removeFiles(join(gitDir, 'objects', 'info'), isLock),
    ...removeBelow(join(gitDir, 'refs'), isLock),
    ...removeFiles(gitDir, (name) => name.startsWith('fast_import_crash_')),
  ];
}

/**
 * Removes half-written packs, and the marks by which a killed fast-import still claims its own:
 * they stay for good and keep `git repack` from joining packs (600 stayed 600 in a trial).
 * @param gitDir - the history's repository
 * @returns the absolute paths that were removed
 */
export function removeStalePacks(gitDir: string): string[] {
  const dir = join(gitDir, 'objects', 'pack');
  return removeFiles(dir, (name) => {
    if (name.startsWith('tmp_') || name.startsWith('.tmp-')) return true;
    return name.endsWith('.keep') && isOfFastImport(join(dir, name));
  });
}

function isOfFastImport(path: string): boolean {
  return readFileSync(path, 'latin1').startsWith('fast-import');
}

function removeBelow(dir: string, matches: (name: string) => boolean): string[] {
  const below = entriesOf(dir).filter((entry) => entry.isDirectory());
  return [
    ...removeFiles(dir, matches),
    ...below.flatMap((entry) => removeBelow(join(dir, entry.name), matches)),
  ];
}

function removeFiles(dir: string, matches: (name: string) => boolean): string[] {
  const paths = entriesOf(dir)
    .filter((entry) => entry.isFile() && matches(entry.name))
    .map((entry) => join(dir, entry.name));
  for (const path of paths) rmSync(path, { force: true });
  return paths;
}

function entriesOf(dir: string): Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}
