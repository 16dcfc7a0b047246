import { type InitResult, initHive } from '../hive/init.ts';
import { createNodeFs } from '../hive/node-fs.ts';
import { keepOutOfWorkTree } from '../router/complete.ts';

/** How a hive is made. */
export interface CreateOptions {
  /** Ids of the first agents; only for a new hive. */
  agents: readonly string[];
  /** Which of them is the orchestrator; leave out for none. */
  orchestrator?: string | undefined;
}

/**
 * Makes a hive, or completes an existing one, and keeps it out of a git work tree around it.
 * @param dir - absolute path
 * @throws HivemailError `usage` for an id that can't be one, `refused` for a directory that holds
 *   something else, `io` when that work tree's `info/exclude` can't be written
 */
export async function createHive(dir: string, options: CreateOptions): Promise<InitResult> {
  const { agents, orchestrator } = options;
  const result = await initHive({ dir, fs: createNodeFs(), agents, orchestrator });
  result.notes.push(...keepOutOfWorkTree(dir));
  return result;
}
