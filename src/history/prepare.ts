import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { endOrphan } from './child-record.ts';
import { openGit, SYNCING_GIT } from './git.ts';
import type { Repository } from './recorder.ts';
import { prepareRepository, type SetAside } from './repository.ts';
import { removeStaleLocks, removeStalePacks } from './stale-files.ts';

/** The paths of a hive that its history touches. */
export type HistoryPlace = Pick<HiveLayout, 'git' | 'router' | 'historyQueue'>;

/** Something that whoever looks after the hive should know; kinds are stable. */
export interface HistoryReport {
  kind:
    | 'recording-failed'
    | 'compacting-failed'
    | 'unreadable-batch'
    | 'foreign-repository'
    | 'damaged-repository'
    | 'orphan-ended'
    | 'state-skipped'
    | 'old-git';
  /** What happened and what to do, in sentences. */
  sentence: string;
  cause?: unknown;
}

/** What preparing the history takes. */
export interface PrepareOptions {
  layout: HistoryPlace;
  fs: HiveFs;
  gitPath?: string | undefined;
  env?: NodeJS.ProcessEnv | undefined;
  /** Milliseconds since the epoch. */
  now: number;
  /** False for a further attempt of the same router. */
  first: boolean;
  signal?: AbortSignal | undefined;
  report: (report: HistoryReport) => void;
}

/**
 * Gets the repository ready to be written: an orphan of an earlier router ended first, then locks
 * cleaned, then the repository looked at and, where needed, made.
 * @returns the repository
 * @throws HivemailError `git`, or the system's error; to be tried again
 */
export async function prepareHistory(options: PrepareOptions): Promise<Repository> {
  const { layout, fs, signal, report, first } = options;
  const childRecord = join(layout.router, 'git-child.json');
  mkdirSync(layout.historyQueue, { recursive: true, mode: 0o700 });
  if ((await endOrphan(childRecord, { signal })) === 'ended') {
    report({
      kind: 'orphan-ended',
      sentence: 'A git of an earlier router still ran; it was ended.',
    });
  }
  const git = await openGit({ ...options, gitDir: layout.git, home: layout.router });
  const place = { git, fs, gitDir: layout.git, workDir: layout.router, signal };
  const setAside = await prepareRepository(place, { thorough: !first, now: options.now });
  if (setAside !== undefined) report(setAsideReport(setAside));
  removeStaleLocks(layout.git);
  // Packs in the making may be those of a person's `git gc`; only a start cleans them.
  if (first) removeStalePacks(layout.git);
  if (first && !git.syncsAll) report(oldGitReport(git.version));
  return { git, fs, gitDir: layout.git, childRecord };
}

function setAsideReport({ reason, path }: SetAside): HistoryReport {
  if (reason === 'foreign') {
    const sentence = `A repository that Hivemail did not make stood in the hive. It is now ${path}; the history has a new one.`;
    return { kind: 'foreign-repository', sentence };
  }
  const sentence = `The history's repository is damaged. It is now ${path}, and a new history has begun. Try \`git fsck\` there.`;
  return { kind: 'damaged-repository', sentence };
}

function oldGitReport(version: string): HistoryReport {
  const sentence = `git ${version} does not sync what it writes; Hivemail does it instead. Install git ${SYNCING_GIT} or newer.`;
  return { kind: 'old-git', sentence };
}
