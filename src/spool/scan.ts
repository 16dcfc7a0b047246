/**
 * Finds what waits in the outboxes. Costs one `lstat` for each outbox where nothing changed. One that
 * holds more than a pass takes is listed once for many passes, and each costs what it takes of it.
 */
import { join } from 'node:path';
import { AnchoredPaths } from '../hive/anchored-paths.ts';
import type { FileStat, HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import type { AgentId } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import { type Backlog, isFresh, takeNext } from './backlog.ts';

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
  /** There are letters that were listed and not looked at yet. */
  more: boolean;
}

/** How far a scan goes. */
export interface ScanLimits {
  /** Most names of one outbox that are put in order. */
  sortedNames: number;
  /** Most letters of one outbox that a pass takes. One more is looked for, to see that there are more. */
  lettersPerSender: number;
}

interface Listing extends Backlog {
  /** What is no letter, as it was seen then. */
  strays: readonly Stray[];
  overfull: boolean;
}

interface OutboxState {
  mtimeNs: bigint;
  /** When this mtime was first seen, monotonic. */
  sinceMs: number;
  /** Something in it is not done with, so it is listed again whatever its mtime says. */
  pending: boolean;
  backlog?: Listing | undefined;
  /** Names that a pass found and could not take: still written, or refused by the machine. */
  stayed: Set<string>;
}

/** An outbox as it is listed. */
interface ListedOutbox {
  agent: AgentId;
  /** Path that leads to the directory itself. */
  outbox: string;
}

/** A scan under way. */
interface Scan {
  limits: ScanLimits;
  nowMs: number;
  result: ScanResult;
}

/** A directory's mtime can stand still for a change within its resolution; later changes always show. */
const MTIME_TRUST_MS = 2000;

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
   * @param nowMs - monotonic
   */
  scan(agents: readonly AgentId[], limits: ScanLimits, nowMs: number): ScanResult {
    const result = emptyResult();
    const perAgent: Candidate[][] = [];
    this.#turn = agents.length === 0 ? 0 : (this.#turn + 1) % agents.length;
    for (const agent of [...agents.slice(this.#turn), ...agents.slice(0, this.#turn)]) {
      try {
        if (this.#isUnchanged(agent, nowMs, result)) continue;
        perAgent.push(this.#open(agent, { limits, nowMs, result }));
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

  /** Tells that a letter was found and could not be taken, so that it stands in no other's way. */
  passOver({ agent, name }: Pick<Candidate, 'agent' | 'name'>): void {
    this.#states.get(agent)?.stayed.add(name);
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
      const before = state ?? { stayed: new Set<string>() };
      const seen = { mtimeNs: stat.mtimeNs, sinceMs: nowMs, pending: false };
      this.#states.set(agent, { ...before, ...seen });
      return false;
    }
    const skip = !state.pending && nowMs - state.sinceMs > MTIME_TRUST_MS;
    state.pending = false;
    return skip;
  }

  #open(agent: AgentId, scan: Scan): Candidate[] {
    using paths = new AnchoredPaths(this.#fs, this.#layout);
    const place = { agent, outbox: paths.of(agent, 'outbox') };
    const { backlog } = this.#states.get(agent) ?? {};
    if (backlog !== undefined && isFresh(backlog, scan.nowMs)) {
      scan.result.strays.push(...backlog.strays);
      return this.#takeFrom(backlog, place, scan);
    }
    return this.#list(place, scan);
  }

  #list(place: ListedOutbox, scan: Scan): Candidate[] {
    const { limits, nowMs, result } = scan;
    const { sortedNames } = limits;
    const names = this.#fs.list(place.outbox, sortedNames + 1);
    this.#forgetGone(place.agent, names);
    if (names.length <= sortedNames) {
      const before = result.strays.length;
      const letters = this.#look(place, names, result).sort(byTimeWritten);
      if (letters.length <= limits.lettersPerSender) return this.#end(place, letters);
      const listed = { names: letters.map(({ name }) => name), overfull: false };
      const strays = result.strays.slice(before);
      return this.#takeFrom({ ...listed, strays, listedAtMs: nowMs }, place, scan);
    }
    const some = names.filter(hasLetterName);
    const letters = some.length > 0 ? some : this.#fs.list(place.outbox).filter(hasLetterName);
    const listed = { names: letters, strays: [], overfull: true };
    return this.#takeFrom({ ...listed, listedAtMs: nowMs }, place, scan);
  }

  /** Looks at the next letters of a backlog; once its end is reached, the outbox is listed again. */
  #takeFrom(backlog: Listing, place: ListedOutbox, { limits, result }: Scan): Candidate[] {
    const { agent } = place;
    if (backlog.overfull) result.overfull.push(agent);
    const look = (name: string): Candidate | undefined => {
      const stat = this.#stat(place, name, result);
      return stat === undefined || stat.kind === 'directory' ? undefined : { agent, name, stat };
    };
    const stayed = this.#states.get(agent)?.stayed ?? new Set();
    const most = limits.lettersPerSender + 1;
    const { found, left } = takeNext(backlog, look, { stayed, most });
    if (left === undefined) return this.#end(place, found);
    const state = this.#states.get(agent);
    if (state !== undefined) state.backlog = { ...backlog, names: left };
    this.keepPending(agent);
    result.more = true;
    return found;
  }

  #end({ agent }: ListedOutbox, found: Candidate[]): Candidate[] {
    const state = this.#states.get(agent);
    if (state !== undefined) state.backlog = undefined;
    return found;
  }

  #forgetGone(agent: AgentId, names: readonly string[]): void {
    const state = this.#states.get(agent);
    if (state === undefined || state.stayed.size === 0) return;
    const here = new Set(names);
    state.stayed = new Set([...state.stayed].filter((name) => here.has(name)));
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
  return { candidates: [], strays: [], trouble: [], broken: [], overfull: [], more: false };
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
