import type { HiveFs } from './hive-fs.ts';

/** Bytes of a message at most: as many as a letter has where hive.json sets the highest limit. */
const MOST_MESSAGE_BYTES = 64 * 1024 * 1024;

/**
 * Reads the file of a message as UTF-8 text, never following a link and never blocking.
 * @throws the system's error, also for what is no regular file
 */
export function readMessageText(fs: HiveFs, path: string): string {
  return Buffer.from(fs.read(path, MOST_MESSAGE_BYTES).bytes).toString('utf8');
}
