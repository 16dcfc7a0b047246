import { claude } from './clients/claude.ts';
import type { Client } from './clients/client.ts';
import { codex } from './clients/codex.ts';
import { gemini } from './clients/gemini.ts';
import { opencode } from './clients/opencode.ts';

/** The clients whose sessions the doorbell reaches. */
export const CLIENTS = { claude, codex, gemini, opencode } as const satisfies Record<
  string,
  Client
>;

/** Name of a client, as in `hivemail hook CLIENT EVENT`. */
export type ClientName = keyof typeof CLIENTS;

/** The names of all clients. */
export const CLIENT_NAMES = Object.keys(CLIENTS) as readonly ClientName[];

/** Tells whether a word names a client. */
export function isClientName(word: unknown): word is ClientName {
  return typeof word === 'string' && Object.hasOwn(CLIENTS, word);
}
