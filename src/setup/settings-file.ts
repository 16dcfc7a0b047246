/**
 * A client's settings file: somebody else's, so it is read whole, written whole or not at all, and what
 * it is otherwise (mode, owner, a link to another place, byte order mark) stays.
 */
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  type Stats,
  unlinkSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { randomTail } from '../hive/random.ts';
import { writeAll } from '../hive/write-file.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';

/** A settings file as it was read. */
export interface SettingsFile {
  /** Absolute path, behind all links. */
  path: string;
  /** Its text without a byte order mark; nothing when there is no file. */
  text: string | undefined;
  /** What it was read from, to see whether it is still the same. */
  bytes: Buffer | undefined;
}

const MOST_LINKS = 40;
const MOST_BYTES = 16 * 1024 * 1024;
const MARK = '\uFEFF';
const MARK_BYTES = 3;
const NEW_MODE = 0o600;

/**
 * Reads a settings file.
 * @param given - absolute path; a link is followed
 * @throws HivemailError `refused` for what can't be kept as it is: no regular file, no UTF-8, too large
 */
export function readSettingsFile(given: string): SettingsFile {
  const path = behindLinks(given);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return { path, text: undefined, bytes: undefined };
  if (!stats.isFile()) throw new HivemailError('refused', `${path} is not a regular file.`);
  if (stats.size > MOST_BYTES) throw new HivemailError('refused', `${path} is too large.`);
  const bytes = readFileSync(path);
  const text = bytes.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(bytes)) {
    throw new HivemailError('refused', `${path} is not UTF-8 text. Nothing was changed.`);
  }
  return { path, bytes, text: text.startsWith(MARK) ? text.slice(MARK.length) : text };
}

function behindLinks(given: string): string {
  let path = given;
  for (let followed = 0; followed < MOST_LINKS; followed += 1) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return path;
    path = resolve(dirname(path), readlinkSync(path));
  }
  throw new HivemailError('refused', `${given} is a link that leads in a circle.`);
}

/** Lists the directories that have to be made for a settings file, outermost first. */
export function missingDirs({ path }: SettingsFile): string[] {
  const missing: string[] = [];
  let dir = dirname(path);
  while (lstatSync(dir, { throwIfNoEntry: false }) === undefined) {
    missing.unshift(dir);
    dir = dirname(dir);
  }
  return missing;
}

/**
 * Replaces a settings file, or makes it.
 * @returns false when somebody else has written it since it was read, and nothing was done
 */
export function replaceSettingsFile(file: SettingsFile, text: string): boolean {
  const dir = dirname(file.path);
  mkdirSync(dir, { recursive: true });
  const before = lstatSync(file.path, { throwIfNoEntry: false });
  const mark = file.bytes?.subarray(0, MARK_BYTES).toString('utf8') === MARK ? MARK : '';
  const temporary = join(dir, `.${basename(file.path)}.hivemail-${randomTail()}`);
  try {
    writeNew(temporary, mark + text, before);
    if (!isUnchanged(file)) return false;
    renameSync(temporary, file.path);
  } finally {
    unlinkIfThere(temporary);
  }
  return true;
}

function writeNew(path: string, text: string, like: Stats | undefined): void {
  const fd = openSync(path, 'wx', NEW_MODE);
  try {
    writeAll(fd, Buffer.from(text, 'utf8'));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  if (like === undefined) return;
  chmodSync(path, like.mode & 0o7777);
  if (process.getuid?.() === 0 && like.uid !== 0) chownSync(path, like.uid, like.gid);
}

function isUnchanged({ path, bytes }: SettingsFile): boolean {
  try {
    const now = readFileSync(path);
    return bytes?.equals(now) === true;
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return bytes === undefined;
  }
}

/**
 * Removes a settings file, and of some directories those that are empty then.
 * @param dirs - outermost first
 * @returns false when somebody else has written it since it was read, and nothing was done
 */
export function removeSettingsFile(file: SettingsFile, dirs: readonly string[]): boolean {
  if (!isUnchanged(file)) return false;
  unlinkIfThere(file.path);
  for (const dir of dirs.toReversed()) {
    if (!removeIfEmpty(dir)) break;
  }
  return true;
}

function removeIfEmpty(dir: string): boolean {
  try {
    rmdirSync(dir);
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}
