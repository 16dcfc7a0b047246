import { systemCode } from '../protocol/errors.ts';
import type { HiveFs } from './hive-fs.ts';

/**
 * Reads a file as UTF-8 text, never following a link and never blocking.
 * @param most - bytes at most
 * @returns nothing when there is no such file
 */
export function readText(fs: HiveFs, path: string, most: number): string | undefined {
  try {
    return Buffer.from(fs.read(path, most).bytes).toString('utf8');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
}
