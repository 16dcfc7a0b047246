import { ACTS, type Act, HivemailError, isAct, type LetterToSend } from '../../index.ts';
import type { Context } from '../context.ts';
import { splitList } from '../lists.ts';
import { type BodyOptions, readBody } from '../read-body.ts';
import { tellResult } from '../tell-result.ts';

/** Options of `send`. */
export interface SendCommandOptions extends BodyOptions {
  to?: string[];
  act: string;
  subject?: string;
  replyTo?: string;
  conversation?: string;
  replyBy?: string;
  waitMs?: number;
}

/** Sends a letter and tells what became of it. */
export async function send(context: Context, options: SendCommandOptions): Promise<number> {
  const { to, subject, replyTo, conversation, replyBy } = options;
  if (to === undefined && replyTo === undefined) {
    throw new HivemailError(
      'usage',
      'Say who it is for with --to, or what it answers with --reply-to.',
    );
  }
  const act = requireAct(options.act);
  const body = await readBody(context, options);
  const letter: LetterToSend = {
    act,
    ...(to === undefined ? {} : { to: to.flatMap(splitList) }),
    ...(subject === undefined ? {} : { subject }),
    ...(body === undefined ? {} : { body }),
    ...(replyTo === undefined ? {} : { inReplyTo: replyTo }),
    ...(conversation === undefined ? {} : { conversation }),
    ...(replyBy === undefined ? {} : { replyBy }),
  };
  const sent = await context.hive.send(letter, {
    agent: context.agent(),
    waitMs: options.waitMs,
  });
  return tellResult(context, sent);
}

/** Reads an act as a person writes it. */
export function requireAct(given: string): Act {
  const act = given.trim().toLowerCase();
  if (isAct(act)) return act;
  throw new HivemailError('usage', `"${given}" is no act. Use one of ${ACTS.join(', ')}.`);
}
