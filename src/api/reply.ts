import type { InboxEntry } from '../hive/mailbox.ts';
import type { Act } from '../protocol/acts.ts';
import { SYSTEM } from '../protocol/addresses.ts';
import { HivemailError } from '../protocol/errors.ts';
import type { LetterToSend } from './send.ts';

/** What an answer says. */
export interface Answer {
  act: Act;
  body: string;
  /** `Re: …` when left out. */
  subject?: string | undefined;
}

/**
 * Makes the letter that answers one of the inbox: to its sender, in its conversation.
 * @throws HivemailError `not-found` for a file that holds no message, `refused` for a notice
 */
export function answerTo({ id, message }: InboxEntry, answer: Answer): LetterToSend {
  if (message === undefined) {
    const sentence = `${id} holds no message, so there is nobody to answer. See it with \`hivemail read ${id} --raw\`.`;
    throw new HivemailError('not-found', sentence);
  }
  if (message.from === SYSTEM) {
    const sentence =
      'This is a notice, and nobody reads what is sent to "system". Do what it says; most often, send the letter again, corrected.';
    throw new HivemailError('refused', sentence);
  }
  const { subject } = message;
  return {
    to: message.from,
    act: answer.act,
    subject: answer.subject ?? (/^re:/i.test(subject) ? subject : `Re: ${subject}`.trimEnd()),
    body: answer.body,
    inReplyTo: message.id,
    conversation: message.conversation,
  };
}
