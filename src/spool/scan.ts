/**
 * Finds what waits in the outboxes. Costs one `lstat` for each outbox where nothing changed; a huge
 * outbox costs no more than the names it is allowed to sort.
 */
import { join } from 'node:path';
import { AnchoredPaths } from '../hive/anchored-paths.ts';
import type { FileStat, HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import type { AgentId } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';

/** A file in an outbox that may be a letter. */
export interface Candidate {
  agent: AgentId;
  name: string;
  stat: FileStat;
}

/** Something in an outbox that is no letter. */
export interface Stray {
  agent: AgentId;
  name: string;
  stat: FileStat;
  /** A temporary name, as another writer uses it before its rename. */
  temporary: boolean;
}

/** An outbox that could not be listed. */
export interface BrokenOutbox {
  agent: AgentId;
  /** What stands there instead, or the system's error code. */
  problem: string;
}

/** A file the machine would not let us look at, read or move. */
export interface FileTrouble {
  agent: AgentId;
  name: string;
  /** The system's error code. */
  code: string;
}

/** What a scan found. */
export interface ScanResult {
  /** Letters of each sender in the order written, senders round robin. */
  candidates: Candidate[];
  strays: Stray[];
  /** Files that could not even be looked at. */
  trouble: FileTrouble[];
  broken: BrokenOutbox[];
  /** Outboxes that held more names than are sorted. */
  overfull: AgentId[];
}

interface OutboxState {
  mtimeNs: bigint;
  /** When this mtime was first seen, monotonic. */
  sinceMs: number;
  /** Something in it is not done with, so it is listed again whatever its mtime says. */
  pending: boolean;
}

/** An outbox as it is listed. */
interface ListedOutbox {
  agent: AgentId;
  /** Path that leads to the directory itself. */
  outbox: string;
}

/** A directory's mtime can stand still for a change within its resolution; later changes always show. */
const MTIME_TRUST_MS = 2000;

/** How many letters of an overfull outbox are looked at in one pass. */
const MOST_UNSORTED = 500;

/** Scans outboxes, and remembers which of them need no second look. */
export class OutboxScanner {
  readonly #fs: HiveFs;
  readonly #layout: HiveLayout;
  readonly #states = new Map<AgentId, OutboxState>();
  #turn = 0;

  constructor(fs: HiveFs, layout: HiveLayout) {
    this.#fs = fs;
    this.#layout = layout;
  }

  /**
   * Lists the outboxes that may hold something new.
   * @param agents - owners, in any order; each pass another one comes first
   * @param sortedNames - most names of one outbox that are put in order
   * @param nowMs - monotonic
   */
  scan(agents: readonly AgentId[], sortedNames: number, nowMs: number): ScanResult {
    const result = emptyResult();
    const perAgent: Candidate[][] = [];
    this.#turn = agents.length === 0 ? 0 : (this.#turn + 1) % agents.length;
    for (const agent of [...agents.slice(this.#turn), ...agents.slice(0, this.#turn)]) {
      try {
        if (this.#isUnchanged(agent, nowMs, result)) continue;
        perAgent.push(this.#listOutbox(agent, sortedNames, result));
      } catch (error) {
        const problem = systemCode(error);
        if (problem === undefined) throw error;
        result.broken.push({ agent, problem });
        // Its new mtime was seen and what is in it was not.
        this.keepPending(agent);
      }
    }
    result.candidates = interleave(perAgent);
    return result;
  }

  /** Tells that an outbox still holds something that is not done with. */
  keepPending(agent: AgentId): void {
    const state = this.#states.get(agent);
    if (state !== undefined) state.pending = true;
  }

  #isUnchanged(agent: AgentId, nowMs: number, result: ScanResult): boolean {
    const stat = this.#fs.stat(this.#layout.agent(agent).outbox);
    if (stat === undefined || stat.kind !== 'directory') {
      const problem = stat === undefined ? 'missing' : `a ${stat.kind}`;
      result.broken.push({ agent, problem });
      this.#states.delete(agent);
      return true;
    }
    const state = this.#states.get(agent);
    const isNew = state === undefined || state.mtimeNs !== stat.mtimeNs;
    // Asked for only where something changed, since another outbox has another mtime: through a link to
    // the directory of another agent, that agent's letters would be sent in this one's name.
    const home = isNew ? this.#fs.stat(this.#layout.agent(agent).root)?.kind : 'directory';
    if (home !== 'directory') {
      result.broken.push({ agent, problem: `in a ${home ?? 'directory that is missing'}` });
      this.#states.delete(agent);
      return true;
    }
    if (isNew) {
      this.#states.set(agent, { mtimeNs: stat.mtimeNs, sinceMs: nowMs, pending: false });
      return false;
    }
    const skip = !state.pending && nowMs - state.sinceMs > MTIME_TRUST_MS;
    state.pending = false;
    return skip;
  }

  #listOutbox(agent: AgentId, sortedNames: number, result: ScanResult): Candidate[] {
    using paths = new AnchoredPaths(this.#fs, this.#layout);
    const place = { agent, outbox: paths.of(agent, 'outbox') };
    const names = this.#fs.list(place.outbox, sortedNames + 1);
    if (names.length <= sortedNames) {
      return this.#look(place, names, result).sort(byTimeWritten);
    }
    result.overfull.push(agent);
    const letters = names.filter(hasLetterName);
    const some = letters.length > 0 ? letters : this.#fs.list(place.outbox).filter(hasLetterName);
    return this.#look(place, some.slice(0, MOST_UNSORTED), result);
  }

  #look(place: ListedOutbox, names: readonly string[], result: ScanResult): Candidate[] {
    const { agent } = place;
    const candidates: Candidate[] = [];
    for (const name of names) {
      const stat = name.startsWith('.') ? undefined : this.#stat(place, name, result);
      if (stat === undefined) continue;
      if (hasLetterName(name) && stat.kind !== 'directory') {
        candidates.push({ agent, name, stat });
      } else {
        result.strays.push({ agent, name, stat, temporary: isTemporaryName(name) });
      }
    }
    return candidates;
  }

  #stat({ agent, outbox }: ListedOutbox, name: string, result: ScanResult): FileStat | undefined {
    const { trouble } = result;
    try {
      return this.#fs.stat(join(outbox, name));
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      trouble.push({ agent, name, code });
      this.keepPending(agent);
      return undefined;
    }
  }
}

function emptyResult(): ScanResult {
  return { candidates: [], strays: [], trouble: [], broken: [], overfull: [] };
}

function hasLetterName(name: string): boolean {
  return /\.json$/i.test(name) && !name.startsWith('.');
}

function isTemporaryName(name: string): boolean {
  return /\.(tmp|temp|part|partial|swp|swx|bak|lock|crdownload)$|~$|^#.*#$/i.test(name);
}

/** Order is promised for letters of one sender written at least 10 ms apart: mtime, then inode. */
function byTimeWritten(a: Candidate, b: Candidate): number {
  if (a.stat.mtimeNs !== b.stat.mtimeNs) return a.stat.mtimeNs < b.stat.mtimeNs ? -1 : 1;
  if (a.stat.inode === b.stat.inode) return 0;
  return a.stat.inode < b.stat.inode ? -1 : 1;
}

function interleave(perAgent: readonly Candidate[][]): Candidate[] {
  const mixed: Candidate[] = [];
  const longest = Math.max(0, ...perAgent.map((candidates) => candidates.length));
  for (let place = 0; place < longest; place++) {
    for (const candidates of perAgent) {
      const candidate = candidates[place];
      if (candidate !== undefined) mixed.push(candidate);
    }
  }
  return mixed;
}
