import { HivemailError } from '../../index.ts';
import type { Context } from '../context.ts';
import { printLines } from './inbox.ts';

/** Options of `wait`. */
export interface WaitCommandOptions {
  after?: string;
  /** Seconds. */
  timeout?: number;
}

/**
 * Waits for a letter.
 * @throws HivemailError `timeout`
 */
export async function wait(
  context: Context,
  { after, timeout }: WaitCommandOptions,
): Promise<void> {
  const agent = context.agent();
  const timeoutMs = timeout === undefined ? undefined : timeout * 1000;
  const entries = await context.hive.wait(agent, { after, timeoutMs });
  if (entries.length === 0) {
    throw new HivemailError('timeout', `No letter came for ${agent} within ${timeout} s.`);
  }
  if (context.json) context.printJson(entries);
  else printLines(context, entries);
}
