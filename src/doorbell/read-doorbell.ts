import { join } from 'node:path';
import { AnchoredPaths } from '../hive/anchored-paths.ts';
import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import type { AgentId } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import type { DoorbellMode } from './decide.ts';
import { MOST_SETTINGS_BYTES, parseDoorbellSettings } from './settings.ts';
import { type DoorbellState, NO_STATE, parseState } from './state.ts';
import { MOST_STATE_BYTES, newestState } from './state-file.ts';

/** An agent's doorbell as others than the agent see it. */
export interface SeenDoorbell {
  state: DoorbellState;
  mode: DoorbellMode;
  /** Keystrokes into its terminal are allowed. */
  tmux: boolean;
}

/** Hooks keep two states and their temporary files; with more names than this something else is there. */
const MOST_NAMES = 256;
const TRIES = 3;

/**
 * Reads an agent's doorbell from outside. All of it is the agent's own, so no link is followed, nothing is
 * waited for, and what is read is bounded.
 * @returns nothing when the agent has none
 * @throws the system's error; `EFBIG` when there are more states than hooks make
 */
export function readDoorbell(
  fs: HiveFs,
  layout: HiveLayout,
  agent: AgentId,
): SeenDoorbell | undefined {
  using paths = new AnchoredPaths(fs, layout);
  if (fs.stat(layout.agent(agent).doorbell) === undefined) return undefined;
  const settings = readText(fs, MOST_SETTINGS_BYTES, () =>
    join(paths.of(agent, 'doorbell'), 'settings.json'),
  );
  return { ...parseDoorbellSettings(settings ?? ''), state: readNewest(fs, agent, paths) };
}

function readNewest(fs: HiveFs, agent: AgentId, paths: AnchoredPaths): DoorbellState {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const names = namesIn(fs, agent, paths);
    const newest = newestState(names);
    if (newest === undefined) return NO_STATE;
    const text = readText(fs, MOST_STATE_BYTES, () =>
      join(paths.of(agent, 'doorbellState'), newest),
    );
    // Hooks went on meanwhile and took this number away.
    if (text !== undefined) return parseState(text);
  }
  return NO_STATE;
}

function namesIn(fs: HiveFs, agent: AgentId, paths: AnchoredPaths): string[] {
  let names: string[];
  try {
    names = fs.list(paths.of(agent, 'doorbellState'), MOST_NAMES + 1);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
  if (names.length <= MOST_NAMES) return names;
  throw Object.assign(new Error('more states than hooks make'), { code: 'EFBIG' });
}

function readText(fs: HiveFs, most: number, path: () => string): string | undefined {
  try {
    return Buffer.from(fs.read(path(), most).bytes).toString('utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
