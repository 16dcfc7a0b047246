import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  openSync,
  type PathLike,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';

/** Makes what was written to an open file durable, in libuv's pool: many run in parallel. */
export const syncFile = promisify(fsync);

const EMPTY_WRITES_LIMIT = 8;

/**
 * Makes an error like the system's own, with `code` and `syscall`, for a fault that no call reported.
 * @param code - such as `EIO` or `EINVAL`
 */
export function systemError(code: string, syscall: string, reason: string): Error {
  return Object.assign(new Error(`${code}: ${reason}, ${syscall}`), { code, syscall });
}

/**
 * Writes all bytes at the file's position, going on after short writes.
 * @throws the system's error; `EIO` when the writes keep taking nothing
 */
export function writeAll(fd: number, bytes: Uint8Array): void {
  let written = 0;
  let empty = 0;
  while (written < bytes.length) {
    const taken = writeSync(fd, bytes, written, bytes.length - written);
    written += taken;
    empty = taken === 0 ? empty + 1 : 0;
    if (empty >= EMPTY_WRITES_LIMIT) throw systemError('EIO', 'write', 'the disk takes no bytes');
  }
}

/**
 * Checks that an open file has grown as far as its writer was told: a write that claims more than it
 * did leaves a file that is silently too short (seen under strace with a forged return value).
 * @throws `EIO` when it is shorter
 */
export function checkWritten(fd: number, expectedBytes: number): void {
  const { size } = fstatSync(fd);
  if (size < expectedBytes) {
    throw systemError('EIO', 'write', `${size} of ${expectedBytes} bytes are in the file`);
  }
}

/**
 * Creates a file with mode 0600, writes all of it and syncs it; closes it whatever happens.
 * The write is synchronous since it ends in the page cache; only the sync waits for the disk.
 */
export async function createSynced(path: PathLike, bytes: string | Uint8Array): Promise<void> {
  const content = typeof bytes === 'string' ? Buffer.from(bytes, 'utf8') : bytes;
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY;
  const fd = openSync(path, flags | (constants.O_NOFOLLOW ?? 0), 0o600);
  try {
    writeAll(fd, content);
    checkWritten(fd, content.length);
    await syncFile(fd);
  } finally {
    closeSync(fd);
  }
}
