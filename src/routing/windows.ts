/**
 * The windows: they catch the loops that hops can't see, because their letters name neither a parent
 * nor a conversation, or always the same one. It is alternation that is bounded and not volume.
 *
 * A turn is a letter from an agent that got one it has not spent yet, unless hops bound it (see
 * exchange.ts). It spends the letter it may be an answer to: one from its recipient, or else the latest
 * one. So agents that answer each letter with two or ten run out of turns as fast as others do, and an
 * agent that reports a hundred times unasked takes no turn at all.
 */
import { type AgentId, DESK, SYSTEM } from '../protocol/addresses.ts';
import type { RoutingMemory } from './memory.ts';
import type { RoutingRules } from './rules.ts';

/** What the windows look at in a letter that is otherwise ready to go. */
export interface WindowedLetter {
  sender: AgentId;
  recipients: readonly AgentId[];
  conversation: string;
  /** Conversation of the first of its ancestors: a new name for each letter does not get around the bound. */
  thread: string;
  broadcast: boolean;
  /** Hops see to it that what this letter answers is not answered without end. */
  boundByHops: boolean;
  /** Wall-clock time of acceptance in milliseconds. */
  at: number;
}

/** A window that is full. */
export interface FullWindow {
  /** Identity of the loop, so that the orchestrator is told of it once. */
  key: string;
  /** What there was too much of, for the notice. */
  what: string;
}

interface Bound extends FullWindow {
  weight: number;
  most: number;
}

/** Finds a window that has no room for a letter; the person is exempt. */
export function findFullWindow(
  letter: WindowedLetter,
  memory: RoutingMemory,
  rules: RoutingRules,
): FullWindow | undefined {
  const { windowMs } = rules;
  const full = boundsOf(letter, memory, rules).find(
    ({ key, weight, most }) =>
      memory.countInWindow({ key, now: letter.at, windowMs }) + weight > most,
  );
  return full === undefined ? undefined : { key: full.key, what: full.what };
}

/** Counts a letter that goes to its recipients. */
export function countInWindows(
  letter: WindowedLetter,
  memory: RoutingMemory,
  rules: RoutingRules,
): void {
  const { windowMs } = rules;
  for (const { key, weight } of boundsOf(letter, memory, rules)) {
    memory.addToWindow({ key, now: letter.at, windowMs }, weight);
  }
  for (const from of wordsSpent(letter, memory, rules)) memory.takeWord(letter.sender, from);
}

function boundsOf(letter: WindowedLetter, memory: RoutingMemory, rules: RoutingRules): Bound[] {
  if (letter.sender === DESK) return [];
  return [
    ...copyBounds(letter, rules),
    ...(letter.broadcast ? [broadcastBound(letter, rules)] : []),
    ...turnBounds(letter, wordsSpent(letter, memory, rules), rules),
  ];
}

function copyBounds({ thread, conversation, recipients }: WindowedLetter, rules: RoutingRules) {
  const most = rules.conversationCopies;
  return [...new Set([thread, conversation])].map((name) => ({
    key: `copies\n${name}`,
    weight: recipients.length,
    most,
    what: `${most} copies in the conversation ${name}`,
  }));
}

function broadcastBound({ sender }: WindowedLetter, { broadcasts }: RoutingRules): Bound {
  const what = `${broadcasts} broadcasts from ${sender}`;
  return { key: `broadcasts\n${sender}`, weight: 1, most: broadcasts, what };
}

/**
 * Names from whom the letters are that this one may answer. Broadcasts have a bound of their own, and
 * what goes to the person alone goes on only if the person wants it to.
 */
function wordsSpent(letter: WindowedLetter, memory: RoutingMemory, rules: RoutingRules): string[] {
  const { sender, recipients, broadcast, boundByHops, at } = letter;
  if (sender === DESK || broadcast || boundByHops) return [];
  if (recipients.every((to) => to === DESK)) return [];
  const words = memory.wordsTo(sender, at - rules.windowMs).map(({ from }) => from);
  const fromRecipients = words.filter((from) => recipients.includes(from as AgentId));
  return fromRecipients.length > 0 ? fromRecipients : words.slice(-1);
}

/** What was written because of a notice counts with what its sender and its recipient say otherwise. */
function turnBounds(
  { sender, recipients }: WindowedLetter,
  spent: readonly string[],
  { pairTurns, agentTurns }: RoutingRules,
): Bound[] {
  const [word] = spent;
  if (word === undefined) return [];
  const among = (names: readonly string[], to: string): Bound => ({
    key: `turn\n${[...new Set(names)].sort().join('\n')}`,
    weight: 1,
    most: pairTurns,
    what: `${pairTurns} turns of ${sender} with ${to}`,
  });
  if (recipients.includes(word as AgentId)) return spent.map((from) => among([sender, from], from));
  const what = `${agentTurns} turns of ${sender}`;
  return [
    { key: `turns\n${sender}`, weight: 1, most: agentTurns, what },
    ...recipients.map((to) => among(word === SYSTEM ? [sender, to] : [word, sender, to], to)),
  ];
}
