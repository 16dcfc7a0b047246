import { basename, join } from 'node:path';
import { AnchoredPaths } from '../hive/anchored-paths.ts';
import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { makeMissing } from '../hive/make-missing.ts';
import { systemError } from '../hive/write-file.ts';
import { systemCode } from '../protocol/errors.ts';
import type { Copy } from '../routing/plan.ts';
import type { Epoch } from './epoch.ts';
import type { OwedBatch } from './owed.ts';

/** What publishing needs. */
export interface PublishContext {
  fs: HiveFs;
  layout: HiveLayout;
  epoch: Epoch;
  /** Told of each copy that could not be put where it belongs. */
  onDeferred: (copy: Copy, code: string) => void;
}

/** Names the file in `deferred/` of a copy that a batch could not publish. */
export function deferredName(batch: string, copyName: string): string {
  return `${batch}~${copyName}`;
}

/** Parts of a file name in `deferred/`. */
export interface DeferredName {
  batch: string;
  id: string;
  to: string;
  place: string;
}

/** Reads the name of a deferred copy back. */
export function parseDeferredName(name: string): DeferredName | undefined {
  const [batch, id, to, place, ...rest] = name.split('~');
  if (batch === undefined || id === undefined || to === undefined || place === undefined) return;
  return rest.length > 0 ? undefined : { batch, id, to, place };
}

/**
 * Publishes the copies of a batch. The rename into the inbox both delivers a copy and erases the debt,
 * so no table of what was delivered is needed. What can't be published is deferred, under a name that
 * carries its batch, and holds up nothing else.
 * @throws the first error of a copy that could not even be deferred, after every copy was tried
 */
export function publishBatch({ plan, dir }: OwedBatch, context: PublishContext): void {
  let failure: unknown;
  using paths = new AnchoredPaths(context.fs, context.layout);
  const publishing = { ...context, paths };
  for (const copy of plan.copies) {
    try {
      publishCopy(copy, join(dir, copy.name), plan.batch, publishing);
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
}

interface Publishing extends PublishContext {
  paths: AnchoredPaths;
}

function publishCopy(copy: Copy, from: string, batch: string, context: Publishing): void {
  const { fs, epoch } = context;
  const code = tryPublish(copy, from, context);
  // Gone: published or deferred by an earlier try, whatever this one says.
  if (code === undefined || fs.stat(from) === undefined) return;
  fs.rename(from, join(epoch.deferred, deferredName(batch, copy.name)));
  context.onDeferred(copy, code);
}

/** Renames a copy into place; returns the reason when that did not work. */
function tryPublish(copy: Copy, from: string, context: Publishing): string | undefined {
  try {
    const name = `${copy.id}.json`;
    const dir = copy.place === 'inbox' ? inboxOf(copy, context) : heldOf(copy, context);
    context.fs.rename(from, join(dir, name));
    return undefined;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    context.paths.forget(copy.to, 'inbox');
    return code;
  }
}

/** Finds an inbox, made when it is missing; through a link a copy would go to another agent or place. */
function inboxOf({ to }: Copy, { fs, layout, paths }: Publishing): string {
  try {
    return paths.of(to, 'inbox');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    fs.mkdir(join(paths.of(to, 'root'), basename(layout.agent(to).inbox)));
    return paths.of(to, 'inbox');
  }
}

function heldOf({ to }: Copy, { fs, layout }: Publishing): string {
  const dir = layout.heldFor(to);
  makeMissing(fs, dir);
  if (fs.stat(dir)?.kind === 'directory') return dir;
  throw systemError('ENOTDIR', 'lstat', 'not a directory');
}
