import { lstatSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { realPathOf } from '../../hive/real-path.ts';

/** Which sockets of tmux a router believes in. */
export interface KnownSockets {
  /** The router's own environment. */
  env: Readonly<Record<string, string | undefined>>;
  /** Those of hive.json; absolute. */
  tmuxSockets: readonly string[];
}

const OTHERS = 0o077;

/**
 * Finds the socket of the tmux that a session runs in. What the session says of itself lies in the agent's
 * own directory, and whoever answers at a socket can have tmux's client read and write files: so only a
 * socket in tmux's own directory of this user is used, which nobody else can enter, or one that hive.json
 * names.
 * @param tmux - the session's variable `TMUX`: socket, process and number, joined by commas
 * @returns nothing when there is none that may be used
 */
export function findTmuxSocket(
  tmux: string | undefined,
  { env, tmuxSockets }: KnownSockets,
): string | undefined {
  // The path may hold commas itself.
  const named = /^(\/.*),\d+,\d+$/s.exec(tmux ?? '')?.[1];
  const socket = named === undefined ? undefined : realPathOf(named);
  const user = process.getuid?.();
  if (user === undefined || socket === undefined) return undefined;
  const isNamed = tmuxSockets.map(realPathOf).includes(socket);
  const isKnown = isNamed || dirname(socket) === ownDirectory(env, user);
  return isKnown && isOwnSocket(statOf(socket), user) ? socket : undefined;
}

/** The directory of this user's tmux; nothing when others may enter it. */
function ownDirectory(env: KnownSockets['env'], user: number): string | undefined {
  const dir = realPathOf(join(env['TMUX_TMPDIR'] || '/tmp', `tmux-${user}`));
  return dir !== undefined && isClosed(statOf(dir), user) ? dir : undefined;
}

function isOwnSocket(stats: Stats | undefined, user: number): boolean {
  return stats?.isSocket() === true && stats.uid === user;
}

function isClosed(stats: Stats | undefined, user: number): boolean {
  return stats?.isDirectory() === true && stats.uid === user && (stats.mode & OTHERS) === 0;
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
