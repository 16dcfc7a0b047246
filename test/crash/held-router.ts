/**
 * The built program in a process of its own, loaded and waiting, and strace on one thread of it. Loading
 * takes most of a run, and under strace several times that; here nobody traces it, and a process that
 * came through a fault serves for the next one.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import { scrubbedEnvironment } from '../clients/environment.ts';

const PROGRAM = join(import.meta.dirname, 'held-program.mjs');
const DIST = join(import.meta.dirname, '../../dist');
const LIMIT_MS = 90_000;

/**
 * Exit codes of a run that came to its own end: with something red, as the inbox of the scene that is a
 * file, it is 6.
 */
const ENDED: readonly (number | undefined)[] = [0, 6];

/** Tells whether a program came to its own end, so that it serves for another run. */
export function hasEnded(exitCode: number | undefined): boolean {
  return ENDED.includes(exitCode);
}

/** See the head of this file. Disposing of it ends it. */
export class HeldRouter implements AsyncDisposable {
  readonly pid: number;
  /** Its threads, oldest first: the main one, those of the engine, the one of libuv's pool. */
  readonly threads: readonly number[];
  readonly #child: ChildProcess;
  readonly #answers: Answers;
  readonly #printed: () => string;

  private constructor(child: ChildProcess, answers: Answers, threads: readonly number[]) {
    this.#child = child;
    this.#answers = answers;
    this.pid = child.pid as number;
    this.threads = threads;
    this.#printed = collect(child.stderr as Readable);
  }

  /**
   * Starts one.
   * @param dist - where the program is; the build unless it is a changed copy
   */
  static async start(dist = DIST): Promise<HeldRouter> {
    // Calls are counted for each thread, so the pool has one.
    const env = scrubbedEnvironment({ HOME: '/nonexistent', UV_THREADPOOL_SIZE: '1' });
    const stdio = ['ignore', 'ignore', 'pipe', 'pipe'] as const;
    const child = spawn(process.execPath, [PROGRAM, dist], { env, stdio: [...stdio] });
    const answers = new Answers(child, child.stdio[3] as Duplex);
    const first = await answers.next();
    if (first?.threads === undefined) throw new Error('The built program can not be loaded.');
    return new HeldRouter(child, answers, byAge(first.threads, child.pid as number));
  }

  /** Whether it can still be told anything. */
  get lives(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** What it has printed on stderr. */
  get stderr(): string {
    return this.#printed();
  }

  /** Runs a command line. Returns its exit code; nothing when the process was killed meanwhile. */
  async run(args: readonly string[]): Promise<number | undefined> {
    (this.#child.stdio[3] as Duplex).write(JSON.stringify(args));
    return (await this.#answers.next())?.exitCode;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#answers.closed;
  }
}

/** Orders threads by age: their numbers rise from that of the main one on, and begin anew at the highest. */
function byAge(threads: readonly number[], main: number): number[] {
  const began = (thread: number): number => (thread < main ? 1 : 0);
  return threads.toSorted((a, b) => began(a) - began(b) || a - b);
}

interface Answer {
  threads?: number[];
  exitCode?: number;
}

/** What a held program answers, one after the other. */
class Answers {
  readonly closed: Promise<void>;
  readonly #lines: Answer[] = [];
  #wake: () => void = () => {};
  #ended = false;

  constructor(child: ChildProcess, socket: Duplex) {
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => {
      const lines = (text + part).split('\n');
      text = lines.pop() ?? '';
      this.#lines.push(...lines.map((line) => JSON.parse(line) as Answer));
      this.#wake();
    });
    // Written to after its other end has died; what that means is told by `closed`.
    socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      child.once('close', () => {
        this.#ended = true;
        this.#wake();
        resolve();
      });
    });
  }

  /** @returns nothing when the program has ended and there will be none */
  async next(): Promise<Answer | undefined> {
    while (this.#lines.length === 0 && !this.#ended) {
      await new Promise<void>((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error('The program does not end.')), LIMIT_MS);
        this.#wake = () => {
          clearTimeout(limit);
          resolve();
        };
      });
    }
    return this.#lines.shift();
  }
}

/** strace on a process. Disposing of it takes it off; what it traced goes on. */
export class Tracer implements AsyncDisposable {
  readonly #strace: ChildProcess;
  readonly #closed: Promise<unknown>;
  readonly #output: string;

  private constructor(strace: ChildProcess, output: string) {
    this.#strace = strace;
    this.#output = output;
    this.#closed = once(strace, 'close');
  }

  /**
   * Puts strace on threads.
   * @param options - `output`: file for what it tells; `args`: what to trace and to inject
   * @throws what strace says when it may not
   */
  static async attach(
    threads: readonly number[],
    { output, args }: { output: string; args: readonly string[] },
  ): Promise<Tracer> {
    const targets = threads.flatMap((thread) => ['-p', `${thread}`]);
    // Not --seccomp-bpf: under strace 6.1 no signal is injected with it.
    const strace = spawn('strace', ['-y', '-s', '160', '-o', output, ...args, ...targets], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const tracer = new Tracer(strace, output);
    await attached(strace, threads.length);
    return tracer;
  }

  /** What it has told so far. */
  told(): string {
    return readFileSync(this.#output, 'latin1');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#strace.kill('SIGINT');
    await this.#closed;
  }
}

/** Waits until strace says of each thread that it is on it. */
async function attached(strace: ChildProcess, threads: number): Promise<void> {
  const told = collect(strace.stderr as Readable);
  await new Promise<void>((resolve, reject) => {
    const fail = (): void => reject(new Error(`strace: ${told()}`));
    strace.once('error', reject).once('close', fail);
    strace.stderr?.on('data', () => {
      if (told().split(' attached').length <= threads) return;
      strace.off('close', fail);
      resolve();
    });
  });
}

function collect(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  return () => text;
}
