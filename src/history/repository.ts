import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { HiveFs } from '../hive/hive-fs.ts';
import { type Git, GitFailure } from './git.ts';
import { BRANCH } from './import-stream.ts';
import { syncTree } from './sync-tree.ts';

const MARK = 'hivemail.history';
const FSCK_TIMEOUT_MS = 600_000;

/** What the history's repository is made with. */
export interface RepositoryPlace {
  git: Git;
  fs: HiveFs;
  /** `hive/.git`. */
  gitDir: string;
  /** `hive/.router`: a new repository is made in there and moved into place when it is whole. */
  workDir: string;
  signal?: AbortSignal | undefined;
}

/** A directory that stood where the history belongs, and where it is now. */
export interface SetAside {
  /** `foreign`: not made by Hivemail. `damaged`: ours, and git can't read it. */
  reason: 'foreign' | 'damaged';
  /** Absolute path it was moved to. */
  path: string;
}

/**
 * Makes sure that `hive/.git` is a sound repository of ours: bare, so that `git log` works in the
 * hive and `git add` refuses. What else stands there is moved aside, never changed.
 * @param options - `thorough`: also follow every object (0.14 s at 100 000 messages); asked for
 *   after a recording has failed. `now`: milliseconds since the epoch, for the name of what is set aside
 * @returns what was moved aside, if anything was
 * @throws HivemailError `git` when git or its surroundings fail; nothing is moved aside then
 */
export async function prepareRepository(
  place: RepositoryPlace,
  { thorough, now }: { thorough: boolean; now: number },
): Promise<SetAside | undefined> {
  const state = await inspect(place, thorough);
  if (state === 'sound') return undefined;
  const setAside = state === 'missing' ? undefined : moveAside(place.gitDir, state, now);
  await create(place);
  return setAside;
}

type State = 'missing' | 'sound' | SetAside['reason'];

async function inspect(place: RepositoryPlace, thorough: boolean): Promise<State> {
  const stat = lstatSync(place.gitDir, { throwIfNoEntry: false });
  if (stat === undefined) return 'missing';
  // A link or a `gitdir:` file leads out of the hive, and so would what is recorded.
  if (!stat.isDirectory()) return 'foreign';
  const config = await readConfig(place);
  if (config === undefined) return 'damaged';
  if (config.get(MARK) !== '1') return 'foreign';
  // Refs and objects would be looked up in another repository.
  if (existsSync(join(place.gitDir, 'commondir'))) return 'damaged';
  if (config.get('core.bare') !== 'true') await setConfig(place, 'core.bare', 'true');
  return (await isSound(place, thorough)) ? 'sound' : 'damaged';
}

/** Reads the repository's own settings, or nothing when they can't be parsed. */
async function readConfig(place: RepositoryPlace): Promise<Map<string, string> | undefined> {
  const file = join(place.gitDir, 'config');
  if (!existsSync(file)) return new Map();
  const { git, signal } = place;
  // Away from the repository itself: its settings are what is in doubt.
  const args = ['config', '--file', file, '--no-includes', '--null', '--list'];
  const listed = await succeeds(() => git.run(args, { signal, gitDir: place.workDir }));
  if (listed === undefined) return undefined;
  const entries = listed.stdout.split('\0').map((entry): [string, string] => {
    const [key = '', ...value] = entry.split('\n');
    return [key, value.join('\n')];
  });
  return new Map(entries);
}

async function setConfig(place: RepositoryPlace, key: string, value: string): Promise<void> {
  const file = join(place.gitDir, 'config');
  await place.git.run(['config', '--file', file, key, value], { gitDir: place.workDir });
}

async function isSound(place: RepositoryPlace, thorough: boolean): Promise<boolean> {
  const { git, signal } = place;
  const args = ['rev-parse', '--verify', '--quiet', `${BRANCH}^{commit}`];
  const tip = await succeeds(() => git.run(args, { signal, accept: [0, 1] }));
  if (tip === undefined) return false;
  if (tip.exitCode === 1) return !hasBranch(place.gitDir);
  const commit = tip.stdout.trim();
  const check = thorough
    ? ['fsck', '--connectivity-only', '--no-dangling', '--no-progress', commit]
    : ['cat-file', '-e', `${commit}^{tree}`];
  const timeoutMs = thorough ? FSCK_TIMEOUT_MS : undefined;
  const call = timeoutMs === undefined ? { signal } : { signal, timeoutMs };
  return (await succeeds(() => git.run(check, call))) !== undefined;
}

/** Tells whether the branch is written down, however badly; a new repository has none. */
function hasBranch(gitDir: string): boolean {
  if (existsSync(join(gitDir, BRANCH))) return true;
  const packed = join(gitDir, 'packed-refs');
  return existsSync(packed) && readFileSync(packed, 'latin1').includes(BRANCH);
}

/** Lets git answer "no" by failing, but not for want of disk, memory or permission. */
async function succeeds<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof GitFailure && !error.surroundings) return undefined;
    throw error;
  }
}

function moveAside(gitDir: string, reason: SetAside['reason'], now: number): SetAside {
  const stamp = new Date(now)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '');
  const base = `${gitDir}.${reason === 'foreign' ? 'before-hivemail' : `damaged-${stamp}`}`;
  let path = base;
  for (let number = 2; lstatSync(path, { throwIfNoEntry: false }) !== undefined; number++) {
    path = `${base}-${number}`;
  }
  renameSync(gitDir, path);
  return { reason, path };
}

/** Made apart and synced, then renamed: after a power cut it is there as a whole or not at all. */
async function create(place: RepositoryPlace): Promise<void> {
  const { git, signal, gitDir, workDir, fs } = place;
  const fresh = join(workDir, `new-${basename(gitDir)}`);
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { mode: 0o700 });
  await git.run(['init', '--quiet', '--bare', '-b', 'main', '--template='], {
    gitDir: fresh,
    signal,
  });
  await setConfig({ ...place, gitDir: fresh }, MARK, '1');
  await syncTree(fs, fresh);
  renameSync(fresh, gitDir);
  await fs.syncDir(dirname(gitDir));
}
