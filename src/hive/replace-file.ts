import { dirname, join } from 'node:path';
import { systemCode } from '../protocol/errors.ts';
import type { HiveFs } from './hive-fs.ts';

function giveUp(fs: HiveFs, temporary: string): void {
  try {
    fs.unlink(temporary);
  } catch {
    // Gone, or on a disk in trouble: the error that led here is the one to report, and a file that
    // begins with `.tmp-` is nobody's content.
    return;
  }
}

/** What {@link replaceFileIf} takes besides the content. */
export interface Replacement {
  /** Eight random characters for the temporary name. */
  random: () => string;
  /** Asked in the same turn as the rename, after the content is synced; `false` keeps the old file. */
  still: () => boolean;
}

/**
 * Replaces a file like {@link replaceFile} if a condition still holds when all but the rename is done.
 * @returns whether it was replaced
 */
export async function replaceFileIf(
  fs: HiveFs,
  path: string,
  bytes: string | Uint8Array,
  { random, still }: Replacement,
): Promise<boolean> {
  const dir = dirname(path);
  const temporary = join(dir, `.tmp-${random()}`);
  try {
    await fs.create(temporary, bytes);
    if (!still()) {
      giveUp(fs, temporary);
      return false;
    }
    fs.rename(temporary, path);
  } catch (error) {
    // A name that was there before is another's file.
    if (systemCode(error) !== 'EEXIST') giveUp(fs, temporary);
    throw error;
  }
  await fs.syncDir(dir);
  return true;
}

/**
 * Replaces a file as a whole: a reader sees the old content or the new, also after a power cut.
 * The new content is synced before it takes the name; on failure the old content stays.
 * @param path - absolute; its directory must exist
 * @param random - eight random characters for the temporary name
 * @throws the system's error; the content may be in place all the same when only the last sync failed
 */
export async function replaceFile(
  fs: HiveFs,
  path: string,
  bytes: string | Uint8Array,
  random: () => string,
): Promise<void> {
  await replaceFileIf(fs, path, bytes, { random, still: () => true });
}
