/**
 * The hive's file operations on the system's own files. No rule of the hive is here: what an operation
 * does is said in hive-fs.ts, and the contract suite under test/helpers holds it to that.
 *
 * Invariants: no operation follows a link at the end of a path that it opens as a file, none blocks on
 * what is no file, none leaves a descriptor open, and errors are the system's own.
 */
import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  type OpenDirOptions,
  opendirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { systemCode } from '../protocol/errors.ts';
import { openAnchor } from './anchor.ts';
import { openForAppend } from './append-file.ts';
import type { FileStat, HiveFs } from './hive-fs.ts';
import { decodeName, rawPath } from './raw-name.ts';
import { readRegular, toFileStat } from './read-file.ts';
import { createSlots } from './slots.ts';
import { createSynced, syncFile } from './write-file.ts';

const OPEN_FILES = 64;
// The default of 32 is four times slower than a plain listing.
const DIR_BUFFER = 1024;
// Some hundred names, where a plain listing takes a third of the time. A size of 0 tells nothing.
const SMALL_DIR_BYTES = 16 * 1024;
const REPLACEMENT = '\ufffd';
const RENAME_WAITS_MS = [5, 10, 20, 40, 80];
const SCANNER_CODES = new Set(['EPERM', 'EACCES', 'EBUSY']);
const NO_DIR_SYNC_CODES = new Set(['EPERM', 'EISDIR', 'EINVAL', 'ENOTSUP']);

function listSome(dir: string | Buffer, most: number, raw: boolean): string[] {
  // The types leave out `buffer`, which the call takes.
  const encoding = (raw ? 'buffer' : 'utf8') as BufferEncoding;
  const options: OpenDirOptions = { bufferSize: DIR_BUFFER, encoding };
  const handle = opendirSync(dir as string, options);
  const names: string[] = [];
  try {
    while (names.length < most) {
      const entry = handle.readSync();
      if (entry === null) break;
      const name: string | Uint8Array = entry.name;
      names.push(typeof name === 'string' ? name : decodeName(name));
    }
  } finally {
    handle.closeSync();
  }
  return names;
}

function listAll(dir: string | Buffer, raw: boolean): string[] {
  return raw ? readdirSync(dir, { encoding: 'buffer' }).map(decodeName) : readdirSync(dir);
}

function isSmall(dir: string | Buffer): boolean {
  const { size } = statSync(dir);
  return size > 0 && size <= SMALL_DIR_BYTES;
}

/**
 * Where a file system does not tell types in its listing, `Dir` looks each name up by itself and
 * throws for one that has just gone; the plain listing does not.
 */
function listBounded(dir: string | Buffer, most: number, raw: boolean): string[] {
  if (isSmall(dir)) return listAll(dir, raw).slice(0, most);
  try {
    return listSome(dir, most, raw);
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error) || error.syscall !== 'lstat') {
      throw error;
    }
    return listAll(dir, raw).slice(0, most);
  }
}

function list(dir: string, most?: number): string[] {
  const path = rawPath(dir);
  const read = (raw: boolean): string[] =>
    most === undefined ? listAll(path, raw) : listBounded(path, most, raw);
  const names = read(false);
  // Only a name that holds the replacement character can have lost bytes in decoding.
  return names.some((name) => name.includes(REPLACEMENT)) ? read(true) : names;
}

function stat(path: string): FileStat | undefined {
  try {
    // Most of what is asked for and missing is a doorbell; an error costs several times the call.
    const found = lstatSync(rawPath(path), { bigint: true, throwIfNoEntry: false });
    return found === undefined ? undefined : toFileStat(found);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/**
 * Renames, and on Windows tries again for 155 ms while a virus scanner or indexer holds the file.
 * The last try lets the error through.
 */
function renamePatiently(from: string, to: string, platform: NodeJS.Platform): void {
  for (const waitMs of platform === 'win32' ? RENAME_WAITS_MS : []) {
    try {
      renameSync(rawPath(from), rawPath(to));
      return;
    } catch (error) {
      if (!SCANNER_CODES.has(systemCode(error) ?? '')) throw error;
      sleep(waitMs);
    }
  }
  renameSync(rawPath(from), rawPath(to));
}

async function syncDir(dir: string): Promise<void> {
  try {
    const fd = openSync(rawPath(dir), constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
    try {
      await syncFile(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (!NO_DIR_SYNC_CODES.has(systemCode(error) ?? '')) throw error;
  }
}

/** What {@link createNodeFs} takes from outside. */
export interface NodeFsOptions {
  /** The platform whose habits to follow; the running one unless a test says otherwise. */
  platform?: NodeJS.Platform;
}

/**
 * Makes the hive's file operations out of the system's. Every path may carry escaped bytes.
 * At most 64 files are open for writing or syncing at once, however many are asked for.
 */
export function createNodeFs({ platform = process.platform }: NodeFsOptions = {}): HiveFs {
  const slots = createSlots(OPEN_FILES);
  return {
    list,
    stat,
    read: (path, most, from, into) => readRegular(rawPath(path), most, from, into),
    create: (path, bytes) => slots.use(() => createSynced(rawPath(path), bytes)),
    openAppend: (path) => openForAppend(rawPath(path)),
    rename: (from, to) => renamePatiently(from, to, platform),
    mkdir: (dir) => {
      mkdirSync(rawPath(dir), 0o700);
    },
    rmdir: (dir) => rmdirSync(rawPath(dir)),
    unlink: (path) => unlinkSync(rawPath(path)),
    anchor: (dir) => openAnchor(dir, platform),
    syncDir: (dir) => slots.use(() => syncDir(dir)),
  };
}
