import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { HiveFs } from '../hive/hive-fs.ts';
import type { Dialogue } from '../hive/process-run.ts';
import type { RecordedBatch } from '../protocol/record.ts';
import { forgetChild, recordChild } from './child-record.ts';
import type { Git, GitCall } from './git.ts';
import {
  BRANCH,
  batchCommit,
  commitStream,
  historyFiles,
  type PlannedCommit,
} from './import-stream.ts';
import { syncWritten } from './sync-tree.ts';

const IMPORT_TIMEOUT_MS = 600_000;

/** A prepared repository, and where its writing child is noted. */
export interface Repository {
  git: Git;
  fs: HiveFs;
  gitDir: string;
  /** `.router/git-child.json` */
  childRecord: string;
}

/** How many of the batches were new to the history. */
export interface RecordingResult {
  recorded: number;
  skipped: number;
}

/**
 * Records batches, one commit each, exactly once: what the branch already holds is skipped. The
 * branch is read once, for the check and as the parent of what is new: with two look-ups two
 * importers recorded the same batch twice in 2 of 30 races, with one in 0 of 60.
 * One process does both: fast-import says what the tip holds, then takes what it lacks.
 * @returns once git holds all of them durably
 * @throws HivemailError `git` when git fails, or the branch moved meanwhile; to be tried again
 */
export async function recordBatches(
  repository: Repository,
  batches: readonly RecordedBatch[],
  signal?: AbortSignal,
): Promise<RecordingResult> {
  const tip = await readTip(repository, signal);
  const byPath = byFirstPath(batches);
  let recorded = 0;
  const dialogue: Dialogue = async function* (output) {
    const answers = createInterface({ input: output })[Symbol.asyncIterator]();
    const fresh = tip === undefined ? [...byPath.values()] : [];
    if (tip !== undefined) {
      yield listQuestions(tip, byPath.keys());
      for (const batch of byPath.values()) {
        if (isMissing(await answers.next())) fresh.push(batch);
      }
    }
    recorded = fresh.length;
    yield* commitStream(planEach(fresh), tip);
  };
  await importInto(repository, dialogue, { signal });
  return { recorded, skipped: batches.length - recorded };
}

function* planEach(batches: readonly RecordedBatch[]): Generator<PlannedCommit> {
  for (const batch of batches) yield batchCommit(batch);
}

/**
 * Runs one fast-import and makes durable what it wrote.
 * @throws HivemailError `git`
 */
export async function importInto(
  repository: Repository,
  dialogue: Dialogue,
  { signal, paced }: Pick<GitCall, 'signal' | 'paced'> = {},
): Promise<void> {
  const packs = listPacks(repository);
  await runRecorded(repository, ['fast-import', '--quiet', '--done'], {
    dialogue,
    signal,
    ...(paced === undefined ? {} : { paced }),
    timeoutMs: IMPORT_TIMEOUT_MS,
  });
  if (!repository.git.syncsAll) await syncAllWritten(repository, packs);
  // Also when all was there: the router that recorded it may have been killed before this.
  await syncDirectories(repository);
}

/**
 * Runs a git command that writes, noted on disk for as long as it runs, so that the next router
 * finds it should this one be killed.
 */
export async function runRecorded(
  { git, childRecord }: Pick<Repository, 'git' | 'childRecord'>,
  args: readonly string[],
  call: GitCall,
): Promise<void> {
  let child: number | undefined;
  const onStart = (pid: number): void => {
    child = pid;
    recordChild(childRecord, pid);
  };
  try {
    await git.run(args, { ...call, onStart });
  } finally {
    if (child !== undefined) forgetChild(childRecord, child);
  }
}

/**
 * Reads the branch as git itself does first, and asks git only where that is not enough.
 * @returns the commit it stands at; nothing while the history is empty
 */
export async function readTip(
  { git, gitDir }: Repository,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const path = join(gitDir, BRANCH);
  const loose = existsSync(path) ? readFileSync(path, 'latin1').trim() : '';
  if (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(loose)) return loose;
  const args = ['rev-parse', '--verify', '--quiet', `${BRANCH}^{commit}`];
  const { exitCode, stdout } = await git.run(args, { accept: [0, 1], signal });
  return exitCode === 0 ? stdout.trim() : undefined;
}

function byFirstPath(batches: readonly RecordedBatch[]): Map<string, RecordedBatch> {
  const byPath = new Map<string, RecordedBatch>();
  for (const batch of batches) {
    const path = firstPath(batch);
    if (path !== undefined && !byPath.has(path)) byPath.set(path, batch);
  }
  return byPath;
}

function listQuestions(tip: string, paths: Iterable<string>): Uint8Array {
  return Buffer.from([...paths].map((path) => `ls ${tip} ${path}\n`).join(''), 'utf8');
}

/** One answer a question, in their order: `missing <path>`, or what stands there. */
function isMissing(answer: IteratorResult<string>): boolean {
  // git has ended; its exit code becomes the error.
  if (answer.done === true) return false;
  return answer.value.startsWith('missing ');
}

/** One commit holds a whole batch: where its first file is, all are. */
function firstPath({ records }: RecordedBatch): string | undefined {
  for (const record of records) {
    const [file] = historyFiles(record);
    if (file !== undefined) return file.path;
  }
  return undefined;
}

/** git renames packs and refs into place without making the directories durable (2.39). */
async function syncDirectories({ fs, gitDir }: Repository): Promise<void> {
  await fs.syncDir(packDir(gitDir));
  await Promise.all([dirname(join(gitDir, BRANCH)), gitDir].map((dir) => syncExisting(fs, dir)));
}

async function syncExisting(fs: HiveFs, dir: string): Promise<void> {
  if (fs.stat(dir) !== undefined) await fs.syncDir(dir);
}

async function syncAllWritten(repository: Repository, before: Set<string>): Promise<void> {
  const written = [...listPacks(repository)].filter((name) => !before.has(name));
  const paths = written.map((name) => join(packDir(repository.gitDir), name));
  const branch = join(repository.gitDir, BRANCH);
  await Promise.all([...paths, ...(existsSync(branch) ? [branch] : [])].map(syncWritten));
}

function listPacks({ git, gitDir }: Repository): Set<string> {
  return new Set(git.syncsAll ? [] : readdirSync(packDir(gitDir)));
}

function packDir(gitDir: string): string {
  return join(gitDir, 'objects', 'pack');
}
