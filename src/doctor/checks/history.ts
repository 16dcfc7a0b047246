/**
 * Looks at git and at the hive's repository. Only with commands that read; what the history itself would
 * do at its next start (set a foreign repository aside, clean locks) is said and not done.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { endOrphan } from '../../history/child-record.ts';
import { type Git, GitFailure, openGit, SYNCING_GIT } from '../../history/git.ts';
import { removeStaleLocks, removeStalePacks } from '../../history/stale-files.ts';
import { isSameProcessAlive } from '../../hive/process-identity.ts';
import { readText } from '../../hive/read-text.ts';
import { HivemailError } from '../../protocol/errors.ts';
import { type Examination, inHive, namesIn, unlessBroken } from '../examination.ts';
import { allWell, nameSome, type Observation } from '../finding.ts';
import { underRouterLock } from '../under-lock.ts';

/** Written into every repository that Hivemail makes. */
const MARK = 'hivemail.history';
const FSCK = ['fsck', '--connectivity-only', '--no-dangling', '--no-progress'];
const FSCK_MS = 20_000;
/** Of every failure of git; not so where the repository itself is broken. */
const CATCHES_UP = ' Mail still flows; the history catches up.';

/** Looks for git and at its version. */
export async function checkGit(exam: Examination): Promise<Observation[]> {
  try {
    const { version, syncsAll, path } = await openGitOf(exam);
    if (syncsAll) return [allWell(`git ${version} (${path}).`)];
    return [
      {
        level: 'note',
        what: `git ${version} is older than ${SYNCING_GIT}.`,
        means:
          'It does not sync all it writes; Hivemail does it instead, and the history grows slower.',
        advice: `Install git ${SYNCING_GIT} or newer.`,
      },
    ];
  } catch (error) {
    if (!(error instanceof HivemailError)) throw error;
    return [
      {
        level: 'warning',
        what: error.message,
        means: 'Mail flows without git. What is to be recorded waits in .router/history/.',
        advice: `Install git ${SYNCING_GIT} or newer where the router finds it; it tries again by itself.`,
      },
    ];
  }
}

/** Looks at the hive's repository, and for what a killed git has left in it. */
export async function checkRepository(exam: Examination): Promise<Observation[]> {
  const kind = exam.fs.stat(exam.layout.git)?.kind;
  const git = await openGitOf(exam).catch(withoutGit);
  if (kind === undefined) {
    return [allWell('No history yet: the router makes the repository.'), ...aboutSetAside(exam)];
  }
  if (kind !== 'directory') return [aboutForeign(`.git is a ${kind} and no directory`)];
  if (git === undefined) {
    return [{ level: 'note', what: 'The repository was not looked at: there is no git to do it.' }];
  }
  const found = [
    ...(await aboutState(exam, git)),
    ...aboutLocks(exam),
    ...aboutOrphan(exam),
    ...aboutSetAside(exam),
  ];
  return found.length > 0 ? found : [allWell('The history’s repository is sound.')];
}

function openGitOf({ env, layout, fs }: Examination): Promise<Git> {
  const home = fs.stat(layout.router)?.kind === 'directory' ? layout.router : layout.root;
  return openGit({ env: { ...env }, gitDir: layout.git, home });
}

function withoutGit(error: unknown): undefined {
  if (!(error instanceof HivemailError)) throw error;
}

async function aboutState(exam: Examination, git: Git): Promise<Observation[]> {
  try {
    const config = await readConfig(exam, git);
    if (config.get(MARK) !== '1') return [aboutForeign('.git was not made by Hivemail')];
    const bare = config.get('core.bare') === 'true' ? [] : [aboutBare(exam, git)];
    if (existsSync(join(exam.layout.git, 'commondir'))) {
      return [...bare, aboutDamaged('its file commondir leads to another repository.')];
    }
    await git.run(FSCK, { timeoutMs: FSCK_MS });
    return bare;
  } catch (error) {
    if (!(error instanceof HivemailError)) throw error;
    return [
      error instanceof GitFailure && !error.surroundings
        ? aboutDamaged(error.message.replace(CATCHES_UP, ''))
        : aboutUnlooked(error),
    ];
  }
}

/** Away from the repository itself, whose settings are what is in doubt. */
async function readConfig({ layout }: Examination, git: Git): Promise<Map<string, string>> {
  const file = join(layout.git, 'config');
  if (!existsSync(file)) return new Map();
  const args = ['config', '--file', file, '--no-includes', '--null', '--list'];
  const { stdout } = await git.run(args, { gitDir: layout.router });
  return new Map(
    stdout.split('\0').map((entry): [string, string] => {
      const [key = '', ...value] = entry.split('\n');
      return [key, value.join('\n')];
    }),
  );
}

