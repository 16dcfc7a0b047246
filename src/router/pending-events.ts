import type { HiveEvent } from '../protocol/event.ts';

/** Rows that wait at once; beyond this many the oldest are given up. */
const MOST_WAITING = 1000;

/**
 * Rows that belong to no batch and wait to be written. On a machine that lets nothing be written they come
 * in for as long as it lasts, so only the newest are kept; how many were given up is counted, and told in
 * a row of its own as soon as one can be written.
 */
export class PendingEvents {
  #events: HiveEvent[] = [];
  #lost = 0;

  /** Adds rows, in their order. */
  push(...events: readonly HiveEvent[]): void {
    this.#events.push(...events);
    this.#trim();
  }

  /** Takes all of them out, to be written now. */
  take(): TakenEvents {
    const taken = { events: this.#events, lost: this.#lost };
    this.#events = [];
    this.#lost = 0;
    return taken;
  }

  /** Puts back what could not be written, before what has come meanwhile. */
  putBack({ events, lost }: TakenEvents): void {
    this.#events = [...events, ...this.#events];
    this.#lost += lost;
    this.#trim();
  }

  /** How many wait. */
  get length(): number {
    return this.#events.length;
  }

  /** How many were given up and not told of yet. */
  get lost(): number {
    return this.#lost;
  }

  #trim(): void {
    const beyond = this.#events.length - MOST_WAITING;
    if (beyond <= 0) return;
    this.#events.splice(0, beyond);
    this.#lost += beyond;
  }
}

/** Rows on their way to the log. */
export interface TakenEvents {
  events: readonly HiveEvent[];
  /** How many were given up before them. */
  lost: number;
}

/** The rows to write for what was taken out: first the one that tells of those given up. */
export function rowsFor({ events, lost }: TakenEvents): HiveEvent[] {
  if (lost === 0) return [...events];
  const note = `${lost} rows could not be written here and were given up. None was of a letter.`;
  return [{ kind: 'warning', code: 'rows-lost', note }, ...events];
}
