import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  openSync,
  type PathLike,
  readSync,
} from 'node:fs';
import { systemCode } from '../protocol/errors.ts';
import type { FileContent, FileStat } from './hive-fs.ts';
import { systemError } from './write-file.ts';

// Windows has none of these flags, and neither named pipes in directories nor blocking opens.
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NO_BLOCK = constants.O_NONBLOCK ?? 0;

function kindOf(stats: BigIntStats): FileStat['kind'] {
  if (stats.isSymbolicLink()) return 'link';
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'directory' : 'other';
}

/** Reduces the system's stat to what the hive needs. */
export function toFileStat(stats: BigIntStats): FileStat {
  return {
    kind: kindOf(stats),
    sizeBytes: Number(stats.size),
    mtimeNs: stats.mtimeNs,
    ctimeNs: stats.ctimeNs,
    inode: stats.ino,
    device: stats.dev,
    links: Number(stats.nlink),
  };
}

/** Reads the stat of an open file. */
export function statOpen(fd: number): FileStat {
  return toFileStat(fstatSync(fd, { bigint: true }));
}

/**
 * Opens a regular file without following a link and without waiting for the other end of a pipe.
 * Four pipes named `*.json`, opened the plain way, stop every file operation of the process.
 * @param flags - access and creation flags, to which these are added
 * @throws the system's error; `ELOOP` for a link, `EINVAL` for what is no regular file
 */
export function openRegular(path: PathLike, flags: number): number {
  let fd: number;
  try {
    fd = openSync(path, flags | NO_FOLLOW | NO_BLOCK, 0o600);
  } catch (error) {
    // A socket, a device without a driver, or a pipe opened for writing that nobody reads.
    if (systemCode(error) !== 'ENXIO') throw error;
    throw Object.assign(noRegularFile(path), { cause: error });
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw noRegularFile(path);
}

/** Names the path, as the system's errors do: whoever reads it has to know where to look. */
function noRegularFile(path: PathLike): Error {
  return systemError('EINVAL', 'open', `not a regular file: ${path.toString()}`);
}

function readUpTo(fd: number, bytes: Buffer, from: number): Buffer {
  const mostBytes = bytes.length;
  let filled = 0;
  while (filled < mostBytes) {
    const got = readSync(fd, bytes, filled, mostBytes - filled, from + filled);
    if (got === 0) break;
    filled += got;
  }
  return bytes.subarray(0, filled);
}

/**
 * Reads a regular file up to a limit, and never more than its size when it was opened, so that bytes
 * and stat belong together even while the file grows.
 * @param into - read into where it has room for that much
 */
export function readRegular(path: PathLike, most: number, from = 0, into?: Buffer): FileContent {
  const fd = openRegular(path, constants.O_RDONLY);
  try {
    const stat = statOpen(fd);
    const wanted = Math.max(0, Math.min(most, stat.sizeBytes - from));
    const hasRoom = into !== undefined && into.length >= wanted;
    const buffer = hasRoom ? into.subarray(0, wanted) : Buffer.allocUnsafe(wanted);
    const bytes = readUpTo(fd, buffer, from);
    // Shorter than it was: someone cuts it; tell what it is now.
    return { bytes, stat: bytes.length < wanted ? statOpen(fd) : stat };
  } finally {
    closeSync(fd);
  }
}
