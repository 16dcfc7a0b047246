import type { AgentId } from '../protocol/addresses.ts';
import type { Candidate } from './scan.ts';

/** Candidates of a pass, by who has more waiting than one pass takes of a sender. */
export interface Turns {
  quiet: readonly Candidate[];
  flood: readonly Candidate[];
  /** How many senders flood. */
  flooders: number;
}

/** Letters that a pass takes of a flood at least, so that others can delay it and not stop it. */
const LEAST_OF_FLOOD = 10;

/** What one pass takes of a sender that does not flood. */
export interface SenderBudget {
  lettersPerSender: number;
  bytesPerSender: number;
  /** Most bytes of a letter; what is larger is not read. */
  letterBytes: number;
}

/**
 * Tells the letters of senders that flood from those of the others, which come first. A sender floods
 * when it has more waiting than one pass takes of it, in letters or in bytes.
 */
export function takeTurns(candidates: readonly Candidate[], budget: SenderBudget): Turns {
  const waiting = new Map<AgentId, { letters: number; bytes: number }>();
  for (const { agent, stat } of candidates) {
    const { letters, bytes } = waiting.get(agent) ?? { letters: 0, bytes: 0 };
    const size = Math.min(stat.sizeBytes, budget.letterBytes);
    waiting.set(agent, { letters: letters + 1, bytes: bytes + size });
  }
  const flooders = new Set<AgentId>();
  for (const [agent, { letters, bytes }] of waiting) {
    if (letters > budget.lettersPerSender || bytes > budget.bytesPerSender) flooders.add(agent);
  }
  const floods = ({ agent }: Candidate): boolean => flooders.has(agent);
  return {
    quiet: candidates.filter((candidate) => !floods(candidate)),
    flood: candidates.filter(floods),
    flooders: flooders.size,
  };
}

/**
 * How many letters a pass takes of each sender that floods. Whoever is not flooding waits for the rest
 * of the pass under way and for its own; so the first is bounded by `most`, and the second takes of all
 * floods together no more than others have in it.
 * @param others - letters of other senders in the same pass
 * @param most - letters that a pass has time for
 */
export function floodShare({
  flooders,
  others,
  most,
}: {
  flooders: number;
  others: number;
  most: number;
}): number {
  const together = others === 0 ? most : Math.min(most, Math.max(others, LEAST_OF_FLOOD));
  return Math.max(1, Math.floor(together / Math.max(1, flooders)));
}
