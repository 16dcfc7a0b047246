/**
 * Who owes whom an answer, told from the rows of the log in their order; so a router knows it while it
 * runs, and whoever reads the log knows the same.
 *
 * An obliging act that reached someone asks for an answer. `inform`, `refuse` and `done` give it once they
 * have arrived; `agree` gives it to a query or proposal, and to a request it is a promise. A counter-question
 * settles nothing. An answer is to what it names in `in_reply_to`; one that names nothing is to the latest
 * thing that its sender was asked in that conversation by the one it reached, as the router places it too.
 * Moving a letter to `.done` is no answer.
 *
 * Bounded: beyond {@link ObligationsOptions.most} the oldest are given up, and counted.
 */
import { type Act, obliges } from '../protocol/acts.ts';
import { DESK, SYSTEM } from '../protocol/addresses.ts';
import type { LogRow } from '../protocol/event.ts';

/** An answer that someone owes. */
export interface Obligation {
  /** The message that asks for it. */
  id: string;
  conversation: string;
  act: Act;
  /** At most 300 characters, secrets redacted. */
  subject: string;
  /** Who is to answer. */
  owes: string;
  /** Who asked. */
  to: string;
  /** ISO 8601, UTC: when the message reached the one who owes. */
  since: string;
  /** It is for the person, and went through this agent: whichever of the two answers, it is answered. */
  through?: string | undefined;
  /** ISO 8601, UTC: when it was agreed to; it is still to be done. */
  agreedAt?: string | undefined;
  /** ISO 8601, UTC: when the message was moved to `.done`, or removed, without an answer. */
  handledAt?: string | undefined;
}

/** How obligations are kept. */
export interface ObligationsOptions {
  /** How many at once. */
  most?: number | undefined;
}

/** Some 5 MB. */
const MOST = 10_000;

/** See the head of this file. */
export class Obligations {
  /** In the order in which they arose. */
  readonly #open = new Map<string, Obligation>();
  /** Keys of the open ones of one agent in one conversation, oldest first. */
  readonly #within = new Map<string, Set<string>>();
  readonly #most: number;
  #forgotten = 0;

  constructor({ most = MOST }: ObligationsOptions = {}) {
    this.#most = most;
  }

  /** How many open ones were given up for newer ones. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Lists what is owed, oldest first. */
  open(): Obligation[] {
    return [...this.#open.values()];
  }

  /**
   * Notes a row.
   * @param orchestrator - gets copies of answers to the person, which ask nothing of it
   */
  note(row: LogRow, orchestrator?: string): void {
    const { kind, from, act, delivered = [] } = row;
    if (kind === 'handled') return this.#noteHandled(row);
    if (!MOVES.has(kind) || act === undefined || from === undefined || from === SYSTEM) return;
    if (delivered.length === 0) return;
    if (obliges(act)) this.#ask(row, from, orchestrator);
    else this.#answer(row, from);
  }

  #ask(row: LogRow, to: string, orchestrator: string | undefined): void {
    const { id, conversation, act, subject = '', ts: since, delivered = [] } = row;
    if (id === undefined || conversation === undefined || act === undefined) return;
    const through = row.kind === 'escalated' ? this.#throughOf(id) : row.through;
    for (const owes of delivered) {
      if (owes === orchestrator && isCopyOfAnswer(row, owes)) continue;
      this.#add({
        ...{ id, conversation, act, subject, owes, to, since },
        ...(owes === through || owes === DESK ? { through } : {}),
      });
    }
  }

  #throughOf(id: string): string | undefined {
    return this.open().find((each) => each.id === id && each.through !== undefined)?.through;
  }

  #answer(row: LogRow, from: string): void {
    const { act, in_reply_to: parent, conversation = '', delivered = [] } = row;
    const answered =
      typeof parent === 'string'
        ? [keyOf(parent, from)]
        : delivered.flatMap((to) => this.#latest({ conversation, from, to }));
    for (const key of answered) {
      const obligation = this.#open.get(key);
      if (obligation === undefined) continue;
      if (act === 'agree' && obligation.act === 'request') obligation.agreedAt ??= row.ts;
      else this.#settle(obligation);
    }
  }

  #latest({ conversation, from, to }: { conversation: string; from: string; to: string }) {
    const keys = this.#within.get(placeOf(conversation, from)) ?? [];
    return [...keys].findLast((key) => this.#open.get(key)?.to === to) ?? [];
  }

  #settle(obligation: Obligation): void {
    const { id, owes, through } = obligation;
    const all = through === undefined ? [owes] : [through, DESK];
    for (const agent of all) {
      const each = this.#open.get(keyOf(id, agent));
      if (each !== undefined) this.#remove(each);
    }
  }

  #noteHandled({ id = '', to = [], ts }: LogRow): void {
    for (const agent of to) {
      const obligation = this.#open.get(keyOf(id, agent));
      if (obligation !== undefined) obligation.handledAt ??= ts;
    }
  }

  #add(obligation: Obligation): void {
    const key = keyOf(obligation.id, obligation.owes);
    if (this.#open.has(key)) return;
    const within = placeOf(obligation.conversation, obligation.owes);
    this.#open.set(key, obligation);
    this.#within.set(within, (this.#within.get(within) ?? new Set()).add(key));
    if (this.#open.size <= this.#most) return;
    const [oldest] = this.#open.values();
    if (oldest === undefined) return;
    this.#remove(oldest);
    this.#forgotten += 1;
  }

  #remove({ id, conversation, owes }: Obligation): void {
    const key = keyOf(id, owes);
    const within = placeOf(conversation, owes);
    this.#open.delete(key);
    const keys = this.#within.get(within);
    keys?.delete(key);
    if (keys?.size === 0) this.#within.delete(within);
  }
}

/** The rows that tell of a message's arrival. */
const MOVES: ReadonlySet<string> = new Set(['letter', 'late', 'release', 'escalated']);

/** The orchestrator gets a copy of what answers the person; whatever else it gets asks something of it. */
function isCopyOfAnswer({ to, in_reply_to: parent, from, through }: LogRow, agent: string) {
  if (from === DESK || through === agent) return false;
  return typeof parent === 'string' && to?.includes(DESK) === true;
}

function keyOf(id: string, owes: string): string {
  return `${id}\n${owes}`;
}

function placeOf(conversation: string, agent: string): string {
  return `${conversation}\n${agent}`;
}
