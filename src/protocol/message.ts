import type { Act } from './acts.ts';
import type { AgentId } from './addresses.ts';
import { escapeUnsafe } from './escape.ts';
import type { MessageId } from './ids.ts';

/** A conversation's name: 1 to 128 word characters, dots, colons and dashes. */
export const CONVERSATION = /^[\w.:-]{1,128}$/;

/** What a notice is about: the letter's id, the outcome's code and the file as its sender named it. */
export interface NoticeReference {
  of: string;
  code: string;
  file?: string | undefined;
}

/**
 * A message as delivered: one JSON file in an inbox. The router owns every field but `to`, `act`,
 * `subject`, `body`, `conversation`, `in_reply_to`, `reply_by` and what stands under `extra`.
 */
export interface Message {
  id: MessageId;
  conversation: string;
  in_reply_to: string | null;
  from: string;
  to: AgentId;
  act: Act;
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
 * Renders a message as its inbox file: indented JSON, one trailing line feed, control and
 * bidirectional characters as `\uXXXX`, so that `cat` and `git log -p` are safe to read.
 */
export function renderMessage(message: Message): string {
  return `${escapeUnsafe(JSON.stringify(message, undefined, 2))}\n`;
}
