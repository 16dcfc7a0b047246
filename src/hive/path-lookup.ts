import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { systemCode } from '../protocol/errors.ts';

/**
 * Looks a program up once, so that later calls can't be led elsewhere.
 * @param name - without `.exe`
 * @param searchPath - a `PATH`; entries that are not absolute are skipped: they follow the directory
 *   one stands in, which may be an agent's
 * @returns its absolute path, or nothing
 */
export function findInPath(name: string, searchPath: string): string | undefined {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  return searchPath
    .split(delimiter)
    .filter(isAbsolute)
    .map((dir) => join(dir, file))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}
