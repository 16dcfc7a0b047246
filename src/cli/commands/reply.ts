import { HivemailError, type LetterToSend, type Message } from '../../index.ts';
import type { Context } from '../context.ts';
import { type BodyOptions, readBody } from '../read-body.ts';
import { deliver, requireAct } from './send.ts';

/** Options of `reply`. */
export interface ReplyOptions extends BodyOptions {
  act: string;
  subject?: string;
  waitMs?: number;
}

/** Answers a letter of the inbox: to its sender, in its conversation. */
export async function reply(context: Context, id: string, options: ReplyOptions): Promise<number> {
  const act = requireAct(options.act);
  const message = requireMessage(context, id);
  const body = await readBody(context, options);
  if (body === undefined)
    throw new HivemailError('usage', 'Say something with --body or --body-file.');
  const letter: LetterToSend = {
    to: message.from,
    act,
    subject: options.subject ?? subjectOf(message),
    body,
    inReplyTo: message.id,
    conversation: message.conversation,
  };
  return deliver(context, letter, options.waitMs);
}

function requireMessage(context: Context, id: string): Message {
  const { message } = context.hive.read(context.agent(), id);
  if (message === undefined) {
    const sentence = `${id} holds no message, so there is nobody to answer. See it with \`hivemail read ${id} --raw\`.`;
    throw new HivemailError('not-found', sentence);
  }
  if (message.from === 'system') {
    const sentence =
      'This is a notice, and nobody reads what is sent to "system". Do what it says; most often, send the letter again, corrected.';
    throw new HivemailError('refused', sentence);
  }
  return message;
}

function subjectOf({ subject }: Message): string {
  return /^re:/i.test(subject) ? subject : `Re: ${subject}`.trimEnd();
}
