import { acquireRouterLock } from '../hive/lock.ts';
import type { Examination } from './examination.ts';

/**
 * Does something that only the router may do, in its place: under its lock, so that none is up.
 * @throws HivemailError `locked` naming the router that is
 */
export async function underRouterLock(
  { fs, layout, clock }: Examination,
  action: () => void | Promise<void>,
): Promise<void> {
  const lock = await acquireRouterLock({ fs, layout, clock, takeover: false });
  try {
    await action();
  } finally {
    await lock[Symbol.asyncDispose]();
  }
}
