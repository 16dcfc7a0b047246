import type { AgentId } from '../protocol/addresses.ts';

/**
 * Writes what a wake from outside puts into a session: one fixed line, nothing of any letter. The hook
 * that the client then calls adds the digest, so that a wake tells of nothing twice.
 * @param command - what the agent types to run the command line as itself
 */
export function wakeLine(agent: AgentId, command: string): string {
  return `Hivemail has mail for ${agent}; "${command} inbox" lists it.`;
}

/** Tells whether a prompt is the line of a wake. */
export function isWakeLine(prompt: unknown): boolean {
  return (
    typeof prompt === 'string' && /^\s*Hivemail has mail for [^\n]*lists it\.\s*$/.test(prompt)
  );
}

/** What a person sees of a wake that was taken back. */
export const NOTHING_LEFT = 'Hivemail: the mail that this was about has been handled or told of.';
