import { basename, join } from 'node:path';
import { AnchoredPaths } from '../hive/anchored-paths.ts';
import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { removeFile } from '../hive/remove-file.ts';
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
  using paths = new AnchoredPaths(context.fs, context.layout);
  const archiving = { ...context, paths };
  for (const move of plan.moves) {
    try {
      changed.add(
        move.from === 'claim' ? archiveClaim(move, archiving) : removeConsumed(move, context),
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
  removeFile(fs, join(dir, name));
  return dir;
}

interface Archiving extends ArchiveContext {
  paths: AnchoredPaths;
}

type ClaimMove = Extract<Move, { from: 'claim' }>;

function archiveClaim(move: ClaimMove, context: Archiving): string {
  const { fs, layout, epoch, onArchived } = context;
  if (tryMove(move, context) || tryAgain(move, context)) {
    onArchived(move.agent, 'sent');
    return layout.agent(move.agent).sent;
  }
  const unfiled = join(layout.unfiled, move.agent);
  tryMakeDirectory(fs, layout.unfiled);
  tryMakeDirectory(fs, unfiled);
  fs.rename(join(epoch.claim, move.name), join(unfiled, move.as));
  onArchived(move.agent, 'unfiled');
  return unfiled;
}

function tryAgain(move: ClaimMove, context: Archiving): boolean {
  const { fs, layout, paths } = context;
  paths.forget(move.agent, 'sent');
  const name = basename(layout.agent(move.agent).sent);
  attempt(() => fs.mkdir(join(paths.of(move.agent, 'outbox'), name)));
  return tryMove(move, context);
}

/** Moves a claim into a real directory; true when its source is gone, by us or by an earlier try. */
function tryMove(move: ClaimMove, { fs, epoch, paths }: Archiving): boolean {
  const from = join(epoch.claim, move.name);
  return (
    attempt(() => fs.rename(from, join(paths.of(move.agent, 'sent'), move.as))) ||
    fs.stat(from) === undefined
  );
}

function tryMakeDirectory(fs: HiveFs, dir: string): void {
  attempt(() => fs.mkdir(dir));
}

function attempt(step: () => void): boolean {
  try {
    step();
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}
