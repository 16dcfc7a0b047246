import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { LogRow } from '../../src/index.ts';
import { type Child, type ChildResult, runChild, startChild } from '../clients/child.ts';
import { scrubbedEnvironment } from '../clients/environment.ts';

/** The program as it is shipped. */
export const HIVEMAIL = join(import.meta.dirname, '../../dist/cli/hivemail.cjs');

const LIMIT_MS = 60_000;

/** A hive of a test, and the environment of everything that runs on it. */
export interface Place {
  hive: string;
  env: NodeJS.ProcessEnv;
}

/** Fails with a sentence when the program is not built. */
export function requireBuild(): void {
  if (existsSync(HIVEMAIL)) return;
  throw new Error('There is no dist/cli/hivemail.cjs. Run `npm run build` before these tests.');
}

/** Makes a hive with the program's own `init`. */
export async function makePlace(dir: string, agents: string): Promise<Place> {
  requireBuild();
  const place = { hive: join(dir, 'hive'), env: scrubbedEnvironment({ HOME: dir }) };
  const made = await hivemail(place, ['init', place.hive, '--agents', agents]);
  if (made.exitCode !== 0) throw new Error(made.stderr);
  return place;
}

/** Runs the program to its end. */
export async function hivemail(
  place: Place,
  args: string[],
  agent?: string,
  cwd = join(place.hive, '..'),
): Promise<ChildResult> {
  const env = {
    ...place.env,
    HIVEMAIL_HIVE: place.hive,
    ...(agent ? { HIVEMAIL_AGENT: agent } : {}),
  };
  return await runChild({
    file: process.execPath,
    args: [HIVEMAIL, ...args],
    cwd,
    env,
    timeLimitMs: LIMIT_MS,
  });
}

/**
 * Starts a router and waits until it has written its first row.
 * @param timeLimitMs - after so long it is ended
 */
export async function startRouter(place: Place, timeLimitMs = LIMIT_MS): Promise<Child> {
  const starts = () =>
    rowsOf(place).filter(({ kind, code }) => kind === 'router' && code === 'start');
  const before = starts().length;
  const router = await startChild({
    file: process.execPath,
    args: [HIVEMAIL, 'up', place.hive],
    cwd: place.hive,
    env: place.env,
    timeLimitMs,
  });
  await vi.waitFor(
    () => {
      if (starts().length === before)
        throw new Error(`The router does not start: ${router.stderr()}`);
    },
    { timeout: 15_000, interval: 50 },
  );
  return router;
}

/** Reads the whole rows of the log. */
export function rowsOf({ hive }: Place): LogRow[] {
  const path = join(hive, 'log.jsonl');
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as LogRow);
}

/** Reads the messages in a directory of an agent, by name. */
export function lettersIn({ hive }: Place, agent: string, dir: string): Record<string, unknown>[] {
  const path = join(hive, 'agents', agent, dir);
  return readdirSync(path)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(path, name), 'utf8')) as Record<string, unknown>);
}
