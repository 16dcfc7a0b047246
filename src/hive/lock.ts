/**
 * One router per hive. Two layers: a lock that the kernel frees when its holder dies (kernel-lock.ts),
 * and the record in owner.json, which also reaches over network namespaces, kernels without such a
 * lock and, as far as it can, other hosts.
 *
 * Invariants: no time limit and no heartbeat, so a stopped router or a jumping clock can't make two;
 * a dead holder never locks anybody out; nobody but the holder writes owner.json, and one that was
 * taken over leaves its successor's record alone. Where the lock is broken all the same (takeover,
 * two hosts), the fence of the epoch directories keeps the mail right, not this file.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, toTimestamp } from '../protocol/clock.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';
import { escapeLine } from '../protocol/escape.ts';
import type { HiveFs } from './hive-fs.ts';
import { type KernelLock, type TakeKernelLock, takeKernelLock } from './kernel-lock.ts';
import type { HiveLayout } from './layout.ts';
import { ownerHere, ownerState, type RouterOwner, readOwner, writeOwner } from './owner.ts';

/** What {@link acquireRouterLock} needs. */
export interface RouterLockOptions {
  layout: HiveLayout;
  clock: Clock;
  /** Go ahead although another router holds the hive, is stopped, or can't be seen from here. */
  takeover: boolean;
  fs: HiveFs;
  /** Takes the system's lock; the running platform's unless a test says otherwise. */
  takeKernel?: TakeKernelLock;
}

/** The right to be the one router of a hive, held until it is disposed of. */
export interface RouterLock extends AsyncDisposable {
  /** The last epoch recorded in owner.json when the lock was taken; 0 when none is known. */
  readonly epochAfter: number;
  /** Whether the kernel's lock is held; without it a predecessor may still live. */
  readonly kernel: boolean;
  /** The owner that was passed over by a takeover, to be named to the person. */
  readonly tookOverFrom: RouterOwner | undefined;
  /**
   * Records the epoch that this router begins.
   * @throws HivemailError `fenced` when another router has taken the hive over, or it was given back
   */
  recordOwner(epoch: number): Promise<void>;
  /** Marks the owner as ended, keeping the epoch, then frees the kernel's lock. Harmless twice. */
  [Symbol.asyncDispose](): Promise<void>;
}

// Without a kernel lock two starts can still meet between the last look at the record and the rename,
// which takes microseconds; the later one wins, and both look again when both have written.
const SETTLE_MS = 100;

function lockedBy(owner: RouterOwner | undefined): HivemailError {
  if (owner === undefined) {
    const sentence =
      'Another process holds the lock of this hive and owner.json does not say which. ' +
      'Try again in a moment; if it stays so, start with `hivemail up --takeover`.';
    return new HivemailError('locked', sentence);
  }
  const { pid } = owner;
  const sentence =
    `Process ${pid} on ${escapeLine(owner.host)} holds this hive since ${escapeLine(owner.since)}. ` +
    `Stop it there with \`kill ${pid}\`, or, if it is stopped or on another machine that is gone, ` +
    'start with `hivemail up --takeover`.';
  return new HivemailError('locked', sentence);
}

function ensureRouterDir(fs: HiveFs, layout: HiveLayout): boolean {
  try {
    fs.mkdir(layout.router);
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      const sentence = `There is no hive at ${escapeLine(layout.root)}. Make one with \`hivemail init\`.`;
      throw new HivemailError('hive-not-found', sentence, { cause: error });
    }
    if (code !== 'EEXIST') throw error;
  }
  if (fs.stat(layout.router)?.kind === 'directory') return false;
  const sentence = `${escapeLine(layout.router)} is no directory. Move it away, then start again.`;
  throw new HivemailError('io', sentence);
}

type Kernel = KernelLock | 'held' | 'unsupported';

/** Names the owner that stands in the way; `unknown` when only the kernel says there is one. */
function obstacle(
  owner: RouterOwner | undefined,
  kernel: Kernel,
): RouterOwner | 'unknown' | undefined {
  const state = owner === undefined ? 'ended' : ownerState(owner);
  const kernelKnows = owner !== undefined && state === 'running' && shows(kernel, owner);
  if (state !== 'ended' && !kernelKnows) return owner;
  return kernel === 'held' ? 'unknown' : undefined;
}

/**
 * Tells whether the kernel's lock, now ours, shows that an owner holds none. One whose disk refused to
 * record the end may live on; without a start time `running` only means that the number is in use.
 */
function shows(kernel: Kernel, { startedAt, lockReach }: RouterOwner): boolean {
  if (typeof kernel === 'string') return false;
  return startedAt === undefined || (lockReach !== undefined && lockReach === kernel.reach);
}

