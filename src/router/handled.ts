/**
 * Sees when letters are handled: moved to `.done` by their recipients, or removed. Agents tell nobody,
 * so inboxes are looked at, each every few seconds, and listed only when they changed.
 *
 * Costs one stat for each agent in five seconds, spread over the passes. What is unhandled is known from
 * the rows of deliveries and from the listings; after a restart from the tail of the log.
 */
import { join } from 'node:path';
import { versionOf } from '../hive/file-version.ts';
import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import type { AgentId } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import type { HiveEvent } from '../protocol/event.ts';
import { isMessageId } from '../protocol/ids.ts';

/** How often each inbox is looked at. */
const ROUND_MS = 5000;
/** Names whose listing costs so much that a round is left out for it. */
const NAMES_A_ROUND = 2000;
/** Rows told of at once. */
const MOST_ROWS = 500;
const ENDING = '.json';
const NONE: ReadonlySet<string> = new Set();

/** What looking takes. */
export interface LookOptions {
  fs: HiveFs;
  layout: HiveLayout;
  /** Whose inboxes there are. */
  agents: readonly AgentId[];
}

interface Inbox {
  /** Ids of letters that were delivered and not yet seen to be gone. */
  unhandled: Set<string>;
  /** Ids of those that lay there when it was listed last, and that no row tells of. */
  others: ReadonlySet<string>;
  /** Which version of the directory was listed last; nothing before the first time. */
  version: string | undefined;
  /** Listed twice at that version: what changed within one tick of the clock is known too. */
  settled: boolean;
  /** Rounds to leave out: a full inbox costs no more than others over time. */
  rests: number;
}

/** See the head of this file. */
export class HandledLetters {
  readonly #inboxes = new Map<string, Inbox>();
  readonly #found: HiveEvent[] = [];
  /** How many of them are left of a round that found more than are told of at once. */
  #left = 0;
  #next = 0;
  #due = 0;
  #lookedAtMs: number | undefined;
  readonly #unseen = new Map<AgentId, string>();

  /** Whose inboxes could not be looked at the last time, each with the system's code. */
  get unseen(): ReadonlyMap<AgentId, string> {
    return this.#unseen;
  }

  /**
   * Tells which letters lie in an inbox, in no order: as it was listed last, with what came since.
   * @returns nothing where it was not listed yet, or can't be
   */
  lying(agent: AgentId): readonly string[] | undefined {
    const inbox = this.#inboxes.get(agent);
    if (inbox?.version === undefined || this.#unseen.has(agent)) return undefined;
    return [...inbox.unhandled, ...inbox.others];
  }

  /** Remembers what a row tells: that letters reached inboxes, or were handled. */
  note({ kind, id, to = [], delivered = [] }: HiveEvent): void {
    if (id === undefined) return;
    if (kind === 'handled') for (const agent of to) this.#inbox(agent).unhandled.delete(id);
    else for (const agent of delivered) this.#expect(agent, id);
  }

  /**
   * Looks at the inboxes whose turn it is.
   * @param nowMs - monotonic
   * @returns rows to be written; those of a round come together, so that they cost one sync, and where
   *   they are too many for that, the rest with the next looks
   */
  look(options: LookOptions, nowMs: number): HiveEvent[] {
    const { agents } = options;
    const passedMs = Math.min(nowMs - (this.#lookedAtMs ?? nowMs), ROUND_MS);
    this.#lookedAtMs = nowMs;
    this.#due += (agents.length * passedMs) / ROUND_MS;
    for (; this.#due >= 1; this.#due--) {
      const agent = agents[this.#next++ % agents.length];
      if (agent !== undefined) this.#lookAt(agent, options);
    }
    if (this.#next >= agents.length) {
      this.#next = 0;
      this.#left = this.#found.length;
    }
    return this.#left > 0 ? this.#take() : [];
  }

  /** Looks at all inboxes, before the router ends. */
  lookAtAll(options: LookOptions): HiveEvent[] {
    for (const agent of options.agents) this.#lookAt(agent, options);
    return this.#take();
  }

  /** The rest is told next time; by the next router what it sees missing then. */
  #take(): HiveEvent[] {
    const taken = this.#found.splice(0, MOST_ROWS);
    this.#left = Math.max(0, this.#left - taken.length);
    return taken;
  }

  #inbox(agent: string): Inbox {
    const known = this.#inboxes.get(agent);
    if (known !== undefined) return known;
    const unhandled = new Set<string>();
    const inbox = { unhandled, others: NONE, version: undefined, settled: false, rests: 0 };
    this.#inboxes.set(agent, inbox);
    return inbox;
  }

  #expect(agent: string, id: string): void {
    const inbox = this.#inbox(agent);
    inbox.unhandled.add(id);
    inbox.settled = false;
  }

  /** Letters of an inbox that can't be looked at are not taken for handled. */
  #lookAt(agent: AgentId, { fs, layout }: LookOptions): void {
    const inbox = this.#inbox(agent);
    if (inbox.rests > 0) return void inbox.rests--;
    const { inbox: dir, done } = layout.agent(agent);
    try {
      const stat = fs.stat(dir);
      this.#unseen.delete(agent);
      const version = versionOf(stat);
      if (stat?.kind !== 'directory' || (inbox.settled && inbox.version === version)) return;
      const lying = idsIn(fs.list(dir));
      // What lies there at first was delivered before; what comes without a row is none of ours.
      if (inbox.version === undefined) for (const id of lying) inbox.unhandled.add(id);
      this.#found.push(...takeGone(inbox, lying).map((id) => rowOf(id, agent, isIn(fs, done, id))));
      inbox.others = new Set([...lying].filter((id) => !inbox.unhandled.has(id)));
      inbox.settled = inbox.version === version;
      inbox.version = version;
      inbox.rests = Math.floor(lying.size / NAMES_A_ROUND);
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      this.#unseen.set(agent, code);
    }
  }
}

function takeGone({ unhandled }: Inbox, lying: ReadonlySet<string>): string[] {
  const gone = [...unhandled].filter((id) => !lying.has(id));
  for (const id of gone) unhandled.delete(id);
  return gone;
}

/** Where that can't be seen, all that is certain is that the letter is no longer in the inbox. */
function isIn(fs: HiveFs, done: string, id: string): boolean {
  try {
    return fs.stat(join(done, `${id}${ENDING}`)) !== undefined;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return true;
  }
}

function rowOf(id: string, agent: AgentId, isDone: boolean): HiveEvent {
  return { kind: 'handled', id, to: [agent], ...(isDone ? {} : { note: 'removed' }) };
}

function idsIn(names: readonly string[]): Set<string> {
  const ids = names
    .filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length));
  return new Set(ids.filter(isMessageId));
}
