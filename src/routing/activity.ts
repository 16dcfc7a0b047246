/**
 * What a hive has been doing lately, told from the rows of its log: when each agent was last heard of and
 * last wrote, and how many letters pass. Bounded by the number of agents, and by an hour.
 */
import type { LogRow } from '../protocol/event.ts';

/** When something was seen of an agent; ISO 8601, UTC. */
export interface LastSigns {
  /** It wrote, handled a letter, or a hook of its session told of mail. */
  seen?: string;
  /** It wrote a letter, whatever became of it. */
  sent?: string;
}

/** What passed within a time. */
export interface Passed {
  /** Letters that got their outcome. */
  letters: number;
  /** Inboxes that one of them, or a late or released copy, reached. */
  copies: number;
}

/** How much passes. */
export interface Rates {
  /** Within the last minute, begun ones included. */
  minute: Passed;
  /** Within the last hour. */
  hour: Passed;
}

const MINUTE_MS = 60_000;
const STEP_MS = 10_000;
const STEPS = 360;

/** See the head of this file. */
export class Activity {
  readonly #signs = new Map<string, LastSigns>();
  /** By the number of the ten seconds they fell into. */
  readonly #steps = new Map<number, Passed>();

  /** Notes a row. */
  note(row: LogRow): void {
    const { kind, from, to = [], ts, at = ts } = row;
    if (kind === 'letter' && from !== undefined) this.#sign(from, { seen: ts, sent: ts });
    if (kind === 'needs-human' && from !== undefined) this.#sign(from, { seen: at });
    // What was removed was perhaps not removed by the agent.
    const isOwn = kind === 'announced' || (kind === 'handled' && row.note === undefined);
    if (isOwn) for (const agent of to) this.#sign(agent, { seen: at });
    if (PASSING.has(kind)) this.#count(row);
  }

  /** Tells when something was last seen of an agent. */
  lastSigns(agent: string): LastSigns {
    return this.#signs.get(agent) ?? {};
  }

  /**
   * Tells how much passes.
   * @param nowMs - milliseconds since the epoch
   */
  rates(nowMs: number): Rates {
    const minute: Passed = { letters: 0, copies: 0 };
    const hour: Passed = { letters: 0, copies: 0 };
    const last = Math.floor(nowMs / STEP_MS);
    for (const [step, { letters, copies }] of this.#steps) {
      for (const [passed, steps] of [
        [minute, MINUTE_MS / STEP_MS],
        [hour, STEPS],
      ] as const) {
        if (step > last - steps && step <= last) {
          passed.letters += letters;
          passed.copies += copies;
        }
      }
    }
    return { minute, hour };
  }

  #sign(agent: string, signs: LastSigns): void {
    const known = this.#signs.get(agent) ?? {};
    const seen = latest(known.seen, signs.seen);
    const sent = latest(known.sent, signs.sent);
    this.#signs.set(agent, {
      ...(seen === undefined ? {} : { seen }),
      ...(sent === undefined ? {} : { sent }),
    });
  }

  #count({ kind, ts, delivered = [] }: LogRow): void {
    const step = Math.floor(Date.parse(ts) / STEP_MS);
    const passed = this.#steps.get(step) ?? { letters: 0, copies: 0 };
    passed.letters += kind === 'letter' ? 1 : 0;
    passed.copies += delivered.length;
    this.#steps.set(step, passed);
    if (this.#steps.size <= STEPS) return;
    const [oldest] = this.#steps.keys();
    if (oldest !== undefined) this.#steps.delete(oldest);
  }
}

const PASSING: ReadonlySet<string> = new Set(['letter', 'late', 'release']);

function latest(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a > b ? a : b;
}
