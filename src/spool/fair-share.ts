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

/**
 * Tells the letters of senders that flood from those of the others, which come first. A sender floods
 * when it has more letters waiting than one pass takes of it.
 */
export function takeTurns(candidates: readonly Candidate[], lettersPerSender: number): Turns {
  const waiting = new Map<AgentId, number>();
  for (const { agent } of candidates) waiting.set(agent, (waiting.get(agent) ?? 0) + 1);
  const floods = ({ agent }: Candidate) => (waiting.get(agent) ?? 0) > lettersPerSender;
  return {
    quiet: candidates.filter((candidate) => !floods(candidate)),
    flood: candidates.filter(floods),
    flooders: [...waiting.values()].filter((count) => count > lettersPerSender).length,
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
