/**
 * The history at work: takes batches from the queue and has git record them, apart from delivery.
 *
 * Invariants: one git child of ours at a time; a queue file goes only once git holds its batch; no
 * failure here throws into the router or reaches the mail. What git is told stands in recorder.ts;
 * what stands in `hive/.git` in repository.ts.
 */
import { basename } from 'node:path';
import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import type { AgentId } from '../protocol/addresses.ts';
import { type Clock, toTimestamp } from '../protocol/clock.ts';
import { HivemailError } from '../protocol/errors.ts';
import { Backoff } from './backoff.ts';
import { Compaction } from './compact.ts';
import { Gathering, type GatherTimes } from './gathering.ts';
import { type HistoryReport, prepareHistory } from './prepare.ts';
import { listQueue, putAside, type QueueGroup, readGroup, removeRecorded } from './queue.ts';
import { SegmentHistory, type SegmentToRecord } from './record-segment.ts';
import { type Repository, recordBatches } from './recorder.ts';
import { settlesWithin } from './settles-within.ts';
import { StateHistory } from './state-history.ts';
import { troubleOf } from './trouble.ts';

const FLUSH_MS = 10_000;
const CLOSE_MS = 10_000;
const COUNTED_MOST = 10_000;

/** What the history of a hive takes from outside. */
export interface HistoryOptions {
  layout: HiveLayout;
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
   * Looks which of the small files (roster, tasks, plan, what agents say of themselves) have changed, and
   * has them recorded soon. Costs some `lstat`, and nothing of git.
   * @param which - `due`: those whose turn it is, so that each is looked at every few seconds. `all`: every
   *   one, before the router ends
   */
  lookAtState(agents: readonly AgentId[], which: 'due' | 'all'): void;
  /** Has a closed segment of the log recorded soon. It is offered again if it was not. */
  recordSegment(segment: SegmentToRecord): void;
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
  readonly #state: StateHistory;
  readonly #segments = new SegmentHistory();
  readonly #compaction: Compaction;
  #repository: Repository | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #closed = false;
  #prepared = false;
  #problem: string | undefined;
  #reported: string | undefined;
  #gitVersion: string | undefined;
  #lastRecordedAt: string | undefined;

  constructor(options: HistoryOptions) {
    this.#options = options;
    const { clock, gather, fs, layout } = options;
    const report = (told: HistoryReport): void => this.#report(told);
    this.#state = new StateHistory({ fs, layout, clock, report });
    this.#compaction = new Compaction(clock, (cause) => {
      const sentence = `The history's packs could not be joined; it grows slower to write. ${troubleOf(cause)}`;
      this.#report({ kind: 'compacting-failed', sentence, cause });
    });
    this.#backoff = new Backoff(clock);
    this.#gathering = gather && new Gathering(gather, clock, () => this.#start());
  }

  nudge(): void {
    if (this.#running !== undefined) this.#again = true;
    else if (this.#closed || !this.#backoff.isOver()) return;
    else if (this.#gathering === undefined) this.#start();
    else this.#gathering.add();
  }

  lookAtState(agents: readonly AgentId[], which: 'due' | 'all'): void {
    const isWaiting = this.#state.look(agents, which);
    if (isWaiting && this.#running === undefined) this.nudge();
  }

  recordSegment(segment: SegmentToRecord): void {
    this.#segments.offer(segment);
    this.nudge();
  }

  async flush({ timeoutMs = FLUSH_MS, signal }: FlushOptions = {}): Promise<boolean> {
    this.#compaction.abort();
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
    this.#compaction.abort();
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
      if (!this.#again && !this.#closed) await this.#compaction.run(this.#repository);
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
      for (const { name, error } of [...group.failed, ...this.#putAside(group)]) {
        stuck.set(name, error);
      }
      names = names.slice(group.taken.length);
      if (names.length === 0) names = list();
    }
    await this.#recordState(repository);
    for (const error of stuck.values()) throw error;
  }

  async #recordState(repository: Repository): Promise<void> {
    const [now, { signal }] = [this.#options.clock.now(), this.#closing];
    const recorded = await this.#state.record(repository, { signal, goOn: () => !this.#closed });
    if (recorded) this.#lastRecordedAt = toTimestamp(now);
    if (!this.#closed) await this.#segments.record(repository, { now, signal });
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
    removeRecorded(this.#options.fs, group.paths);
  }

  #putAside({ unreadable }: QueueGroup): QueueGroup['failed'] {
    const { fs, layout } = this.#options;
    const { aside, failed } = putAside(fs, layout.historyQueue, unreadable);
    for (const path of aside) {
      const sentence = `${path} holds no batch and is not in the history. It is kept as ${basename(path)}.unreadable.`;
      this.#report({ kind: 'unreadable-batch', sentence });
    }
    return failed;
  }

  #succeed(): void {
    this.#backoff.succeed();
    this.#problem = undefined;
    this.#reported = undefined;
  }

  /** Looks at everything anew next time: git may be installed by then, the repository gone. */
  #fail(error: unknown): void {
    this.#repository = undefined;
    this.#state.forgetRecorded();
    this.#backoff.fail();
    if (this.#closing.signal.aborted) return;
    this.#problem = troubleOf(error);
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
      return { behind: 1, problem: troubleOf(error) };
    }
  }
}
