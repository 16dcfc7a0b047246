import { systemCode } from '../protocol/errors.ts';
import type { HiveFs } from './hive-fs.ts';

/** Names in a directory, in no order; none where it can't be listed, for whoever only counts what is there. */
export function namesIn(fs: HiveFs, dir: string): string[] {
  try {
    return fs.list(dir);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return [];
  }
}
