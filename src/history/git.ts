import { devNull } from 'node:os';
import { dirname } from 'node:path';
import { findInPath } from '../hive/path-lookup.ts';
import { type Dialogue, type ProcessEnd, runProcess } from '../hive/process-run.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';
import { escapeLine } from '../protocol/escape.ts';

const DEFAULT_TIMEOUT_MS = 120_000;

/** The oldest git that syncs all it writes when told to (`core.fsync=all`). */
export const SYNCING_GIT = '2.36';

/**
 * Settings of every call, stronger than those of any file: no foreign code (hooks, file monitor,
 * network helpers), everything synced, imported packs kept as packs, no maintenance on its own,
 * files for the owner alone whatever the umask.
 */
const SETTINGS = [
  `core.hooksPath=${devNull}`,
  'core.fsmonitor=false',
  'core.alternateRefsCommand=',
  'core.fsync=all',
  'core.sharedRepository=0600',
  'fastimport.unpackLimit=1',
  'gc.auto=0',
  'maintenance.auto=false',
  'repack.writeBitmaps=false',
  // Segments of the log go to disk in stretches, and no repack compares them with each other in memory.
  'core.bigFileThreshold=5m',
];

/** A call of git on the hive's history. */
export interface GitCall {
  /** What git is told on its standard input; its output then goes there. */
  dialogue?: Dialogue;
  /** Told no more than git has taken: for what is large. Answers must not be waited for then. */
  paced?: boolean;
  /** Exit codes that are answers and no failures; 0 alone by default. */
  accept?: readonly number[];
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
  onStart?: ((pid: number) => void) | undefined;
  /** Another repository than the hive's own: one that is only being made. */
  gitDir?: string;
}

/** What git answered: its exit code (one of those accepted) and its output. */
export interface GitAnswer {
  exitCode: number;
  stdout: string;
}

/** The git program, bound to one hive's history, as reading it takes. */
export interface ReadingGit {
  /** Absolute path of the program. */
  readonly path: string;
  /**
   * Runs one git command on the history.
   * @throws {@link GitFailure} for an exit code that was not to be accepted
   */
  run(args: readonly string[], call?: GitCall): Promise<GitAnswer>;
}

/** The same for who writes: it knows the version. */
export interface Git extends ReadingGit {
  /** As it says itself: `2.39.5`. */
  readonly version: string;
  /** False before git 2.36: what it writes must then be synced by the caller. */
  readonly syncsAll: boolean;
}

/** A git command that failed; `message` is a sentence for people. */
export class GitFailure extends HivemailError {
  /** Null when it could not be started, or a signal ended it. */
  readonly exitCode: number | null;
  /** True when the surroundings failed (disk full, no memory, no permission), not the repository. */
  readonly surroundings: boolean;

  constructor(message: string, { exitCode, stderr }: Pick<ProcessEnd, 'exitCode' | 'stderr'>) {
    super('git', message, { cause: new Error(escapeLine(stderr.trim())) });
    this.exitCode = exitCode;
    this.surroundings = exitCode === null || SURROUNDINGS.test(stderr);
  }
}

// Texts of strerror(3) under LC_ALL=C, as git prints them after the failing path.
const SURROUNDINGS =
  /Permission denied|Operation not permitted|Too many open files|Input\/output error|No space left|quota exceeded|Cannot allocate memory|[Oo]ut of memory|Read-only file system|Resource temporarily unavailable|Stale file handle/;

/** Where to find git, and what it works on. */
export interface GitOptions {
  /** Absolute path of the program; looked up on `PATH` when missing. */
  gitPath?: string | undefined;
  /** The environment to take `PATH` from; nothing else of it reaches git but `SystemRoot`, `TMPDIR`. */
  env?: NodeJS.ProcessEnv | undefined;
  /** The history's repository. */
  gitDir: string;
  /** Home and working directory of the child: the hive's `.router`, so that no one's settings are read. */
  home: string;
  signal?: AbortSignal | undefined;
}

/**
 * Finds git and asks its version.
 * @throws HivemailError `git` when there is none, or it does not run
 */
export async function openGit(options: GitOptions): Promise<Git> {
  const { path, run } = findGit(options);
  const { stdout } = await run(['--version'], { signal: options.signal });
  const version = /\d+(\.\d+)*/.exec(stdout)?.[0] ?? '0';
  return { path, version, syncsAll: isAtLeast(version, SYNCING_GIT), run };
}

/**
 * Finds git, and starts nothing: whether it runs shows with its first command.
 * @throws HivemailError `git` when there is none
 */
export function findGit(options: GitOptions): ReadingGit {
  const env = options.env ?? process.env;
  const path = options.gitPath ?? findInPath('git', env['PATH'] ?? '', dirname(options.home));
  if (path === undefined) throw new HivemailError('git', NO_GIT);
  return { path, run: boundRun(path, { ...options, env }) };
}

const NO_GIT = `git was not found on PATH. Install git ${SYNCING_GIT} or newer; mail still flows, and the history catches up.`;

function isAtLeast(version: string, wanted: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split('.').map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

function boundRun(path: string, options: GitOptions & { env: NodeJS.ProcessEnv }): Git['run'] {
  const env = scrubbed(options.env, options.home);
  return async (args, call = {}) => {
    const settings = SETTINGS.flatMap((setting) => ['-c', setting]);
    const end = await start(path, {
      file: path,
      args: [...settings, `--git-dir=${call.gitDir ?? options.gitDir}`, ...args],
      cwd: options.home,
      env,
      dialogue: call.dialogue,
      paced: call.paced,
      signal: call.signal,
      timeoutMs: call.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      onStart: call.onStart,
    });
    if (end.exitCode !== null && (call.accept ?? [0]).includes(end.exitCode)) {
      return { exitCode: end.exitCode, stdout: end.stdout };
    }
    throw new GitFailure(failureSentence(args, end), end);
  };
}

async function start(path: string, call: Parameters<typeof runProcess>[0]): Promise<ProcessEnd> {
  try {
    return await runProcess(call);
  } catch (error) {
    if (error instanceof HivemailError && error.code === 'io') {
      throw new HivemailError('git', error.message, { cause: error });
    }
    if (!isSpawnError(error)) throw error;
    const sentence = `git could not be started from ${path} (${systemCode(error)}). Mail still flows; the history catches up.`;
    throw new GitFailure(sentence, { exitCode: null, stderr: error.message });
  }
}

function isSpawnError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn');
}

function failureSentence(args: readonly string[], end: ProcessEnd): string {
  const how = end.exitCode === null ? 'was killed' : `failed with exit code ${end.exitCode}`;
  const said = escapeLine(end.stderr.trim().split('\n')[0] ?? '').slice(0, 300);
  return `git ${args[0] ?? ''} ${how}${said === '' ? '' : `: ${said}`}. Mail still flows; the history catches up.`;
}

function scrubbed(env: NodeJS.ProcessEnv, home: string): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of ['PATH', 'SystemRoot', 'TMPDIR']) {
    const value = env[name];
    if (value !== undefined) kept[name] = value;
  }
  return {
    ...kept,
    HOME: home,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    // A repository that names a promisor remote fetches what it lacks, through a program of its choice.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  };
}
