/**
 * The router's own directory for one start, and taking over what an earlier start left behind.
 * Invariants: an epoch directory is made once and never made again, so an old router's paths never
 * resolve anew; a lower epoch is fenced by renaming it, and is gone only when its `rmdir` succeeded.
 */
import { join } from 'node:path';
import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';

/** Paths of one router start. Everything that carries an obligation lies in one of them. */
export interface Epoch {
  number: number;
  name: string;
  dir: string;
  /** Letters taken out of an outbox and not yet decided on. */
  claim: string;
  /** Batches being written; worth nothing before they are committed. */
  stage: string;
  /** Committed batches that are not finished. */
  owed: string;
  /** Copies that could not be published. */
  deferred: string;
  /** What a predecessor had only staged. */
  trash: string;
}

/** What the epoch functions need. */
export interface EpochContext {
  fs: HiveFs;
  layout: HiveLayout;
}

const EPOCH_NAME = /^e(\d+)-[a-z0-9]+(\.f)?$/;
const PLACES = ['claim', 'stage', 'owed', 'deferred', 'trash'] as const;
/** A draining loop that takes longer than this many rounds is fighting a live writer. */
const MOST_ROUNDS = 1000;

/** Tells whether a name in `.router/` is that of a router start's directory. */
export function isEpochName(name: string): boolean {
  return EPOCH_NAME.test(name);
}

/**
 * Makes the epoch of this start.
 * @param options - `after`: the greatest epoch number known to have been used; `tail`: pid and
 *   randomness that make the name unique
 */
export async function openEpoch(
  { fs, layout }: EpochContext,
  options: { after: number; tail: string },
): Promise<Epoch> {
  const numbers = listEpochs({ fs, layout }).map((epoch) => epoch.number);
  const number = Math.max(options.after, 0, ...numbers) + 1;
  const name = `e${number}-${options.tail}`;
  const dir = join(layout.router, name);
  const epoch = { number, name, dir } as Epoch;
  fs.mkdir(dir);
  for (const place of PLACES) {
    epoch[place] = join(dir, place);
    fs.mkdir(epoch[place]);
  }
  await fs.syncDir(dir);
  await fs.syncDir(layout.router);
  return epoch;
}

/**
 * Fences every lower epoch and drains it into one's own. Called at start and in every pass.
 * @throws HivemailError `fenced` when a higher epoch exists or one's own directory is gone
 */
export async function takeOverEpochs(context: EpochContext, own: Epoch): Promise<void> {
  const epochs = listEpochs(context);
  if (!epochs.some(({ name }) => name === own.name)) throw fenced(own);
  for (const other of epochs) {
    if (other.name === own.name) continue;
    if (isHigher(other, own)) throw fenced(own);
    if (!other.fenced) fence(context, other);
  }
  for (const other of epochs.filter(({ name }) => name !== own.name)) {
    await drain(context, join(context.layout.router, `${other.plain}.f`), own);
  }
  emptyTrash(context.fs, own.trash);
}

/**
 * Makes sure that this router was not fenced.
 * @throws HivemailError `fenced` when its own directory is gone
 */
export function requireEpoch(fs: HiveFs, own: Epoch): void {
  if (fs.stat(own.dir) === undefined) throw fenced(own);
}

/** Throws away what an earlier try had staged and could not commit. */
export function discardStaged(fs: HiveFs, epoch: Epoch): void {
  const staged = fs.list(epoch.stage);
  for (const name of staged) fs.rename(join(epoch.stage, name), join(epoch.trash, name));
  if (staged.length > 0) emptyTrash(fs, epoch.trash);
}

/** Removes one's own epoch after a clean stop, as far as nothing is owed. */
export function closeEpoch(fs: HiveFs, epoch: Epoch): void {
  discardStaged(fs, epoch);
  emptyTrash(fs, epoch.trash);
  if (PLACES.some((place) => fs.list(epoch[place]).length > 0)) return;
  for (const place of PLACES) fs.rmdir(epoch[place]);
  fs.rmdir(epoch.dir);
}

interface FoundEpoch {
  name: string;
  /** The name without the mark of a fenced epoch. */
  plain: string;
  number: number;
  fenced: boolean;
}

function listEpochs({ fs, layout }: EpochContext): FoundEpoch[] {
  return fs.list(layout.router).flatMap((name) => {
    const match = EPOCH_NAME.exec(name);
    if (match === null) return [];
    const isFenced = match[2] !== undefined;
    const plain = isFenced ? name.slice(0, -'.f'.length) : name;
    return [{ name, plain, number: Number(match[1]), fenced: isFenced }];
  });
}

function isHigher(other: FoundEpoch, own: Epoch): boolean {
  return other.number === own.number ? other.plain > own.name : other.number > own.number;
}

function fenced(own: Epoch): HivemailError {
  return new HivemailError(
    'fenced',
    `A newer router has taken over this hive; this one (epoch ${own.number}) ends. Nothing is lost.`,
  );
}

function fence({ fs, layout }: EpochContext, other: FoundEpoch): void {
  moveIfThere(fs, join(layout.router, other.name), join(layout.router, `${other.plain}.f`));
}

async function drain({ fs }: EpochContext, dir: string, own: Epoch): Promise<void> {
  const moves = [
    ['stage', own.trash],
    ['trash', own.trash],
    ['owed', own.owed],
    ['deferred', own.deferred],
    ['claim', own.claim],
  ] as const;
  for (const [place, into] of moves) await drainPlace(fs, join(dir, place), into);
  removeIfEmpty(fs, dir);
}

async function drainPlace(fs: HiveFs, from: string, into: string): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if (fs.stat(from) === undefined) return;
    for (const name of fs.list(from)) moveIfThere(fs, join(from, name), join(into, name));
    await fs.syncDir(into);
    if (removeIfEmpty(fs, from)) return;
  }
  throw new HivemailError('io', `${from} does not become empty; another program writes into it.`);
}

function moveIfThere(fs: HiveFs, from: string, to: string): void {
  try {
    fs.rename(from, to);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

function removeIfEmpty(fs: HiveFs, dir: string): boolean {
  try {
    fs.rmdir(dir);
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return true;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    throw error;
  }
}

function emptyTrash(fs: HiveFs, trash: string): void {
  for (const name of fs.list(trash)) {
    const path = join(trash, name);
    if (fs.stat(path)?.kind === 'directory') {
      for (const inner of fs.list(path)) fs.unlink(join(path, inner));
      fs.rmdir(path);
    } else {
      fs.unlink(path);
    }
  }
}
