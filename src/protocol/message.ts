import * as z from 'zod';
import { ACTS } from './acts.ts';
import type { AgentId } from './addresses.ts';
import { escapeUnsafe } from './escape.ts';
import type { MessageId } from './ids.ts';
import { parseStrictly } from './parse-strictly.ts';

/** A conversation's name: 1 to 128 word characters, dots, colons and dashes. */
export const CONVERSATION = /^[\w.:-]{1,128}$/;

/**
 * A message as delivered: one JSON file in an inbox. The router owns every field but `to`, `act`,
 * `subject`, `body`, `conversation`, `in_reply_to`, `reply_by` and what stands under `extra`.
 */
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

/** What a notice is about: the letter's id, the outcome's code and the file as its sender named it. */
export interface NoticeReference {
  of: string;
  code: string;
  file?: string | undefined;
}

/** A message as delivered; docs/format.md says who owns which field. */
export interface Message {
  id: MessageId;
  conversation: string;
  in_reply_to: string | null;
  from: string;
  to: AgentId;
  act: (typeof ACTS)[number];
  subject: string;
  body: string;
  /** Relay depth: the parent's + 1; 0 for a new exchange. */
  hops: number;
  requires_reply: boolean;
  needs_human: boolean;
  /** ISO 8601, UTC, milliseconds: when the router accepted the letter. */
  created_at: string;
  /** The recipients as addressed, when there are several. */
  to_all?: string[] | undefined;
  reply_by?: string | undefined;
  /** Fields of the letter that the protocol does not know, verbatim. */
  extra?: Record<string, unknown> | undefined;
  notice?: NoticeReference | undefined;
  /** Only in `held/`: why it waits there, and since when (ISO 8601, UTC). */
  held?: { code: string; at: string } | undefined;
}

/**
 * Reads a message back from an inbox file, also one that another system of this shape wrote there.
 * @returns nothing when it is no message
 */
export function parseMessage(text: string): Message | undefined {
  const parsed = messageSchema.safeParse(parseStrictly(text)?.value);
  return parsed.success ? (parsed.data as unknown as Message) : undefined;
}

/**
 * Renders a message as its inbox file: indented JSON, one trailing line feed, control and
 * bidirectional characters as `\uXXXX`, so that `cat` and `git log -p` are safe to read.
 */
export function renderMessage(message: Message): string {
  return `${escapeUnsafe(JSON.stringify(message, undefined, 2))}\n`;
}
