/**
 * Has idle sessions woken whose client has a way in from outside: the router asks, an adapter acts, and
 * what it says goes into the log and into what `status` shows.
 *
 * What must hold: no pass waits for a client. Few clients are asked at a time, each for a limited time, and
 * each session by one wake at a time. Whether to wake is decided by what every hook decides by; a wake that
 * was asked for is asked for again only on the ladder of reminders, also by the next router.
 */
import { agentCommand } from '../doorbell/command.ts';
import { decide } from '../doorbell/decide.ts';
import { OWN_LAUNCHER } from '../doorbell/launcher.ts';
import { readDoorbell, type SeenDoorbell } from '../doorbell/read-doorbell.ts';
import type { DoorbellState, Holder } from '../doorbell/state.ts';
import { WAKE_REASONS, type WakeAnswer } from '../doorbell/wake/answer.ts';
import type { Wake } from '../doorbell/wake/call.ts';
import {
  formatWakes,
  isAskedAgain,
  isCurrent,
  parseWakes,
  type WakeRecord,
} from '../doorbell/wake/records.ts';
import { wakeSession } from '../doorbell/wake/wake.ts';
import { isWakeable } from '../doorbell/wake/ways.ts';
import { wakeLine } from '../doorbell/wake-line.ts';
import { isSameProcessAlive } from '../hive/process-identity.ts';
import { readText } from '../hive/read-text.ts';
import type { AgentId } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import { escapeLine } from '../protocol/escape.ts';
import type { LogRow } from '../protocol/event.ts';
import { turnOf } from './doorbell-rounds.ts';
import { lettersIn } from './fleet.ts';
import type { Router } from './router.ts';

/** How often each session that could be woken is looked at although nothing came; some at a time. */
const ROUND_MS = 5000;
/** Other agents that are looked at in one go: a session may have begun that can be woken. */
const NEWCOMERS = 8;
const LEAST_GAP_MS = 1000;
/** Clients that are asked at a time. */
const MOST_ASKED = 2;
/** So long a client may take. */
const TIMEOUT_MS = 60_000;
const MOST_BYTES = 4 * 1024 * 1024;

/** What of a router wakes are made with. */
export type WakesContext = Pick<
  Router,
  'fs' | 'layout' | 'clock' | 'settings' | 'census' | 'doorbellReader' | 'pendingEvents'
>;

/** How wakes are made. */
export interface WakesOptions {
  /** The environment that clients are looked for and started in. */
  env: NodeJS.ProcessEnv;
  /** Told of what should not happen. */
  onTrouble: (error: unknown) => void;
  /** The adapters; those of the clients when left out. */
  wake?: Wake;
  timeoutMs?: number;
}

/** A session to wake. */
interface DueWake {
  holder: Holder;
  /** Milliseconds since the epoch. */
  idleSince: number;
  mayType: boolean;
}

/** See the head of this file. */
export class DoorbellWakes implements AsyncDisposable {
  readonly #router: WakesContext;
  readonly #options: WakesOptions;
  readonly #records: Map<string, WakeRecord>;
  readonly #due = new Set<string>();
  readonly #asking = new Map<AgentId, Promise<void>>();
  readonly #ending = new AbortController();
  #lookedMs = Number.NEGATIVE_INFINITY;
  /** Agents whose session could be woken from outside, when they were looked at last. */
  readonly #wakeable = new Set<AgentId>();
  #turn = 0;
  #newcomer = 0;
  #version = 0;

  constructor(router: WakesContext, options: WakesOptions) {
    this.#router = router;
    this.#options = options;
    this.#records = readRecords(router);
  }

  /** Counts the changes of what is remembered. */
  get version(): number {
    return this.#version;
  }

  /** The last wake of an agent's session. */
  record(agent: AgentId): WakeRecord | undefined {
    return this.#records.get(agent);
  }

