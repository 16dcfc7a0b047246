import type { Holder } from '../state.ts';

/**
 * Tells whether there is a way to wake a session from outside. Sessions of the other clients have a waiter
 * beside them, or nothing.
 */
export function isWakeable({ client }: Pick<Holder, 'client'>): boolean {
  return client === 'codex';
}
