import { join } from 'node:path';
import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import type { AgentId } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import type { Move } from '../routing/plan.ts';
import type { Epoch } from './epoch.ts';
import type { OwedBatch } from './owed.ts';

/** What archiving needs. */
export interface ArchiveContext {
  fs: HiveFs;
  layout: HiveLayout;
  epoch: Epoch;
  /** Told where an original went: where it belongs, or beside it because it can't go there. */
  onArchived: (agent: AgentId, place: 'sent' | 'unfiled') => void;
}

/**
 * Carries out the moves of a batch: originals into `.sent/`, consumed copies away. Each is idempotent,
 * and its source tells whether it is done: gone means done, whatever the destination says.
 * @param changed - gets the directories to sync before the batch may be forgotten
 * @throws the first error, after every move was tried
 */
export function archiveBatch(
  { plan }: OwedBatch,
  context: ArchiveContext,
  changed: Set<string>,
): void {
  let failure: unknown;
  for (const move of plan.moves) {
    try {
      changed.add(
        move.from === 'claim' ? archiveClaim(move, context) : removeConsumed(move, context),
      );
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
}

function removeConsumed(move: Exclude<Move, { from: 'claim' }>, context: ArchiveContext): string {
  const { fs, layout, epoch } = context;
  const dir = move.from === 'held' ? layout.heldFor(move.holder) : epoch.deferred;
  const name = move.from === 'held' ? `${move.id}.json` : move.name;
  try {
    fs.unlink(join(dir, name));
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  return dir;
}

function archiveClaim(move: Extract<Move, { from: 'claim' }>, context: ArchiveContext): string {
  const { fs, layout, epoch, onArchived } = context;
  const from = join(epoch.claim, move.name);
  const { sent } = layout.agent(move.agent);
  const filed = tryMove(fs, from, sent, move.as) || tryAgain(fs, from, sent, move.as);
  if (filed) {
    onArchived(move.agent, 'sent');
    return sent;
  }
  const unfiled = join(layout.router, 'unfiled', move.agent);
  tryMakeDirectory(fs, join(layout.router, 'unfiled'));
  tryMakeDirectory(fs, unfiled);
  fs.rename(from, join(unfiled, move.as));
  onArchived(move.agent, 'unfiled');
  return unfiled;
}

function tryAgain(fs: HiveFs, from: string, dir: string, name: string): boolean {
  tryMakeDirectory(fs, dir);
  return tryMove(fs, from, dir, name);
}

/** Moves a file into a real directory; true when its source is gone, by us or by an earlier try. */
function tryMove(fs: HiveFs, from: string, dir: string, name: string): boolean {
  if (fs.stat(dir)?.kind === 'directory') {
    try {
      fs.rename(from, join(dir, name));
      return true;
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
    }
  }
  return fs.stat(from) === undefined;
}

function tryMakeDirectory(fs: HiveFs, dir: string): void {
  try {
    fs.mkdir(dir);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}
