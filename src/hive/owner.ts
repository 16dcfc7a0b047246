/**
 * owner.json: which router holds a hive, for people, for the next router, and for the epoch that
 * must outlive them all. It is a record, not the lock: see lock.ts for who may write it.
 *
 * Invariants: the file is replaced as a whole; what can't be read as an owner is no owner, since a
 * damaged record must not lock anybody out; no clock takes part in telling whether an owner runs.
 */
import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import { type Clock, toTimestamp } from '../protocol/clock.ts';
import { systemCode } from '../protocol/errors.ts';
import { parseStrictly } from '../protocol/parse-strictly.ts';
import type { HiveFs } from './hive-fs.ts';
import type { KernelLock } from './kernel-lock.ts';
import type { HiveLayout } from './layout.ts';
import { isSameProcessAlive, ownIdentity, type ProcessIdentity } from './process-identity.ts';
import { randomTail } from './random.ts';
import { replaceFileIf } from './replace-file.ts';

/** The router, or the command changing the roster, that holds a hive or held it last. */
export interface RouterOwner extends ProcessIdentity {
  host: string;
  /** The last epoch that a router of this hive has begun; 0 before the first. */
  epoch: number;
  /** Version of Node, as `process.version`. */
  node: string;
  /** Version of Hivemail. */
  version: string;
  /** When it took the lock, ISO 8601 UTC; for people only. */
  since: string;
  /** Random, one for each taking of the lock: tells one's own record from a successor's. */
  token: string;
  /** Name of all that the kernel's lock which it took shuts out; nothing where it took none. */
  lockReach?: string | undefined;
  /** When it gave the lock back, ISO 8601 UTC; nothing while it runs and after a crash. */
  ended?: string | undefined;
}

const OWNER_LIMIT_BYTES = 65_536;
const TEXT_LIMIT = 256;
// Above it a damaged or forged number would leave no room to count on.
const EPOCH_LIMIT = 1e12;
const PID_LIMIT = 2 ** 31;
const UNREADABLE_CODES = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL', 'EISDIR']);

function isCount(value: unknown, least: number, limit: number): value is number {
  return Number.isSafeInteger(value) && Number(value) >= least && Number(value) < limit;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= TEXT_LIMIT ? value : undefined;
}

/** Reads an owner out of the text of owner.json; nothing when it does not hold a whole one. */
export function parseOwner(text: string): RouterOwner | undefined {
  const value = parseStrictly(text)?.value;
  if (typeof value !== 'object' || value === null) return undefined;
  const { pid, epoch, ...rest }: Record<string, unknown> = { ...value };
  const host = textOf(rest['host']);
  const since = textOf(rest['since']);
  const token = textOf(rest['token']);
  if (!isCount(pid, 1, PID_LIMIT) || !isCount(epoch, 0, EPOCH_LIMIT)) return undefined;
  if (host === undefined || since === undefined || token === undefined) return undefined;
  return {
    pid,
    startedAt: textOf(rest['startedAt']),
    bootId: textOf(rest['bootId']),
    host,
    epoch,
    node: textOf(rest['node']) ?? '',
    version: textOf(rest['version']) ?? '',
    since,
    token,
    lockReach: textOf(rest['lockReach']),
    ended: textOf(rest['ended']),
  };
}

/**
 * Reads who holds the hive, or held it last; see {@link ownerState} for which of the two.
 * @returns nothing when there was none yet, or the record is damaged
 * @throws the system's error when the disk fails (`EIO`) or the file is another user's (`EACCES`)
 */
export function readOwner(fs: HiveFs, layout: HiveLayout): RouterOwner | undefined {
  try {
    const { bytes } = fs.read(layout.owner, OWNER_LIMIT_BYTES);
    return parseOwner(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    if (UNREADABLE_CODES.has(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

/**
 * Writes owner.json as a whole, synced, if the record that it replaces is still an expected one.
 * @param expected - told the record found right before the rename; nothing for a damaged or missing one
 * @returns whether it was written
 */
export async function writeOwner(
  fs: HiveFs,
  layout: HiveLayout,
  owner: RouterOwner,
  expected: (found: RouterOwner | undefined) => boolean,
): Promise<boolean> {
  const text = `${JSON.stringify(owner, null, 2)}\n`;
  const still = (): boolean => expected(readOwner(fs, layout));
  return replaceFileIf(fs, layout.owner, text, { random: randomTail, still });
}

function hivemailVersion(): string {
  const read = createRequire(import.meta.url);
  const manifest: unknown = read('../../package.json');
  if (typeof manifest !== 'object' || manifest === null || !('version' in manifest)) return '';
  return textOf(manifest.version) ?? '';
}

/**
 * Describes this process as an owner that has just taken the lock.
 * @param epoch - the last one of this hive so far
 */
export function ownerHere(clock: Clock, epoch: number, lock?: KernelLock): RouterOwner {
  return {
    ...ownIdentity(),
    host: hostname(),
    epoch,
    node: process.version,
    version: hivemailVersion(),
    since: toTimestamp(clock.now()),
    token: randomTail(),
    lockReach: lock?.reach,
  };
}

/**
 * Tells what has become of an owner: `running` however old and even when stopped; `ended` when it
 * gave the lock back, its process is gone, or the machine was started anew since; `elsewhere` when
 * it was on another host, whose processes can't be seen from here.
 */
export function ownerState(owner: RouterOwner): 'running' | 'ended' | 'elsewhere' {
  if (owner.ended !== undefined) return 'ended';
  if (owner.host !== hostname()) return 'elsewhere';
  return isSameProcessAlive(owner) ? 'running' : 'ended';
}
