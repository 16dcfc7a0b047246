/**
 * Sees which of the hive's small files have changed. Nobody tells of it, so they are looked at, those of
 * some agents at a time: a look is an `lstat` and nothing else, and no look is worth more than 40 agents
 * a second, however many there are.
 *
 * A file whose last change is not long past is given out once more at the version that it already had: what
 * changed within one tick of the file system's clock after it was read is given out too.
 */
import { versionOf } from '../hive/file-version.ts';
import type { FileStat, HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import type { AgentId } from '../protocol/addresses.ts';
import type { Clock } from '../protocol/clock.ts';
import { systemCode } from '../protocol/errors.ts';
import { agentStateFiles, type StateFile, sharedStateFiles } from './state-files.ts';

/** How often a file is looked at when there are few. */
const ROUND_MS = 5000;
const AGENTS_A_SECOND = 40;
/** A file that is written all the time is recorded at this rate at the most: 256 kB each minute. */
const BYTES_A_MS = 4;

/**
 * A change longer ago than this was over when the file was looked at, by the clock of whatever machine
 * keeps it; so a router that starts reads a thousand old files once and not twice.
 */
const LONG_PAST_MS = 60_000;

interface Seen {
  version: string;
  /** Read after its last change for certain, once what was given out has been read. */
  settled: boolean;
  /** Not given out again before, monotonic. */
  restsUntilMs: number;
}

interface Version {
  version: string;
  sizeBytes: number;
  /** Its last change is long past. */
  isOld: boolean;
}

/** See the head of this file. */
export class StateWatch {
  readonly #fs: HiveFs;
  readonly #layout: HiveLayout;
  readonly #clock: Clock;
  readonly #seen = new Map<string, Seen>();
  readonly #changed = new Map<string, StateFile>();
  #due = 0;
  #next = 0;
  #sharedAtMs = Number.NEGATIVE_INFINITY;
  #lookedAtMs: number | undefined;

  constructor({ fs, layout, clock }: { fs: HiveFs; layout: HiveLayout; clock: Clock }) {
    this.#fs = fs;
    this.#layout = layout;
    this.#clock = clock;
  }

  /** How many files have changed and were not taken yet. */
  get waiting(): number {
    return this.#changed.size;
  }

  /** Looks at the files whose turn it is. */
  look(agents: readonly AgentId[]): void {
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#sharedAtMs >= ROUND_MS) {
      this.#sharedAtMs = nowMs;
      for (const file of sharedStateFiles(this.#layout)) this.#lookAt(file, nowMs);
    }
    const passedMs = Math.min(nowMs - (this.#lookedAtMs ?? nowMs), ROUND_MS);
    this.#lookedAtMs = nowMs;
    const aSecond = Math.min(AGENTS_A_SECOND, (agents.length * 1000) / ROUND_MS);
    this.#due += (passedMs * aSecond) / 1000;
    for (; this.#due >= 1; this.#due--) {
      const agent = agents[this.#next++ % agents.length];
      if (agent !== undefined) this.#lookAtAgent(agent, nowMs);
    }
  }

  /** Looks at all files, also at those that rest: before the router ends. */
  lookAtAll(agents: readonly AgentId[]): void {
    const nowMs = Number.POSITIVE_INFINITY;
    for (const file of sharedStateFiles(this.#layout)) this.#lookAt(file, nowMs);
    for (const agent of agents) this.#lookAtAgent(agent, nowMs);
  }

  /** Takes some of the files that have changed. */
  take(most: number): StateFile[] {
    const taken = [...this.#changed.values()].slice(0, most);
    for (const { name } of taken) this.#changed.delete(name);
    return taken;
  }

  /** Has files that were taken given out again, at once. */
  putBack(files: readonly StateFile[]): void {
    for (const file of files) this.#changed.set(file.name, file);
  }

  /** Has every file given out again when its turn comes. */
  forgetAll(): void {
    this.#seen.clear();
  }

  /** Has a file given out again when its turn comes, whatever its version is then. */
  forget({ name }: StateFile): void {
    this.#seen.delete(name);
  }

  #lookAtAgent(agent: AgentId, nowMs: number): void {
    for (const file of agentStateFiles(this.#layout, agent)) this.#lookAt(file, nowMs);
  }

  #lookAt(file: StateFile, nowMs: number): void {
    const seen = this.#seen.get(file.name);
    if (seen !== undefined && nowMs < seen.restsUntilMs) return;
    const { version, sizeBytes, isOld } = this.#version(file);
    const isSame = seen?.version === version;
    if (isSame && seen.settled) return;
    const restsUntilMs = Math.min(nowMs, Number.MAX_SAFE_INTEGER) + sizeBytes / BYTES_A_MS;
    this.#seen.set(file.name, { version, settled: isSame || isOld, restsUntilMs });
    this.#changed.set(file.name, file);
  }

  /** What can't be looked at is given out, so that reading it tells why. */
  #version({ file, mostBytes }: StateFile): Version {
    try {
      const stat = this.#fs.stat(file);
      const sizeBytes = Math.min(stat?.sizeBytes ?? 0, mostBytes);
      return { version: versionOf(stat), sizeBytes, isOld: this.#isOld(stat) };
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      return { version: code, sizeBytes: 0, isOld: false };
    }
  }

  #isOld(stat: FileStat | undefined): boolean {
    if (stat === undefined) return false;
    return this.#clock.now() - Number(stat.ctimeNs / 1_000_000n) > LONG_PAST_MS;
  }
}
