import type { ClientName } from '../clients.ts';
import type { Holder } from '../state.ts';

/** Clients whose sessions have a queue of their own. */
const WITH_QUEUE: ReadonlySet<ClientName> = new Set(['codex']);

/** Clients whose line of input is known well enough to type into. */
const TYPED_INTO: ReadonlySet<ClientName> = new Set(['codex', 'gemini']);

/** What {@link hasQueue} and {@link isTypedInto} ask about. */
export type Reachable = Pick<Holder, 'client' | 'place'>;

/** Tells whether a session is woken through a queue of its client. */
export function hasQueue({ client }: Reachable): boolean {
  return WITH_QUEUE.has(client);
}

/** Tells whether a session is in a terminal that a wake could be typed into. */
export function isTypedInto({ client, place }: Reachable): boolean {
  return TYPED_INTO.has(client) && place['TMUX'] !== undefined;
}

/**
 * Tells whether there is a way to wake a session from outside. Sessions of the other clients have a waiter
 * beside them, or nothing.
 * @param tmux - the agent's settings allow keystrokes
 */
export function isWakeable(session: Reachable, { tmux }: { tmux: boolean }): boolean {
  return hasQueue(session) || (tmux && isTypedInto(session));
}