function aboutForeign(what: string): Observation {
  return {
    level: 'warning',
    what: `${what}.`,
    means:
      'The router never writes into it: when it starts, it sets it aside as .git.before-hivemail and begins a history of its own.',
    advice: 'If you need it under its name, keep the hive in a directory of its own.',
  };
}

function aboutDamaged(why: string): Observation {
  return {
    level: 'error',
    what: `The history’s repository is damaged: ${why}`,
    means:
      'Mail flows. The router sets the repository aside as .git.damaged-… and begins a new history, so what was recorded is no longer in the hive’s `git log`.',
    advice:
      'Restore .git from a backup while no router is up. `git fsck` in the hive says what is missing.',
  };
}

function aboutUnlooked(error: HivemailError): Observation {
  const isLate = error.code === 'timeout';
  return {
    level: isLate ? 'note' : 'warning',
    what: isLate
      ? `The repository was not looked through within ${FSCK_MS / 1000} seconds.`
      : `The repository could not be looked at: ${error.message}`,
    means: 'It may be sound.',
    advice: 'Run `git fsck --connectivity-only` in the hive.',
  };
}

function aboutBare(exam: Examination, git: Git): Observation {
  const { layout } = exam;
  const args = ['config', '--file', join(layout.git, 'config'), 'core.bare', 'true'];
  const apply = (): Promise<void> =>
    underRouterLock(exam, async () => {
      await git.run(args, { gitDir: layout.router });
    });
  return {
    level: 'warning',
    what: 'core.bare is not true in the history’s repository.',
    means:
      '`git add`, `checkout`, `clean` or `reset` in the hive would work, and could take mail away.',
    fix: { says: 'Set core.bare to true.', apply },
  };
}

/** A router that is up has a git at work now and then, and cleans after it. */
function aboutLocks(exam: Examination): Observation[] {
  const { layout, routerState } = exam;
  const names = locksIn(layout.git).map((path) => inHive(exam, path));
  if (names.length === 0 || routerState === 'running') return [];
  const apply = (): Promise<void> =>
    underRouterLock(exam, async () => {
      await endOrphan(join(layout.router, 'git-child.json'));
      removeStaleLocks(layout.git);
      removeStalePacks(layout.git);
    });
  return [
    {
      level: 'note',
      what: `A git has left its lock: ${nameSome(names)}.`,
      means: 'Nothing can be recorded until it is gone. The next router sees to it.',
      fix: {
        says: 'Let a git that still runs end, then remove its locks and half-written packs.',
        apply,
      },
    },
  ];
}

function locksIn(gitDir: string): string[] {
  const dirs = ['.', 'objects/info', 'refs', 'refs/heads', 'refs/tags'].map((dir) =>
    join(gitDir, dir),
  );
  return dirs.flatMap((dir) =>
    (unlessBroken(() => readdirSync(dir)) ?? [])
      .filter((name) => name.endsWith('.lock'))
      .map((name) => join(dir, name)),
  );
}

function aboutOrphan({ fs, layout, routerState }: Examination): Observation[] {
  const text = readText(fs, join(layout.router, 'git-child.json'), 65_536);
  if (text === undefined || routerState === 'running') return [];
  const child = parseChild(text);
  const runs = child !== undefined && isSameProcessAlive(child);
  return [
    {
      level: 'note',
      what: runs
        ? `A git of a router that has ended still runs: process ${child.pid}.`
        : 'A router ended while its git was at work.',
      means:
        'The next router waits for it, or ends it, before it writes; nothing is recorded twice.',
    },
  ];
}

function parseChild(text: string): Parameters<typeof isSameProcessAlive>[0] | undefined {
  try {
    const { pid, startedAt, bootId }: Record<string, unknown> = { ...JSON.parse(text) };
    if (typeof pid !== 'number' || pid <= 1) return undefined;
    const known = (value: unknown) => (typeof value === 'string' ? value : undefined);
    return { pid, startedAt: known(startedAt), bootId: known(bootId) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

function aboutSetAside({ fs, layout }: Examination): Observation[] {
  const names = namesIn(fs, layout.root).filter((name) =>
    /^\.git\.(before-hivemail|damaged-)/.test(name),
  );
  if (names.length === 0) return [];
  return [
    {
      level: 'note',
      what: `Set aside by a router: ${nameSome(names)}.`,
      means:
        'A repository that stood in the hive’s way, whole as it was. Nothing reads it any more.',
      advice: 'Look into it with `git --git-dir=NAME log`; keep it or move it away.',
    },
  ];
}
