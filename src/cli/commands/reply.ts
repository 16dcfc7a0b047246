import { HivemailError } from '../../index.ts';
import type { Context } from '../context.ts';
import { type BodyOptions, readBody } from '../read-body.ts';
import { tellResult } from '../tell-result.ts';
import { requireAct } from './send.ts';

/** Options of `reply`. */
export interface ReplyOptions extends BodyOptions {
  act: string;
  subject?: string;
  waitMs?: number;
}

/** Answers a letter of the inbox: to its sender, in its conversation. */
export async function reply(context: Context, id: string, options: ReplyOptions): Promise<number> {
  const act = requireAct(options.act);
  const agent = context.agent();
  const { subject, waitMs } = options;
  const body = await readBody(context, options);
  if (body === undefined) {
    throw new HivemailError('usage', 'Say something with --body or --body-file.');
  }
  const answer = { act, body, subject };
  return tellResult(context, await context.hive.reply(id, answer, { agent, waitMs }));
}
