/**
 * Letters between agents at work: written as agents write them, and handled as they come. Agents with
 * even numbers write to those after them, so no two take turns and no window of the router's fills.
 */
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { layoutOf } from '../src/hive/layout.ts';
import type { AgentId } from '../src/protocol/addresses.ts';
import { letterText } from './measure.ts';

/** How the agents of a hive behave. */
export interface Behaviour {
  /** Agents `a0`, `a1`, …, as the hive has them; an even number. */
  agents: number;
  /** Whether recipients move what they get to `.done`. */
  handle: boolean;
  /** A letter's text. */
  text?: (to: string, serial: number) => string;
}

const WAVE = 500;
const POLL_MS = 5;
const MOST_MS = 600_000;

/** See the head of this file. */
export class Traffic {
  readonly #hive: string;
  #written = 0;

  constructor(hive: string) {
    this.#hive = hive;
  }

  /** Letters that were written. */
  get written(): number {
    return this.#written;
  }

  /**
   * Writes letters, some hundreds at a time, until all of them are routed.
   * @returns ids of those that were handled first
   */
  async route(letters: number, behaviour: Behaviour): Promise<string[]> {
    const ids: string[] = [];
    for (let left = letters; left > 0; ) {
      const wave = Math.min(WAVE, left);
      for (let count = 0; count < wave; count++) this.#write(behaviour);
      left -= wave;
      await this.#untilWaiting(left > 0 ? WAVE / 2 : 0, behaviour);
      const handled = behaviour.handle ? this.#handle(behaviour) : [];
      if (ids.length < WAVE) ids.push(...handled);
    }
    return ids;
  }

  #write({ agents, text = letterText }: Behaviour): void {
    const serial = this.#written++;
    const sender = 2 * (serial % (agents / 2));
    const { outbox } = this.#agent(sender);
    writeFileSync(join(outbox, '.tmp-letter'), text(`a${sender + 1}`, serial));
    renameSync(join(outbox, '.tmp-letter'), join(outbox, `letter-${serial}.json`));
  }

  async #untilWaiting(most: number, { agents }: Behaviour): Promise<void> {
    const until = performance.now() + MOST_MS;
    while (this.#waiting(agents) > most) {
      if (performance.now() > until) throw new Error('The router takes no letters.');
      await pause(POLL_MS);
    }
  }

  #waiting(agents: number): number {
    let waiting = 0;
    for (let sender = 0; sender < agents; sender += 2) {
      waiting += readdirSync(this.#agent(sender).outbox).length - 1;
    }
    return waiting;
  }

  #handle({ agents }: Behaviour): string[] {
    const ids: string[] = [];
    for (let recipient = 1; recipient < agents; recipient += 2) {
      const { inbox, done } = this.#agent(recipient);
      for (const name of readdirSync(inbox)) {
        if (!name.endsWith('.json')) continue;
        renameSync(join(inbox, name), join(done, name));
        ids.push(name.slice(0, -'.json'.length));
      }
    }
    return ids;
  }

  #agent(serial: number): ReturnType<ReturnType<typeof layoutOf>['agent']> {
    return layoutOf(this.#hive).agent(`a${serial}` as AgentId);
  }
}
