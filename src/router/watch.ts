import { basename } from 'node:path';
import { FSWatcher } from 'chokidar';

/** Watches directories, so that a pass can come before the poll. */
export interface DirectoryWatch extends AsyncDisposable {
  /** Watches exactly these directories from now on. */
  update(dirs: readonly string[]): void;
}

/**
 * chokidar without its listings. It lists a directory again after every change in it and looks at each
 * name, which at 100 000 files took most of a core and 400 MB; a nudge needs none of that.
 */
class UnlistingWatcher extends FSWatcher {
  override _readdirp(): undefined {
    return undefined;
  }
}

/**
 * Watches directories and nothing in them: one watch for each, whatever it holds. Events are only a
 * nudge, and none of them is relied on. A name that begins with a dot is no letter and brings nothing
 * forward: most writers begin with one, and the rename that makes a letter of it would come in the middle
 * of a pass for nothing.
 * @param onChange - called for every change in a directory
 * @param onTrouble - called when a directory can't be watched; the poll still guarantees delivery
 */
export function watchDirectories(
  onChange: () => void,
  onTrouble: (error: unknown) => void,
): DirectoryWatch {
  let watched = new Set<string>();
  const watcher = new UnlistingWatcher({
    depth: 0,
    ignoreInitial: true,
    ignored: (path) => !watched.has(path),
  });
  watcher.on('raw', (_event, name) => {
    if (!mayBeLetter(name)) return;
    onChange();
  });
  watcher.on('error', onTrouble);
  return {
    update(dirs) {
      const next = new Set(dirs);
      const added = dirs.filter((dir) => !watched.has(dir));
      const removed = [...watched].filter((dir) => !next.has(dir));
      watched = next;
      if (removed.length > 0) watcher.unwatch(removed);
      if (added.length > 0) watcher.add(added);
    },
    [Symbol.asyncDispose]: () => watcher.close(),
  };
}

/** A system may not tell the name. */
function mayBeLetter(name: unknown): boolean {
  return typeof name !== 'string' || !basename(name).startsWith('.');
}
