import { closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs';
import { systemCode } from '../protocol/errors.ts';
import type { Anchor } from './hive-fs.ts';
import { rawPath } from './raw-name.ts';
import { systemError } from './write-file.ts';

// Of Linux, and missing in Node: a descriptor that needs no permission to read the directory.
const O_PATH = 0x20_0000;

let pathsWork: boolean | undefined;

/**
 * Takes hold of a directory. Node has no `openat` and no `renameat`; on Linux the path of an open
 * descriptor in /proc does the same, since the kernel follows it to the directory itself and asks no name.
 * @throws the system's error; `ENOTDIR` for a link and for whatever else is no directory
 */
export function openAnchor(dir: string, platform: NodeJS.Platform): Anchor {
  if (platform !== 'linux') return lookOnly(dir);
  const fd = openSync(rawPath(dir), O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const path = `/proc/self/fd/${fd}`;
  pathsWork ??= leadsTo(path, fd);
  if (!pathsWork) {
    closeSync(fd);
    return lookOnly(dir);
  }
  return { path, holds: true, [Symbol.dispose]: () => closeSync(fd) };
}

/** Tells whether the path of a descriptor works: /proc may be missing, or be of another process. */
function leadsTo(path: string, fd: number): boolean {
  try {
    const [there, here] = [lstatSync(`${path}/.`), fstatSync(fd)];
    return there.dev === here.dev && there.ino === here.ino;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

function lookOnly(dir: string): Anchor {
  if (!lstatSync(rawPath(dir)).isDirectory()) {
    throw systemError('ENOTDIR', 'lstat', 'not a directory');
  }
  return { path: dir, holds: false, [Symbol.dispose]: () => {} };
}
