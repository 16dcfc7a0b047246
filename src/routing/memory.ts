/**
 * What the router remembers of the mail it has routed: parents for hops and reply rules, and who has
 * the word, for the loop windows. Bounded, in memory only, rebuilt from the log's tail; letters never
 * write it.
 *
 * A batch's decisions write to it as they are made, so that a later letter of the batch sees the
 * earlier ones; when the batch can't be committed, {@link RoutingMemory.rollback} takes them back.
 */
import type { Act } from '../protocol/acts.ts';
import { DESK, SYSTEM } from '../protocol/addresses.ts';
import { isMessageId, messageIdTime } from '../protocol/ids.ts';

/** A message that was routed, as far as its replies need it. */
export interface KnownMessage {
  id: string;
  conversation: string;
  act: Act;
  hops: number;
  from: string;
  /** Everyone whose inbox it went to, also where it is still owed; nobody while it is held. */
  to: readonly string[];
  broadcast: boolean;
  /** The conversation that the first of its ancestors had; its own where that is absent. */
  thread?: string | undefined;
}

/** Letters that an agent got from one sender and has not yet spent on an answer. */
export interface Word {
  from: string;
  count: number;
  /** When the last of them was accepted, in milliseconds. */
  at: number;
}

/** A letter for the person that went to the orchestrator. */
export interface PersonWait {
  id: string;
  /** Agent in whose inbox it is. */
  through: string;
  /** Batch that delivered it. */
  batch: string;
  /** Milliseconds: when it was delivered. */
  since: number;
  /** The desk has a copy, or it was handled. */
  isOver: boolean;
}

/** A sliding window: `now` and `windowMs` in milliseconds. */
export interface Window {
  key: string;
  now: number;
  windowMs: number;
}

/** Events of one window that happened at one time. */
interface Tally {
  at: number;
  weight: number;
}

/**
 * A bounded map. What is set stands beside what lasts until it is committed, so that taking it back
 * leaves no trace, neither in the values nor in the order in which the oldest are dropped.
 */
