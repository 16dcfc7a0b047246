import { join } from 'node:path';
import type { HiveFs } from '../hive/hive-fs.ts';
import { removeFile } from '../hive/remove-file.ts';
import { systemCode } from '../protocol/errors.ts';
import type { RecordedBatch } from '../protocol/record.ts';
import { parseBatch } from './parse-batch.ts';

/** The most of a queue file that is read: a batch of 100 letters of 1 MiB each, in base64. */
const FILE_MOST_BYTES = 256 * 1024 * 1024;
const GROUP_FILES = 50;
// Some 500 letters, parsed and rendered at once; a start of git for each is little beside that.
const GROUP_BYTES = 1024 * 1024;

/** Queue files to be recorded by one fast-import. */
export interface QueueGroup {
  /** All names looked at, whatever became of them. */
  taken: string[];
  /** Absolute paths of the files that are done with once `batches` are recorded. */
  paths: string[];
  batches: RecordedBatch[];
  /** Files that hold no batch, by name. */
  unreadable: string[];
  /** Files that the file system did not give, by name. */
  failed: { name: string; error: unknown }[];
}

/**
 * Lists the batches that wait for the history, oldest first (their names are ids).
 * @param most - count no further than this many names
 * @returns file names; none when there is no queue
 */
export function listQueue(fs: HiveFs, dir: string, most?: number): string[] {
  try {
    return fs
      .list(dir, most)
      .filter((name) => name.endsWith('.json'))
      .sort();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Reads the next files of the queue, up to 50 or 1 MiB. One that can't be read does not hold up
 * the others.
 * @param names - as {@link listQueue} gave them; at least one is taken
 */
export function readGroup(fs: HiveFs, dir: string, names: readonly string[]): QueueGroup {
  const group: QueueGroup = { taken: [], paths: [], batches: [], unreadable: [], failed: [] };
  let bytes = 0;
  for (const name of names.slice(0, GROUP_FILES)) {
    if (bytes >= GROUP_BYTES) break;
    group.taken.push(name);
    bytes += addFile(fs, dir, name, group);
  }
  return group;
}

/** Removes files of the queue whose batches git holds; one that is gone is fine. */
export function removeRecorded(fs: HiveFs, paths: readonly string[]): void {
  for (const path of paths) removeFile(fs, path);
}

/**
 * Gives files that hold no batch another name, so that they are not read again.
 * @returns the absolute paths they had; and those that the file system would not rename, by name
 */
export function putAside(
  fs: HiveFs,
  dir: string,
  names: readonly string[],
): { aside: string[]; failed: QueueGroup['failed'] } {
  const aside: string[] = [];
  const failed: QueueGroup['failed'] = [];
  for (const name of names) {
    const path = join(dir, name);
    try {
      fs.rename(path, `${path}.unreadable`);
      aside.push(path);
    } catch (error) {
      failed.push({ name, error });
    }
  }
  return { aside, failed };
}

/** @returns the size of the file, in bytes */
function addFile(fs: HiveFs, dir: string, name: string, group: QueueGroup): number {
  const path = join(dir, name);
  try {
    const { bytes, stat } = fs.read(path, FILE_MOST_BYTES);
    const batch = stat.sizeBytes > bytes.length ? undefined : parseBatch(bytes);
    if (batch === undefined) {
      group.unreadable.push(name);
    } else {
      group.paths.push(path);
      if (batch.records.length > 0) group.batches.push(batch);
    }
    return bytes.length;
  } catch (error) {
    sortOut(name, error, group);
    return 0;
  }
}

function sortOut(name: string, error: unknown, group: QueueGroup): void {
  const code = systemCode(error);
  if (code === 'ENOENT') return;
  // A link, or no regular file: no router has put it there.
  if (code === 'ELOOP' || code === 'EINVAL' || code === 'EISDIR') group.unreadable.push(name);
  else group.failed.push({ name, error });
}
