/**
 * The history at work: takes batches from the queue and has git record them, apart from delivery.
 *
 * Invariants: one git child of ours at a time; a queue file goes only once git holds its batch; no
 * failure here throws into the router or reaches the mail. What git is told stands in recorder.ts;
 * what stands in `hive/.git` in repository.ts.
 */
import type { HiveFs } from '../hive/hive-fs.ts';
import { type Clock, toTimestamp } from '../protocol/clock.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';
import { Backoff } from './backoff.ts';
import { compactPacks } from './compact.ts';
import { Gathering, type GatherTimes } from './gathering.ts';
import { type HistoryPlace, type HistoryReport, prepareHistory } from './prepare.ts';
import { listQueue, type QueueGroup, readGroup } from './queue.ts';
import { type Repository, recordBatches } from './recorder.ts';
import { settlesWithin } from './settles-within.ts';

const COMPACT_RETRY_MS = 600_000;
const FLUSH_MS = 10_000;
const CLOSE_MS = 10_000;
const COUNTED_MOST = 10_000;

/** What the history of a hive takes from outside. */
export interface HistoryOptions {
  layout: HistoryPlace;
  clock: Clock;
  fs: HiveFs;
  /** Told of what should be known; of a failure that lasts, once. */
  onProblem?: (report: HistoryReport) => void;
  /** Absolute path of git; looked up on `PATH` when missing. */
  gitPath?: string;
  /** The environment to look git up in; the process's own by default. */
  env?: NodeJS.ProcessEnv;
  /** How long a nudge waits for more to record with it; not at all by default. */
  gather?: GatherTimes;
  /** How long closing waits for a recording in progress before it ends it, in milliseconds. */
  closeMs?: number;
}

/** How the history stands. */
export interface HistoryState {
  /** False while the last attempt failed. */
  ok: boolean;
  /** Batches not yet recorded; counted up to 10 000. */
  behind: number;
  /** Why it is not ok, and what to do: a sentence. */
  problem?: string;
  gitVersion?: string;
  /** ISO 8601, UTC. */
  lastRecordedAt?: string;
}

/** Bounds of a flush. */
export interface FlushOptions {
  /** 10 s by default. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** The history of an open hive. Closing it leaves nothing of git running. */
export interface History extends AsyncDisposable {
  /** Has what waits recorded soon, unless a failure is too recent. Never throws. */
  nudge(): void;
  /**
   * Records what waits, at once even after a failure.
   * @returns whether the queue is empty; false also when time is up or the signal says so
   */
  flush(options?: FlushOptions): Promise<boolean>;
  state(): HistoryState;
}

/**
 * Opens the history of a hive and begins to record what waits. Returns at once: git's troubles show
 * in the state, and mail flows without it.
 */
export async function openHistory(options: HistoryOptions): Promise<History> {
  const history = new QueueHistory(options);
  history.nudge();
  return history;
}

class QueueHistory implements History {
  readonly #options: HistoryOptions;
  readonly #closing = new AbortController();
  readonly #backoff: Backoff;
  readonly #gathering: Gathering | undefined;
  #compacting: AbortController | undefined;
  #repository: Repository | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #closed = false;
  #compactAt = Number.NEGATIVE_INFINITY;
  #prepared = false;
  #problem: string | undefined;
  #reported: string | undefined;
  #gitVersion: string | undefined;
  #lastRecordedAt: string | undefined;

  constructor(options: HistoryOptions) {
    this.#options = options;
    const { clock, gather } = options;
    this.#backoff = new Backoff(clock);
    this.#gathering = gather && new Gathering(gather, clock, () => this.#start());
  }

