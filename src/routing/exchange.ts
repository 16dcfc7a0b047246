import type { Letter } from '../letter/letter.ts';
import { obliges } from '../protocol/acts.ts';
import { DESK } from '../protocol/addresses.ts';
import type { Claim } from './inputs.ts';
import type { KnownMessage, RoutingMemory } from './memory.ts';
import type { Roster } from './roster.ts';

/** Where a letter stands among the messages before it. */
export interface Exchange {
  conversation: string;
  hops: number;
  /** The message it names in `in_reply_to`, if its sender got or wrote that one. */
  repliesTo: KnownMessage | undefined;
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
  const named =
    letter.inReplyTo === undefined
      ? undefined
      : (memory.message(letter.inReplyTo) ?? claim.parentInMailbox);
  const known = named !== undefined && mayReplyTo(sender, named) ? named : undefined;
  const conversation = letter.conversation ?? known?.conversation ?? claim.id;
  const implied =
    letter.inReplyTo === undefined && letter.conversation !== undefined
      ? memory.unanswered(letter.conversation, sender)
      : undefined;
  return {
    conversation,
    hops: hopsAfter(known ?? implied, { letter, sender, roster }),
    repliesTo: known,
    unknownParent: letter.inReplyTo !== undefined && known === undefined,
  };
}

function mayReplyTo(sender: string, parent: KnownMessage): boolean {
  return sender === DESK || parent.from === sender || parent.to.includes(sender);
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
 * Tells whether a reply only keeps a finished exchange going: `inform`, `agree` or `done` in reply to
 * a terminal message. Replies to the person, to a notice (a correction) and to oneself pass.
 */
export function isPolitenessLoop(letter: Letter, exchange: Exchange, sender: string): boolean {
  const parent = exchange.repliesTo;
  if (parent === undefined || sender === DESK || obliges(parent.act)) return false;
  if (parent.from === DESK || parent.from === sender || parent.from === 'system') return false;
  return letter.act === 'inform' || letter.act === 'agree' || letter.act === 'done';
}
