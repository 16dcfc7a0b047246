import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import type { AgentId } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';

/** How often a doorbell is looked at, at the most; some at a time, so that no pass pays for all. */
const EVERY_MS = 5000;
const LEAST_GAP_MS = 1000;
/** Agents without a doorbell that are looked at again in one go: one may have been put up. */
const NEWCOMERS = 8;
/** See the same figure of the outboxes: later changes of a directory always show in its mtime. */
const MTIME_TRUST_MS = 2000;

interface Seen {
  /** The system's code where it could not be told. */
  mtimeNs: bigint | string;
  /** When this mtime was first seen, monotonic. */
  sinceMs: number;
  /** Something in it is not done with. */
  again: boolean;
}

/** A doorbell that there is something to say of. */
export interface Look {
  agent: AgentId;
  /** Its events may have changed; false when it is gone. */
  isThere: boolean;
  /** The system's error code, where it could not even be looked at. */
  problem?: string;
}

interface Files {
  fs: HiveFs;
  layout: HiveLayout;
}

/**
 * Says whose doorbell is to be looked into now. Costs one `lstat` for each doorbell in five seconds, and a
 * few more for agents that have none, however short the passes are.
 */
export class DoorbellRounds {
  readonly #seen = new Map<AgentId, Seen>();
  #lastMs = Number.NEGATIVE_INFINITY;
  #turn = 0;
  #newcomer = 0;

  /**
   * Picks the agents whose events may have changed.
   * @param nowMs - monotonic
   */
  due(files: Files, agents: readonly AgentId[], nowMs: number): Look[] {
    const passedMs = nowMs - this.#lastMs;
    if (passedMs < LEAST_GAP_MS || agents.length === 0) return [];
    const isFirst = this.#lastMs === Number.NEGATIVE_INFINITY;
    this.#lastMs = nowMs;
    const known = agents.filter((agent) => this.#seen.has(agent));
    const others = agents.filter((agent) => !this.#seen.has(agent));
    const share = Math.ceil((known.length * Math.min(passedMs, EVERY_MS)) / EVERY_MS);
    const picked = [
      ...turnOf(known, this.#turn, share),
      ...turnOf(others, this.#newcomer, isFirst ? others.length : NEWCOMERS),
    ];
    this.#turn += share;
    this.#newcomer += NEWCOMERS;
    if (this.#seen.size > known.length) this.#keepOnly(new Set(known));
    return picked.flatMap((agent) => this.#look(files, agent, nowMs) ?? []);
  }

  /** Has an agent looked at again, although nothing may have changed by then. */
  lookAgain(agent: AgentId): void {
    const seen = this.#seen.get(agent);
    if (seen !== undefined) seen.again = true;
  }

  #keepOnly(agents: ReadonlySet<AgentId>): void {
    for (const agent of this.#seen.keys()) if (!agents.has(agent)) this.#seen.delete(agent);
  }

  #look({ fs, layout }: Files, agent: AgentId, nowMs: number): Look | undefined {
    const seen = this.#seen.get(agent);
    const mtimeNs = mtimeOf(fs, layout.agent(agent).doorbellEvents);
    if (mtimeNs === undefined) {
      this.#seen.delete(agent);
      return seen === undefined ? undefined : { agent, isThere: false };
    }
    if (seen === undefined || seen.mtimeNs !== mtimeNs) {
      this.#seen.set(agent, { mtimeNs, sinceMs: nowMs, again: false });
      return lookOf(agent, mtimeNs);
    }
    const { again } = seen;
    seen.again = false;
    const isDue = again || nowMs - seen.sinceMs <= MTIME_TRUST_MS + EVERY_MS;
    return isDue || typeof mtimeNs === 'string' ? lookOf(agent, mtimeNs) : undefined;
  }
}

function lookOf(agent: AgentId, mtimeNs: bigint | string): Look {
  const look = { agent, isThere: true };
  return typeof mtimeNs === 'string' ? { ...look, problem: mtimeNs } : look;
}

/** Reads a directory's mtime; nothing when it is missing, the system's code when it can't be told. */
function mtimeOf(fs: HiveFs, path: string): bigint | string | undefined {
  try {
    return fs.stat(path)?.mtimeNs;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return code === 'ENOTDIR' ? undefined : code;
  }
}

/** Picks some in turn: those that follow on the ones picked last, and from the beginning again. */
export function turnOf<Each>(all: readonly Each[], from: number, count: number): Each[] {
  if (all.length === 0) return [];
  const at = from % all.length;
  return [...all.slice(at), ...all.slice(0, at)].slice(0, count);
}
