/**
 * What the router remembers of the mail it has routed: parents for hops and reply rules, and turns for
 * the loop windows. Bounded, in memory only, rebuilt from the log's tail; letters never write it.
 *
 * A batch's decisions write to it as they are made, so that a later letter of the batch sees the
 * earlier ones; when the batch can't be committed, {@link RoutingMemory.rollback} takes them back.
 */
import type { Act } from '../protocol/acts.ts';

/** A message that was routed, as far as its replies need it. */
export interface KnownMessage {
  id: string;
  conversation: string;
  act: Act;
  hops: number;
  from: string;
  /** Everyone it was routed to: delivered, owed, filed or held. */
  to: readonly string[];
  broadcast: boolean;
}

/** A bounded map whose changes can be taken back; drops what was set longest ago. */
class Ledger<Value> {
  readonly #entries = new Map<string, Value>();
  readonly #most: number;
  readonly #undo: (() => void)[];

  constructor(most: number, undo: (() => void)[]) {
    this.#most = most;
    this.#undo = undo;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: Value): void {
    const before = this.#entries.get(key);
    this.#undo.push(() => {
      if (before === undefined) this.#entries.delete(key);
      else this.#entries.set(key, before);
    });
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#most) this.#dropOldest();
  }

  #dropOldest(): void {
    for (const key of this.#entries.keys()) {
      this.#entries.delete(key);
      return;
    }
  }
}

/** Where an agent stands in a conversation, or towards the whole hive. */
interface Standing {
  /** Order of its own last letter; 0 for none. */
  sent: number;
  /** The last message it got; nothing when it got none. */
  received?: { order: number; id: string; from: string };
}

/** How much is remembered. The figures bound memory to some 60 MB at the worst. */
const MOST_MESSAGES = 50_000;
const MOST_STANDINGS = 50_000;
const MOST_WINDOWS = 20_000;
const MOST_TOLD = 10_000;

/** See the head of this file. */
export class RoutingMemory {
  readonly #undo: (() => void)[] = [];
  readonly #messages = new Ledger<KnownMessage>(MOST_MESSAGES, this.#undo);
  readonly #standings = new Ledger<Standing>(MOST_STANDINGS, this.#undo);
  readonly #windows = new Ledger<readonly number[]>(MOST_WINDOWS, this.#undo);
  readonly #counts = new Ledger<number>(MOST_TOLD, this.#undo);
  #order = 0;

  /** Makes everything remembered so far lasting. */
  commit(): void {
    this.#undo.length = 0;
  }

  /** Forgets everything since the last {@link commit}. */
  rollback(): void {
    for (const undo of this.#undo.reverse()) undo();
    this.#undo.length = 0;
  }

  /** Finds a routed message by id. */
  message(id: string): KnownMessage | undefined {
    return this.#messages.get(id);
  }

  /** Remembers a routed message and who now has the word in its conversation. */
  remember(message: KnownMessage): void {
    this.#order += 1;
    this.#messages.set(message.id, message);
    for (const place of [message.conversation, '']) {
      const sender = `${place}\n${message.from}`;
      this.#standings.set(sender, { ...this.#standings.get(sender), sent: this.#order });
      for (const to of message.to) {
        const key = `${place}\n${to}`;
        const received = { order: this.#order, id: message.id, from: message.from };
        this.#standings.set(key, { sent: this.#standings.get(key)?.sent ?? 0, received });
      }
    }
  }

  /** Finds the latest message of a conversation that an agent got and has not yet written after. */
  unanswered(conversation: string, agent: string): KnownMessage | undefined {
    const received = this.#openReceipt(conversation, agent);
    return received === undefined ? undefined : this.message(received.id);
  }

  /** Tells from whom an agent got its latest message, if it has sent nothing anywhere since. */
  lastWordTo(agent: string): string | undefined {
    return this.#openReceipt('', agent)?.from;
  }

  #openReceipt(place: string, agent: string): Standing['received'] {
    const standing = this.#standings.get(`${place}\n${agent}`);
    const received = standing?.received;
    return received !== undefined && received.order > standing!.sent ? received : undefined;
  }

  /**
   * Counts events of a key within a sliding window, this one included when it is given a time.
   * @param window - `key`, `now` (ms) and `windowMs`
   * @param weight - how often to count the event that happens now; 0 to look only
   */
  countInWindow(window: { key: string; now: number; windowMs: number }, weight: number): number {
    const { key, now, windowMs } = window;
    const recent = (this.#windows.get(key) ?? []).filter((time) => time > now - windowMs);
    if (weight > 0) this.#windows.set(key, [...recent, ...Array<number>(weight).fill(now)]);
    return recent.length + weight;
  }

  /** Reads a counter: notices in a row, whether someone was told. */
  count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Sets a counter. */
  setCount(key: string, value: number): void {
    this.#counts.set(key, value);
  }
}
