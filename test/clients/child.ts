import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A program to run, its place and its surroundings. */
export interface ChildOptions {
  file: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment; nothing is added to it. */
  env: NodeJS.ProcessEnv;
  /** After so many milliseconds the child and its group are ended. */
  timeLimitMs: number;
  /** Its stdin is a pipe, for {@link Child.write}; else it is empty. */
  hasInput?: boolean;
}

/** How a child ended, and everything it printed. */
export interface ChildResult {
  /** Nothing when a signal ended it. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** Whether it was ended for taking too long. */
  timedOut: boolean;
}

/** A running child. Disposing of it ends it with its process group, and waits until it is gone. */
export interface Child extends AsyncDisposable {
  pid: number;
  /** What it has printed so far. */
  stdout(): string;
  stderr(): string;
  /** Sends a signal to the child alone, as a person would with `kill`. */
  signal(signal: NodeJS.Signals): void;
  /** Writes to its stdin. */
  write(text: string): void;
  /** Ends its stdin. */
  endInput(): void;
  /** Waits for its end. */
  result(): Promise<ChildResult>;
}

const GRACE_MS = 3_000;

/**
 * Starts a program in a process group of its own, so that ending the group by the
 * child's pid ends all it has started and nothing else.
 * @throws the system's error when the program can't be started
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { file, args, cwd, env, timeLimitMs, hasInput = false } = options;
  const child = spawn(file, args, { cwd, env, detached: true, stdio: 'pipe' });
  // What has ended reads no more; how it ended tells why.
  child.stdin.on('error', () => {});
  if (!hasInput) child.stdin.end();
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      printed[stream] += text;
    });
  }
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await once(child, 'spawn');
  let timedOut = false;
  const limit = setTimeout(() => {
    timedOut = true;
    void endGroup(child, closed);
  }, timeLimitMs);
  void closed.then(() => clearTimeout(limit));
  return {
    pid: pidOf(child),
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    signal: (signal) => child.kill(signal),
    write: (text) => child.stdin.write(text),
    endInput: () => child.stdin.end(),
    result: async () => {
      await closed;
      const { exitCode, signalCode: signal } = child;
      return { exitCode, signal, ...printed, timedOut };
    },
    [Symbol.asyncDispose]: () => endGroup(child, closed),
  };
}

/** Runs a program to its end, and ends whatever of its group outlives it. */
export async function runChild(options: ChildOptions): Promise<ChildResult> {
  await using child = await startChild(options);
  return await child.result();
}

type PipedChild = ChildProcessWithoutNullStreams;

function pidOf(child: PipedChild): number {
  if (child.pid === undefined) throw new Error('The child has not been started.');
  return child.pid;
}

/** Asks a child's group to end, then makes it; waits until the child is gone. */
async function endGroup(child: PipedChild, closed: Promise<void>): Promise<void> {
  const pid = pidOf(child);
  if (signalGroup(pid, 'SIGTERM')) {
    const waiting = new AbortController();
    await Promise.race([closed, pause(GRACE_MS, waiting.signal)]);
    waiting.abort();
    signalGroup(pid, 'SIGKILL');
  }
  // A grandchild that left the group may hold the pipes open; nobody waits for it.
  child.stdout.destroy();
  child.stderr.destroy();
  await closed;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** @returns whether there was anything left to signal */
function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-pid, signal);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}
