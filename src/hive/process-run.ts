import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { HivemailError } from '../protocol/errors.ts';

const STDERR_MOST = 8 * 1024;
const STDOUT_MOST = 16 * 1024 * 1024;
const TERM_GRACE_MS = 2_000;

/**
 * What to write to a program that answers meanwhile.
 * @param output - what it prints; it waits with more until this is read
 */
export type Dialogue = (output: Readable) => AsyncIterable<Uint8Array>;

/** One run of a program: never through a shell, with no environment but the one given. */
export interface ProcessCall {
  /** Absolute path of the program. */
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Written to its standard input, which is then closed. Its output goes to the dialogue alone. */
  dialogue?: Dialogue | undefined;
  /**
   * Ask the dialogue for more only when the program has taken what it was told, so that memory does not
   * grow. Not for one that waits for answers: with both pipes full neither side would go on.
   */
  paced?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /** Infinite for one that waits for whoever reads its output. */
  timeoutMs: number;
  /** Told the pid before a byte of input is written; if it throws, the program is ended. */
  onStart?: ((pid: number) => void) | undefined;
}

/** How a program ended, with what it printed. */
export interface ProcessEnd {
  /** Null when a signal ended it. */
  exitCode: number | null;
  stdout: string;
  /** Cut at 8 KiB. */
  stderr: string;
}

/**
 * Runs a program to its end. It gets a process group of its own: Ctrl-C in the router's terminal
 * then does not kill it half way, and ending it ends what it started as well.
 * @returns how it ended, whatever its exit code; nothing of it runs any more
 * @throws HivemailError `timeout` after `timeoutMs`, `io` for too much output; the signal's reason
 *   on abort; the system's error when the program can't be started
 */
export async function runProcess(call: ProcessCall): Promise<ProcessEnd> {
  call.signal?.throwIfAborted();
  const child = spawn(call.file, [...call.args], {
    cwd: call.cwd,
    env: { ...call.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // Not started: rejects. Without file descriptors to spare it has no streams either.
  if (child.pid === undefined) await closed;
  const ender = new Ender(child.pid);
  const stdout =
    call.dialogue === undefined
      ? collect(child.stdout, STDOUT_MOST, () => ender.end(tooMuch(call)))
      : () => '';
  const stderr = collect(child.stderr, STDERR_MOST, () => undefined);
  // A child that ends early closes its input; its exit code then tells more than this EPIPE.
  child.stdin.on('error', () => undefined);
  const timer = Number.isFinite(call.timeoutMs)
    ? setTimeout(() => ender.end(tooLong(call)), call.timeoutMs)
    : undefined;
  const onAbort = (): void => ender.end(call.signal?.reason);
  call.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await feed(call, child, ender);
    const exitCode = await closed;
    if (ender.ended) throw ender.reason;
    return { exitCode, stdout: stdout(), stderr: stderr() };
  } finally {
    clearTimeout(timer);
    ender.stop();
    call.signal?.removeEventListener('abort', onAbort);
  }
}

/** Signals a process with the group it leads, if it leads one; what is gone already is fine. */
export function signalProcess(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (process.platform === 'win32' || !send(-pid, signal)) send(pid, signal);
}

/** Never throws: it runs in a timer. */
function send(target: number, signal: 'SIGTERM' | 'SIGKILL'): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    // ESRCH: no such process or group. EPERM: a group that has ended but was not reaped (macOS).
    return false;
  }
}

/** A failure here ends the program, and so the call. */
async function feed(
  { onStart, dialogue, paced = false }: ProcessCall,
  child: ChildProcessWithoutNullStreams,
  ender: Ender,
): Promise<void> {
  try {
    if (child.pid !== undefined) onStart?.(child.pid);
    if (dialogue === undefined) return;
    for await (const chunk of dialogue(child.stdout)) {
      const isTaken = child.stdin.write(chunk);
      if (paced && !isTaken) await drained(child.stdin);
    }
  } catch (error) {
    ender.end(error);
  } finally {
    child.stdin.end();
  }
}

/** Settles when a stream takes more, and when it never will. */
async function drained(stream: Writable): Promise<void> {
  await new Promise<void>((resolve) => {
    const events = ['drain', 'close', 'error'];
    const settle = (): void => {
      for (const event of events) stream.off(event, settle);
      resolve();
    };
    if (stream.destroyed || !stream.writableNeedDrain) return resolve();
    for (const event of events) stream.on(event, settle);
  });
}

/** Ends a child once, first politely; the reason becomes the error of the call. */
class Ender {
  ended = false;
  reason: unknown;
  readonly #pid: number | undefined;
  #killTimer: NodeJS.Timeout | undefined;

  constructor(pid: number | undefined) {
    this.#pid = pid;
  }

  end(reason: unknown): void {
    const pid = this.#pid;
    if (this.ended || pid === undefined) return;
    this.ended = true;
    this.reason = reason;
    signalProcess(pid, 'SIGTERM');
    this.#killTimer = setTimeout(() => signalProcess(pid, 'SIGKILL'), TERM_GRACE_MS);
  }

  stop(): void {
    clearTimeout(this.#killTimer);
  }
}

function collect(stream: Readable, most: number, onOverflow: () => void): () => string {
  const chunks: Buffer[] = [];
  let kept = 0;
  stream.on('data', (chunk: Buffer) => {
    const room = most - kept;
    if (chunk.length > room) onOverflow();
    if (room <= 0) return;
    chunks.push(chunk.subarray(0, room));
    kept += Math.min(room, chunk.length);
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

function tooLong(call: ProcessCall): HivemailError {
  return new HivemailError(
    'timeout',
    `${call.file} was ended after ${Math.round(call.timeoutMs / 1000)} s. Look at what it waits for: most often a disk.`,
  );
}

function tooMuch(call: ProcessCall): HivemailError {
  return new HivemailError('io', `${call.file} printed more than can be right and was ended.`);
}