function asIoError(error: unknown, layout: HiveLayout): unknown {
  if (error instanceof HivemailError || systemCode(error) === undefined) return error;
  const reason = error instanceof Error ? error.message : '';
  const sentence = `The lock in ${escapeLine(layout.router)} can not be taken or given back: ${escapeLine(reason)}.`;
  return new HivemailError('io', sentence, { cause: error });
}

interface Holding {
  options: RouterLockOptions;
  kernel: Kernel;
  mine: RouterOwner;
  tookOverFrom: RouterOwner | undefined;
}

function createLock({ options, kernel, mine, tookOverFrom }: Holding): RouterLock {
  const { fs, layout } = options;
  const kernelLock = typeof kernel === 'string' ? undefined : kernel;
  let epoch = mine.epoch;
  let released = false;
  const isMine = (found: RouterOwner | undefined): boolean => found?.token === mine.token;
  const recordOwner = async (next: number): Promise<void> => {
    // A damaged record is written anew; another's is a successor's.
    const free = (found: RouterOwner | undefined): boolean =>
      !released && (found === undefined || isMine(found));
    if (!(await writeOwner(fs, layout, { ...mine, epoch: next }, free))) {
      const sentence =
        'This router has given the hive back, or another has taken it over. ' +
        'It must stop; nothing is lost.';
      throw new HivemailError('fenced', sentence);
    }
    epoch = next;
  };
  const dispose = async (): Promise<void> => {
    if (released) return;
    released = true;
    try {
      await markEnded(options, { ...mine, epoch });
    } catch (error) {
      throw asIoError(error, layout);
    } finally {
      await kernelLock?.release();
    }
  };
  return {
    epochAfter: mine.epoch,
    kernel: kernelLock !== undefined,
    tookOverFrom,
    recordOwner,
    [Symbol.asyncDispose]: dispose,
  };
}

async function markEnded(
  { fs, layout, clock }: RouterLockOptions,
  mine: RouterOwner,
): Promise<void> {
  const isMine = (found: RouterOwner | undefined): boolean => found?.token === mine.token;
  if (!isMine(readOwner(fs, layout))) return;
  await writeOwner(fs, layout, { ...mine, ended: toTimestamp(clock.now()) }, isMine);
}

/** Takes back what a start that failed may have recorded: its process may live on. */
async function takeBack(options: RouterLockOptions, mine: RouterOwner): Promise<void> {
  try {
    await markEnded(options, mine);
  } catch {
    // The error that led here is the one to report. Where it lasts, the kernel's lock is known to be
    // free, and without one the record counts until this process ends.
    return;
  }
}

/** @param before - the token that owner.json had when it was looked at */
async function recordStart(
  { fs, layout }: RouterLockOptions,
  mine: RouterOwner,
  before: string | undefined,
): Promise<void> {
  const unchanged = (found: RouterOwner | undefined): boolean => found?.token === before;
  if (!(await writeOwner(fs, layout, mine, unchanged))) throw lockedBy(readOwner(fs, layout));
}

async function requireWinner({ fs, layout }: RouterLockOptions, mine: RouterOwner): Promise<void> {
  await pause(SETTLE_MS);
  const winner = readOwner(fs, layout);
  if (winner?.token !== mine.token) throw lockedBy(winner);
}

async function claimOwner(options: RouterLockOptions, kernel: Kernel): Promise<RouterLock> {
  const { fs, layout, clock, takeover } = options;
  const owner = readOwner(fs, layout);
  const inTheWay = obstacle(owner, kernel);
  if (inTheWay !== undefined && !takeover) {
    throw lockedBy(inTheWay === 'unknown' ? undefined : inTheWay);
  }
  const mine = ownerHere(clock, owner?.epoch ?? 0, typeof kernel === 'string' ? undefined : kernel);
  try {
    await recordStart(options, mine, owner?.token);
    if (typeof kernel === 'string') await requireWinner(options, mine);
  } catch (error) {
    await takeBack(options, mine);
    throw error;
  }
  const tookOverFrom = inTheWay === 'unknown' ? undefined : inTheWay;
  return createLock({ options, kernel, mine, tookOverFrom });
}

/**
 * Takes the lock of a hive, for a router or for a command that changes the roster while none is up.
 * Tries once and does not wait. Makes `.router/` when it is missing.
 * @throws HivemailError `locked` naming the holder and what to do; `hive-not-found`; `io`
 */
export async function acquireRouterLock(options: RouterLockOptions): Promise<RouterLock> {
  const { fs, layout, takeKernel = takeKernelLock } = options;
  let kernelLock: KernelLock | undefined;
  try {
    if (ensureRouterDir(fs, layout)) await fs.syncDir(layout.root);
    const result = await takeKernel(layout);
    kernelLock = typeof result === 'string' ? undefined : result;
    return await claimOwner(options, result);
  } catch (error) {
    await kernelLock?.release();
    throw asIoError(error, layout);
  }
}
