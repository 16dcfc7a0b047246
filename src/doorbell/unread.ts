import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isLetterName } from '../hive/letter-name.ts';
import { readRegular } from '../hive/read-file.ts';
import { isAct } from '../protocol/acts.ts';
import { systemCode } from '../protocol/errors.ts';
import type { Message } from '../protocol/message.ts';
import { parseStrictly } from '../protocol/parse-strictly.ts';

/** A letter may be larger; then the digest has nothing to say of it but its id. */
const MOST_LETTER_BYTES = 8 * 1024 * 1024;

/** Lists the ids of the letters in an inbox, oldest first. Changes nothing. */
export function listUnread(inbox: string): string[] {
  return readdirSync(inbox)
    .filter(isLetterName)
    .map((name) => name.slice(0, -'.json'.length))
    .sort();
}

/**
 * Reads a letter of an inbox, without the schema that the router and the library hold it to: a hook has
 * to start at once.
 * @returns nothing when it is gone; for what is no message, one that says only its id
 */
export function readUnread(inbox: string, id: string): Message | undefined {
  try {
    const { bytes } = readRegular(join(inbox, `${id}.json`), MOST_LETTER_BYTES);
    return asMessage(id, parseStrictly(Buffer.from(bytes).toString('utf8'))?.value);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return code === 'ENOENT' ? undefined : asMessage(id, undefined);
  }
}

function asMessage(id: string, value: unknown): Message {
  const isObject = typeof value === 'object' && value !== null;
  const fields: Record<string, unknown> = isObject ? { ...value } : {};
  const text = (name: string, otherwise: string): string => {
    const field = fields[name];
    return typeof field === 'string' ? field : otherwise;
  };
  const hops = fields['hops'];
  return {
    id,
    conversation: text('conversation', ''),
    in_reply_to: null,
    from: text('from', 'unknown'),
    to: text('to', ''),
    act: isAct(fields['act']) ? fields['act'] : 'inform',
    subject: text('subject', isObject ? '' : '(holds no message)'),
    body: text('body', ''),
    hops: typeof hops === 'number' ? hops : 0,
    requires_reply: fields['requires_reply'] === true,
    needs_human: fields['needs_human'] === true,
    created_at: text('created_at', ''),
  } as Message;
}