  nudge(): void {
    if (this.#running !== undefined) this.#again = true;
    else if (this.#closed || !this.#backoff.isOver()) return;
    else if (this.#gathering === undefined) this.#start();
    else this.#gathering.add();
  }

  async flush({ timeoutMs = FLUSH_MS, signal }: FlushOptions = {}): Promise<boolean> {
    this.#compacting?.abort();
    await settlesWithin(this.#recordNow(), timeoutMs, signal);
    return this.#count().behind === 0;
  }

  state(): HistoryState {
    const { behind, problem } = this.#count();
    return {
      ok: problem === undefined,
      behind,
      ...(problem === undefined ? {} : { problem }),
      ...(this.#gitVersion === undefined ? {} : { gitVersion: this.#gitVersion }),
      ...(this.#lastRecordedAt === undefined ? {} : { lastRecordedAt: this.#lastRecordedAt }),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#gathering?.cancel();
    this.#compacting?.abort();
    if (await settlesWithin(this.#running, this.#options.closeMs ?? CLOSE_MS)) return;
    this.#closing.abort(new HivemailError('timeout', 'The hive is closed; git was ended.'));
    await this.#running;
  }

  /** Records what waits at this moment, whatever is under way. */
  async #recordNow(): Promise<void> {
    await this.#running;
    this.#start();
    await this.#running;
  }

  #start(): void {
    this.#gathering?.cancel();
    if (this.#closed) return;
    this.#running ??= this.#run();
  }

  /** Never rejects: nobody awaits a nudge. */
  async #run(): Promise<void> {
    this.#again = false;
    try {
      await this.#recordAll();
      this.#succeed();
      if (!this.#again && !this.#closed) await this.#compact();
    } catch (error) {
      this.#fail(error);
    } finally {
      // With no await before the look at `again`: a nudge between the two would be lost.
      this.#running = undefined;
      if (this.#again) this.nudge();
    }
  }

  async #recordAll(): Promise<void> {
    const { fs, layout } = this.#options;
    const repository = await this.#prepare();
    const stuck = new Map<string, unknown>();
    const list = (): string[] =>
      listQueue(fs, layout.historyQueue).filter((name) => !stuck.has(name));
    for (let names = list(); names.length > 0 && !this.#closed; ) {
      const group = readGroup(fs, layout.historyQueue, names);
      await this.#record(repository, group);
      for (const { name, error } of [...group.failed, ...this.#moveUnreadable(group)]) {
        stuck.set(name, error);
      }
      names = names.slice(group.taken.length);
      if (names.length === 0) names = list();
    }
    for (const error of stuck.values()) throw error;
  }

  async #prepare(): Promise<Repository> {
    const { clock, layout, fs, gitPath, env } = this.#options;
    if (this.#repository === undefined) {
      this.#repository = await prepareHistory({
        layout,
        fs,
        gitPath,
        env,
        now: clock.now(),
        first: !this.#prepared,
        signal: this.#closing.signal,
        report: (report) => this.#report(report),
      });
      this.#prepared = true;
      this.#gitVersion = this.#repository.git.version;
    }
    return this.#repository;
  }

  async #record(repository: Repository, group: QueueGroup): Promise<void> {
    if (group.batches.length > 0) {
      const { recorded } = await recordBatches(repository, group.batches, this.#closing.signal);
      if (recorded > 0) this.#lastRecordedAt = toTimestamp(this.#options.clock.now());
    }
    for (const path of group.paths) this.#unlink(path);
  }

  #unlink(path: string): void {
    try {
      this.#options.fs.unlink(path);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
    }
  }

  #moveUnreadable({ unreadable }: QueueGroup): QueueGroup['failed'] {
    const { fs, layout } = this.#options;
    const failed: QueueGroup['failed'] = [];
    for (const name of unreadable) {
      const path = `${layout.historyQueue}/${name}`;
      try {
        fs.rename(path, `${path}.unreadable`);
        const sentence = `${path} holds no batch and is not in the history. It is kept as ${name}.unreadable.`;
        this.#report({ kind: 'unreadable-batch', sentence });
      } catch (error) {
        failed.push({ name, error });
      }
    }
    return failed;
  }

  async #compact(): Promise<void> {
    const { clock } = this.#options;
    if (this.#repository === undefined || clock.monotonic() < this.#compactAt) return;
    this.#compacting = new AbortController();
    const { signal } = this.#compacting;
    try {
      await compactPacks(this.#repository, { signal });
    } catch (error) {
      if (signal.aborted) return;
      this.#compactAt = clock.monotonic() + COMPACT_RETRY_MS;
      const sentence = `The history's packs could not be joined; it grows slower to write. ${messageOf(error)}`;
      this.#report({ kind: 'compacting-failed', sentence, cause: error });
    } finally {
      this.#compacting = undefined;
    }
  }

  #succeed(): void {
    this.#backoff.succeed();
    this.#problem = undefined;
    this.#reported = undefined;
  }

  /** Looks at everything anew next time: git may be installed by then, the repository gone. */
  #fail(error: unknown): void {
    this.#repository = undefined;
    this.#backoff.fail();
    if (this.#closing.signal.aborted) return;
    this.#problem = messageOf(error);
    if (this.#reported === this.#problem) return;
    this.#reported = this.#problem;
    this.#report({ kind: 'recording-failed', sentence: this.#problem, cause: error });
  }

  #report(report: HistoryReport): void {
    try {
      this.#options.onProblem?.(report);
    } catch {
      // A listener that throws is its own trouble and must not stop the recording.
      return;
    }
  }

  #count(): Pick<HistoryState, 'behind' | 'problem'> {
    const { fs, layout } = this.#options;
    const problem = this.#problem === undefined ? {} : { problem: this.#problem };
    try {
      return { behind: listQueue(fs, layout.historyQueue, COUNTED_MOST).length, ...problem };
    } catch (error) {
      // Not known to be empty, so not up to date.
      return { behind: 1, problem: messageOf(error) };
    }
  }
}

function messageOf(error: unknown): string {
  if (error instanceof HivemailError) return error.message;
  const code = systemCode(error) ?? 'unknown error';
  return `The history could not be written (${code}). Mail still flows; the history catches up.`;
}
