import type { History } from '../history/history.ts';
import type { RouterLock } from '../hive/lock.ts';
import { systemCode } from '../protocol/errors.ts';
import { closeEpoch } from '../spool/epoch.ts';
import { rowsFor } from './pending-events.ts';
import { remainsOf } from './remains.ts';
import type { Router } from './router.ts';

/** A router with all that it holds. */
export interface RouterToClose {
  router: Router;
  history: History;
  lock: RouterLock;
}

/**
 * Ends a router: has git record what it can in a few seconds, clears away its epoch, gives the lock back.
 * @returns what it leaves in `.router/`, in sentences
 */
export async function closeRouter({ router, history, lock }: RouterToClose): Promise<string[]> {
  const { fs, epoch, log } = router;
  try {
    await history.flush();
    await router.accepted[Symbol.asyncDispose]();
    await history[Symbol.asyncDispose]();
    // Fenced: what was here is the successor's now.
    return fs.stat(epoch.dir) === undefined ? [] : await leaveClean(router);
  } finally {
    log.close();
    await lock[Symbol.asyncDispose]();
  }
}

/** On a machine in trouble the hive is left as it is; the next start finds it in order all the same. */
async function leaveClean(router: Router): Promise<string[]> {
  const { fs, epoch, log, pendingEvents, onRows } = router;
  const remains = remainsOf(router);
  const left = remains.length === 0 ? '' : ` In .router/ remains: ${remains.join(' ')}`;
  const note = `Router stopped, epoch ${epoch.number}.${left}`;
  try {
    // What the history said of its last try is among them, as that there is no git.
    const waiting = rowsFor(pendingEvents.take());
    onRows(await log.append([...waiting, { kind: 'router', code: 'stop', note }]));
    closeEpoch(fs, epoch);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
  return remains;
}