  /** What is remembered, as text for the next router. */
  format(): string {
    return formatWakes(this.#records);
  }

  /** Takes note of deliveries, so that their recipients are looked at first. */
  noteRows(rows: readonly LogRow[]): void {
    for (const { delivered = [] } of rows) for (const agent of delivered) this.#due.add(agent);
  }

  /** Looks at the sessions whose turn it is, and asks for the wakes that are due. Never waits. */
  look(): void {
    const { census, clock } = this.#router;
    if (census === undefined || this.#ending.signal.aborted) return;
    const agents = [...census.roster.agents.values()].filter(
      ({ archived, onHold }) => !archived && !onHold,
    );
    const ids = agents.map(({ id }) => id);
    const due = ids.filter((id) => this.#due.has(id));
    this.#due.clear();
    for (const id of new Set([...due, ...this.#share(ids, clock.monotonic())])) {
      if (this.#asking.size >= MOST_ASKED) this.#due.add(id);
      else this.#lookAt(id);
    }
  }

  /** Ends what is under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#asking.values());
  }

  #share(ids: readonly AgentId[], nowMs: number): AgentId[] {
    const passedMs = nowMs - this.#lookedMs;
    if (passedMs < LEAST_GAP_MS) return [];
    const isFirst = this.#lookedMs === Number.NEGATIVE_INFINITY;
    this.#lookedMs = nowMs;
    const known = ids.filter((id) => this.#wakeable.has(id));
    const others = ids.filter((id) => !this.#wakeable.has(id));
    const share = Math.ceil((known.length * Math.min(passedMs, ROUND_MS)) / ROUND_MS);
    const picked = [
      ...turnOf(known, this.#turn, share),
      ...turnOf(others, this.#newcomer, isFirst ? others.length : NEWCOMERS),
    ];
    this.#turn += share;
    this.#newcomer += NEWCOMERS;
    return picked;
  }

  #lookAt(agent: AgentId): void {
    if (this.#asking.has(agent)) return;
    const due = this.#dueWake(agent);
    if (due === undefined) return;
    const asking = this.#ask(agent, due).finally(() => this.#asking.delete(agent));
    this.#asking.set(agent, asking);
  }

  /** @returns the session to wake, if a wake is due */
  #dueWake(agent: AgentId): DueWake | undefined {
    const { fs, layout, clock, doorbellReader } = this.#router;
    try {
      const seen = doorbellReader.read(this.#router, agent, clock.monotonic());
      if (seen === undefined || !isToWake(seen)) {
        this.#wakeable.delete(agent);
        return undefined;
      }
      this.#wakeable.add(agent);
      if (!this.#mayAsk(agent, seen)) return undefined;
      const { holder, activeAt: idleSince } = seen.state;
      const unread = lettersIn(fs, layout.agent(agent).inbox).sort();
      if (holder === undefined || !isDue(seen, unread, clock.now())) return undefined;
      return isForUs(seen.state) ? { holder, idleSince, mayType: seen.tmux } : undefined;
    } catch (error) {
      // What the agent made of its own doorbell; `status` tells.
      if (systemCode(error) === undefined) throw error;
      return undefined;
    }
  }

  /** What can be told without a look into the inbox. */
  #mayAsk(agent: AgentId, { state }: SeenDoorbell): boolean {
    if (state.activity !== 'idle' || state.dialog !== undefined) return false;
    const record = this.#records.get(agent);
    return !isCurrent(record, state) || isAskedAgain(record, this.#router.clock.now());
  }

  async #ask(agent: AgentId, { holder, idleSince, mayType }: DueWake): Promise<void> {
    const { settings, clock } = this.#router;
    const { env, onTrouble, wake = wakeSession, timeoutMs = TIMEOUT_MS } = this.#options;
    try {
      const answer = await wake({
        ...{ holder, mayType, env, timeoutMs, signal: this.#ending.signal },
        ...settings.doorbell,
        line: this.#lineFor(agent),
        current: () => this.#currentOf(agent),
      });
      this.#remember(agent, { holder, idleSince, answer, at: clock.now() });
    } catch (error) {
      if (!this.#ending.signal.aborted) onTrouble(error);
    }
  }

  #currentOf(agent: AgentId): DoorbellState | undefined {
    try {
      return readDoorbell(this.#router.fs, this.#router.layout, agent)?.state;
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return undefined;
    }
  }

  #lineFor(agent: AgentId): string {
    const { PATH } = this.#options.env;
    const { root: hive } = this.#router.layout;
    const command = agentCommand({ hive, agent, env: { PATH }, launcher: OWN_LAUNCHER });
    return escapeLine(wakeLine(agent, command));
  }

  #remember(
    agent: AgentId,
    said: { holder: Holder; idleSince: number; answer: WakeAnswer; at: number },
  ): void {
    const { holder, idleSince, answer, at } = said;
    const { client, session } = holder;
    const before = this.#records.get(agent);
    const isSame = isCurrent(before, { holder, activeAt: idleSince });
    const asked = isSame ? before.asked + 1 : 1;
    this.#records.set(agent, { ...answer, client, session, idleSince, at, asked });
    this.#version += 1;
    // What is still in the way, in this idle time or another, is told once.
    if (answer.result === 'no-way' && before?.why === answer.why) return;
    const note = `${client}: ${WAKE_REASONS[answer.why]}`;
    this.#router.pendingEvents.push({ kind: 'wake', to: [agent], code: answer.result, note });
  }
}

/** Its agent wants to be woken, and there is a way from outside. */
function isToWake({ state, mode, tmux }: SeenDoorbell): boolean {
  const { holder } = state;
  if (mode !== 'continue' || holder?.process === undefined) return false;
  return isWakeable(holder, { tmux });
}

/** The doorbell's own decision, as if a waiter beside the session asked. */
function isDue({ state, mode }: SeenDoorbell, unread: readonly string[], now: number): boolean {
  const { holder } = state;
  if (holder === undefined || unread.length === 0) return false;
  const signal = { moment: 'idle', session: holder.session, subagent: false } as const;
  return decide(state, { signal, holder, unread, mode, now }).ring !== undefined;
}

/** A session that has ended, or that something else waits beside, is not woken from outside. */
function isForUs({ holder, waiter }: DoorbellState): boolean {
  if (holder?.process === undefined || !isSameProcessAlive(holder.process)) return false;
  return waiter === undefined || !isSameProcessAlive(waiter);
}

/** What was in the way may be mended by now; wakes that were queued still are. */
function readRecords({ fs, layout }: WakesContext): Map<string, WakeRecord> {
  try {
    const records = parseWakes(readText(fs, layout.wakes, MOST_BYTES) ?? '');
    return new Map([...records].filter(([, { result }]) => result !== 'no-way'));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return new Map();
  }
}
