import type { Letter } from '../letter/letter.ts';
import { type Act, obliges } from '../protocol/acts.ts';
import { DESK, SYSTEM } from '../protocol/addresses.ts';
import { CONVERSATION } from '../protocol/message.ts';
import type { Claim } from './inputs.ts';
import type { KnownMessage, RoutingMemory } from './memory.ts';
import type { Roster } from './roster.ts';

/** Where a letter stands among the messages before it. */
export interface Exchange {
  conversation: string;
  /** Conversation of the first of its ancestors, whatever it is called since. */
  thread: string;
  hops: number;
  /** The message it names in `in_reply_to`, if its sender got or wrote that one. */
  repliesTo: KnownMessage | undefined;
  /** The message that its hops come from: {@link repliesTo}, or the latest of its conversation. */
  parent: KnownMessage | undefined;
  /** It names a message in `in_reply_to` that its sender never got. */
  unknownParent: boolean;
}

/**
 * Finds what a letter answers and how deep that makes it. The parent comes from the router's memory,
 * or from the replier's own mailbox; never from what the letter claims about itself.
 */
export function placeInExchange(
  claim: Claim,
  letter: Letter,
  { memory, roster }: { memory: RoutingMemory; roster: Roster },
): Exchange {
  const { sender } = claim;
  const { inReplyTo } = letter;
  const repliesTo =
    inReplyTo === undefined
      ? undefined
      : (namedParent(inReplyTo, sender, memory) ?? parentInMailbox(claim, inReplyTo, memory));
  const conversation = letter.conversation ?? repliesTo?.conversation ?? claim.id;
  const implied = inReplyTo === undefined && memory.unanswered(conversation, sender);
  const parent = repliesTo ?? (implied || undefined);
  return {
    conversation,
    thread: threadOf(parent, conversation),
    hops: hopsAfter(parent, { letter, sender, roster }),
    repliesTo,
    parent,
    unknownParent: inReplyTo !== undefined && repliesTo === undefined,
  };
}

/** Finds the message that a letter of `sender` may be a reply to, if it went to or came from it. */
export function namedParent(
  id: string,
  sender: string,
  memory: RoutingMemory,
): KnownMessage | undefined {
  const named = memory.message(id);
  return named !== undefined && mayReplyTo(sender, named) ? named : undefined;
}

/** Only where the router remembers nothing of that id: its owner can write that file. */
function parentInMailbox(
  { id, sender, parentInMailbox: parent }: Claim,
  named: string,
  memory: RoutingMemory,
): KnownMessage | undefined {
  if (parent === undefined || memory.message(named) !== undefined) return undefined;
  if (!mayReplyTo(sender, parent)) return undefined;
  return CONVERSATION.test(parent.conversation) ? parent : { ...parent, conversation: id };
}

function mayReplyTo(sender: string, parent: KnownMessage): boolean {
  return sender === DESK || parent.from === sender || parent.to.includes(sender);
}

/** Tells which thread a letter belongs to. */
export function threadOf(parent: KnownMessage | undefined, conversation: string): string {
  return parent?.thread ?? parent?.conversation ?? conversation;
}

function hopsAfter(
  parent: KnownMessage | undefined,
  { letter, sender, roster }: { letter: Letter; sender: string; roster: Roster },
): number {
  if (parent === undefined || sender === DESK) return 0;
  if (parent.from === sender) return parent.hops;
  const newJob = sender === roster.orchestrator && obliges(letter.act) && !obliges(parent.act);
  return newJob ? 0 : parent.hops + 1;
}

/**
 * Tells whether hops bound a letter, so that the windows need not: it is deeper than its parent, and
 * the first of its sender with this act in reply to it (first `agree`, then `done`). Whoever answers
 * the root of a thread again and again never gets deeper; and each letter that is held makes a notice,
 * so answers to notices must not be free.
 */
export function isBoundByHops(
  { sender, act, hops }: { sender: string; act: Act; hops: number },
  parent: KnownMessage | undefined,
  memory: RoutingMemory,
): boolean {
  if (parent === undefined || memory.message(parent.id) === undefined) return false;
  if (parent.from === SYSTEM || parent.from === sender || hops <= parent.hops) return false;
  return !memory.hasReplied(parent.id, sender, act);
}

/**
 * Tells whether a reply only keeps a finished exchange going: `inform`, `agree` or `done` in reply to
 * a terminal message. Replies to the person, to a notice (a correction) and to oneself pass.
 */
export function isPolitenessLoop(letter: Letter, exchange: Exchange, sender: string): boolean {
  const parent = exchange.repliesTo;
  if (parent === undefined || sender === DESK || obliges(parent.act)) return false;
  if (parent.from === DESK || parent.from === sender || parent.from === SYSTEM) return false;
  return letter.act === 'inform' || letter.act === 'agree' || letter.act === 'done';
}
