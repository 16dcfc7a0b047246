import { systemCode } from '../protocol/errors.ts';
import type { HiveFs } from './hive-fs.ts';

/** Removes a file; one that is gone by now is no trouble. */
export function removeFile(fs: HiveFs, path: string): void {
  try {
    fs.unlink(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}
