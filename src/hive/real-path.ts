import { realpathSync } from 'node:fs';
import { systemCode } from '../protocol/errors.ts';

/** Follows all links on the way to a path; nothing where none of it leads anywhere. */
export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}
