import * as z from 'zod';
import { ACTS } from './acts.ts';
import type { Message } from './message.ts';
import { parseStrictly } from './parse-strictly.ts';

/** What a file has to hold to be a message; further fields are kept. */
const messageSchema = z.looseObject({
  id: z.string().min(1),
  conversation: z.string(),
  in_reply_to: z.string().nullable(),
  from: z.string(),
  to: z.string(),
  act: z.enum(ACTS),
  subject: z.string(),
  body: z.string(),
  hops: z.number().int().min(0),
  requires_reply: z.boolean(),
  needs_human: z.boolean(),
  created_at: z.string(),
  to_all: z.array(z.string()).optional(),
  reply_by: z.string().optional(),
  extra: z.record(z.string(), z.unknown()).optional(),
  notice: z
    .looseObject({ of: z.string(), code: z.string(), file: z.string().optional() })
    .optional(),
  held: z.looseObject({ code: z.string(), at: z.string() }).optional(),
});

/**
 * Reads a message back from an inbox file, also one that another system of this shape wrote there.
 * @returns nothing when it is no message
 */
export function parseMessage(text: string): Message | undefined {
  const parsed = messageSchema.safeParse(parseStrictly(text)?.value);
  return parsed.success ? (parsed.data as unknown as Message) : undefined;
}
