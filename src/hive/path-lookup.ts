import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, relative } from 'node:path';
import { systemCode } from '../protocol/errors.ts';

/**
 * Looks a program up once, so that later calls can't be led elsewhere.
 * @param name - without `.exe`
 * @param searchPath - a `PATH`; entries that are not absolute are skipped: they follow the directory
 *   one stands in, which may be an agent's
 * @param outside - a directory whose programs are not taken, wherever in it they lie: others write there
 * @returns its absolute path, or nothing
 */
export function findInPath(name: string, searchPath: string, outside?: string): string | undefined {
  const isTrusted = (dir: string): boolean =>
    outside === undefined || /^\.\.($|[\\/])/.test(relative(outside, dir));
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  return searchPath
    .split(delimiter)
    .filter((dir) => isAbsolute(dir) && isTrusted(dir))
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
