import type { AgentId } from '../protocol/addresses.ts';
import { DESK } from '../protocol/addresses.ts';
import type { RoutingMemory } from './memory.ts';
import type { RoutingRules } from './rules.ts';

/** What the windows look at in a letter that is otherwise ready to go. */
export interface WindowedLetter {
  sender: AgentId;
  recipients: readonly AgentId[];
  conversation: string;
  hops: number;
  broadcast: boolean;
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

interface Bound {
  key: string;
  weight: number;
  most: number;
  what: string;
}

/**
 * Catches the loops that hops can't see, because their letters name neither a parent nor a
 * conversation: counts turns (a letter at hops 0 from an agent that got mail since its last letter),
 * so it is alternation that is bounded and not volume. Counts the letter when every window has room.
 * @returns the first full window; nothing when the letter may go
 */
export function countInWindows(
  letter: WindowedLetter,
  memory: RoutingMemory,
  rules: RoutingRules,
): FullWindow | undefined {
  if (letter.sender === DESK) return undefined;
  const windowed = (key: string) => ({ key, now: letter.at, windowMs: rules.windowMs });
  const bounds = boundsOf(letter, memory.lastWordTo(letter.sender), rules);
  const full = bounds.find(
    ({ key, weight, most }) => memory.countInWindow(windowed(key), 0) + weight > most,
  );
  if (full !== undefined) return { key: full.key, what: full.what };
  for (const { key, weight } of bounds) memory.countInWindow(windowed(key), weight);
  return undefined;
}

function boundsOf(letter: WindowedLetter, wordFrom: string | undefined, rules: RoutingRules) {
  const { sender, recipients, conversation } = letter;
  const bounds: Bound[] = [
    {
      key: `copies\n${conversation}`,
      weight: recipients.length,
      most: rules.conversationCopies,
      what: `${rules.conversationCopies} copies in the conversation ${conversation}`,
    },
  ];
  if (letter.broadcast) {
    const what = `${rules.broadcasts} broadcasts from ${sender}`;
    bounds.push({ key: `broadcasts\n${sender}`, weight: 1, most: rules.broadcasts, what });
  }
  if (wordFrom === undefined || letter.hops > 0) return bounds;
  const most = rules.agentTurns;
  bounds.push({ key: `turns\n${sender}`, weight: 1, most, what: `${most} turns of ${sender}` });
  if (letter.broadcast) return bounds;
  for (const to of recipients) {
    bounds.push({
      key: `turn\n${[...new Set([wordFrom, sender, to])].sort().join('\n')}`,
      weight: 1,
      most: rules.pairTurns,
      what: `${rules.pairTurns} turns of ${sender} with ${to}`,
    });
  }
  return bounds;
}
