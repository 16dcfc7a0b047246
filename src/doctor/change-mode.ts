import { chmodSync, closeSync, constants, fchmodSync, lstatSync, openSync } from 'node:fs';
import { systemCode } from '../protocol/errors.ts';

/**
 * Changes the permissions of a file or directory, never through a link, and never waiting for a pipe.
 * @throws the system's error; `ELOOP` for a link
 */
export function changeMode(path: string, mode: number): void {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  let fd: number;
  try {
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
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