class Ledger<Value> {
  readonly #lasting = new Map<string, Value>();
  readonly #pending = new Map<string, Value>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): Value | undefined {
    return this.#pending.get(key) ?? this.#lasting.get(key);
  }

  set(key: string, value: Value): void {
    this.#pending.delete(key);
    this.#pending.set(key, value);
  }

  values(): Value[] {
    return [...new Map([...this.#lasting, ...this.#pending]).values()];
  }

  commit(): void {
    for (const [key, value] of this.#pending) {
      this.#lasting.delete(key);
      this.#lasting.set(key, value);
    }
    this.#pending.clear();
    for (const key of this.#lasting.keys()) {
      if (this.#lasting.size <= this.#most) break;
      this.#lasting.delete(key);
    }
  }

  rollback(): void {
    this.#pending.clear();
  }
}

/**
 * How much is remembered of each kind. As many messages as the tail of the log tells of to a router that
 * starts; with all that hangs on them some 20 MB. A parent that is further back is looked for in the
 * replier's mailbox.
 */
const MOST = { messages: 20_000, receipts: 40_000, replies: 20_000, windows: 20_000, few: 10_000 };
/** Most senders whose words one agent can have. */
const MOST_WORDS = 256;

/** See the head of this file. */
export class RoutingMemory {
  readonly #messages = new Ledger<KnownMessage>(MOST.messages);
  /** Latest message of a conversation that an agent got, by both; empty once it wrote there itself. */
  readonly #receipts = new Ledger<string>(MOST.receipts);
  readonly #words = new Ledger<readonly Word[]>(MOST.few);
  readonly #replies = new Ledger<true>(MOST.replies);
  readonly #windows = new Ledger<readonly Tally[]>(MOST.windows);
  readonly #counts = new Ledger<number>(MOST.few);
  readonly #waits = new Ledger<PersonWait>(MOST.few);

  /** Makes everything remembered so far lasting. */
  commit(): void {
    for (const ledger of this.#ledgers()) ledger.commit();
  }

  /** Forgets everything since the last {@link commit}. */
  rollback(): void {
    for (const ledger of this.#ledgers()) ledger.rollback();
  }

  #ledgers() {
    const [messages, receipts, words] = [this.#messages, this.#receipts, this.#words];
    const others = [this.#replies, this.#windows, this.#counts, this.#waits];
    return [messages, receipts, words, ...others];
  }

  /** Finds a routed message by id. */
  message(id: string): KnownMessage | undefined {
    return this.#messages.get(id);
  }

  /**
   * Remembers a routed message, and who now has the word. One that reached nobody changes nothing but
   * what its own sender may reply to: whoever writes it still owes the answer.
   */
  remember(message: KnownMessage): void {
    this.#messages.set(message.id, message);
    if (message.to.length === 0) return;
    if (message.from !== SYSTEM) this.#receipts.set(`${message.conversation}\n${message.from}`, '');
    for (const to of message.to) this.#receive(message, to);
  }

  /** Remembers that a message reached someone later: from `held/`, or an inbox that was in trouble. */
  rememberLater(message: KnownMessage): void {
    const known = this.#messages.get(message.id);
    if (known === undefined) return this.remember(message);
    const added = message.to.filter((to) => !known.to.includes(to));
    const { hops } = message;
    this.#messages.set(message.id, { ...known, hops, to: [...known.to, ...added] });
    for (const to of added) this.#receive(message, to);
  }

  /** A notice gives the word, but is no letter of the conversation that it tells of. */
  #receive({ id, conversation, from }: KnownMessage, to: string): void {
    if (from !== SYSTEM) this.#receipts.set(`${conversation}\n${to}`, id);
    if (from === DESK) return;
    const words = this.#words.get(to) ?? [];
    const count = (words.find((word) => word.from === from)?.count ?? 0) + 1;
    const at = isMessageId(id) ? messageIdTime(id) : 0;
    const others = words.filter((word) => word.from !== from).slice(1 - MOST_WORDS);
    this.#words.set(to, [...others, { from, count, at }]);
  }

  /** Finds the latest message of a conversation that an agent got and has not yet written after. */
  unanswered(conversation: string, agent: string): KnownMessage | undefined {
    const id = this.#receipts.get(`${conversation}\n${agent}`) ?? '';
    return id === '' ? undefined : this.message(id);
  }

  /**
   * Lists from whom an agent has letters that it has not spent on an answer, the latest last. Those of
   * the person don't count: a person ends by itself.
   * @param since - milliseconds; older ones are left out
   */
  wordsTo(agent: string, since: number): readonly Word[] {
    return (this.#words.get(agent) ?? []).filter(({ at }) => at > since);
  }

  /** Spends one letter that an agent got from a sender. */
  takeWord(agent: string, from: string): void {
    const words = this.#words.get(agent) ?? [];
    const left = words.map((word) =>
      word.from === from ? { ...word, count: word.count - 1 } : word,
    );
    this.#words.set(
      agent,
      left.filter(({ count }) => count > 0),
    );
  }

  /** Tells whether someone has replied to a message with an act. */
  hasReplied(parent: string, sender: string, act: Act): boolean {
    return this.#replies.get(`${parent}\n${sender}\n${act}`) === true;
  }

  /** Remembers that someone replied to a message with an act. */
  rememberReply(parent: string, sender: string, act: Act): void {
    this.#replies.set(`${parent}\n${sender}\n${act}`, true);
  }

  /** Remembers a letter for the person, from its first delivery on. */
  beginWait(wait: Omit<PersonWait, 'isOver'>): void {
    if (this.#waits.get(wait.id) === undefined)
      this.#waits.set(wait.id, { ...wait, isOver: false });
  }

  /** Remembers that a letter for the person waits no more. */
  endWait(id: string): void {
    const wait = this.#waits.get(id);
    if (wait !== undefined) this.#waits.set(id, { ...wait, isOver: true });
  }

  /** Lists the letters for the person that may still wait. */
  waits(): PersonWait[] {
    return this.#waits.values().filter(({ isOver }) => !isOver);
  }

  /** Counts what happened within a window until now. */
  countInWindow({ key, now, windowMs }: Window): number {
    const tallies = this.#windows.get(key) ?? [];
    return tallies.reduce((sum, { at, weight }) => (at > now - windowMs ? sum + weight : sum), 0);
  }

  /** Adds to a window what happens now. */
  addToWindow({ key, now, windowMs }: Window, weight: number): void {
    const recent = (this.#windows.get(key) ?? []).filter(({ at }) => at > now - windowMs);
    const last = recent.at(-1);
    const tally = { at: now, weight: weight + (last?.at === now ? last.weight : 0) };
    this.#windows.set(key, [...(last?.at === now ? recent.slice(0, -1) : recent), tally]);
  }

  /** Reads a counter: notices in a row, when a loop was last seen. */
  count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Sets a counter. */
  setCount(key: string, value: number): void {
    this.#counts.set(key, value);
  }
}
