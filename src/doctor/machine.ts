import { readFileSync, statfsSync } from 'node:fs';
import { systemCode } from '../protocol/errors.ts';

/** What a file system says of itself. */
export interface FileSystemFacts {
  /** Its magic number on Linux (statfs(2)); without meaning elsewhere. */
  type: number;
  /** Bytes left for this user. */
  freeBytes: number;
  /** Files that can still be made. */
  freeFiles: number;
  /** Files it has room for; 0 where it knows no limit. */
  totalFiles: number;
}

/** What the checks ask of the machine; tests put another in its place. */
export interface Machine {
  platform: NodeJS.Platform;
  /** Effective user; nothing on Windows. */
  userId(): number | undefined;
  /** @throws the system's error */
  fileSystem(path: string): FileSystemFacts;
  /** Reads what the system tells under /proc; nothing where it does not. */
  systemText(path: string): string | undefined;
}

const UNTOLD = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ESRCH', 'EINVAL']);

function systemText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (!UNTOLD.has(systemCode(error) ?? '')) throw error;
    return undefined;
  }
}

/** The machine that this process runs on. */
export const thisMachine: Machine = {
  platform: process.platform,
  userId: () => process.geteuid?.(),
  fileSystem: (path) => {
    const { type, bsize, bavail, ffree, files } = statfsSync(path);
    return { type: type >>> 0, freeBytes: bavail * bsize, freeFiles: ffree, totalFiles: files };
  },
  systemText,
};
