import { chmodSync, closeSync, constants, fchmodSync, lstatSync, openSync } from 'node:fs';
import { systemCode } from '../protocol/errors.ts';

// Windows has neither of the two.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Changes the permissions of a file or directory, never through a link, and never waiting for a pipe.
 * @throws the system's error; `ELOOP` for a link
 */
export function changeMode(path: string, mode: number): void {
  let fd: number;
  try {
    fd = openSync(path, FLAGS);
  } catch (error) {
    if (systemCode(error) !== 'EACCES' || lstatSync(path).isSymbolicLink()) throw error;
    // Its owner may change what it may not read.
    chmodSync(path, mode);
    return;
  }
  try {
    fchmodSync(fd, mode);
  } finally {
    closeSync(fd);
  }
}
