import { statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { realPathOf } from '../../hive/real-path.ts';
import type { WakeReason } from './answer.ts';

/** Which directories of settings a router believes in. */
export interface KnownHomes {
  /** The router's own environment. */
  env: Readonly<Record<string, string | undefined>>;
  /** Those of hive.json; absolute. */
  codexHomes: readonly string[];
}

/** A directory, or why there is none that could be used. */
export type FoundHome = { home: string } | { home: undefined; why: WakeReason };

/**
 * Finds the CODEX_HOME of a session, so that a wake reaches its queue. What the session says of itself lies
 * in the agent's own directory, and a CODEX_HOME names programs that Codex starts: an agent in a sandbox
 * would have the router start them outside of it. So only a directory that the router knows without the
 * agent is used, and the session's word merely chooses among those.
 * @param place - the session's environment
 */
export function findCodexHome(
  place: Readonly<Record<string, string>>,
  { env, codexHomes }: KnownHomes,
): FoundHome {
  const meant = placeOf(homeIn(place));
  const known = [homeIn(env), ...codexHomes].map(placeOf);
  if (meant === undefined || !known.includes(meant))
    return { home: undefined, why: 'unknown-home' };
  return isSafe(meant) ? { home: meant } : { home: undefined, why: 'unsafe-home' };
}

function homeIn(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const { CODEX_HOME: named, HOME: home } = env;
  if (named !== undefined && named !== '') return named;
  return home === undefined || home === '' ? undefined : join(home, '.codex');
}

function placeOf(home: string | undefined): string | undefined {
  return home === undefined || !isAbsolute(home) ? undefined : realPathOf(home);
}

const OTHERS_WRITE = 0o022;

function isSafe(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) return false;
  // Windows has neither owners nor modes of this kind.
  const user = process.getuid?.();
  return user === undefined || (stats.uid === user && (stats.mode & OTHERS_WRITE) === 0);
}
