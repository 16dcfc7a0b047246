import { systemCode } from '../protocol/errors.ts';
import type { HiveFs } from './hive-fs.ts';

/** Makes a directory unless something stands there already; never its parents. */
export function makeMissing(fs: HiveFs, dir: string): void {
  if (fs.stat(dir) !== undefined) return;
  try {
    fs.mkdir(dir);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}
