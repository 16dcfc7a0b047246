/**
 * A hive in memory for tests of routing: letters go in as an agent writes them, plans come out, and the
 * copies of each plan lie in inboxes and `held/`. No disk; the clock moves only when told.
 */
import { defaultSettings, routingRules } from '../../src/hive/settings.ts';
import { examineLetter } from '../../src/letter/examine.ts';
import { parseLetter } from '../../src/letter/parse.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import type { HiveEvent, LogRow } from '../../src/protocol/event.ts';
import { createIdSource, type MessageId } from '../../src/protocol/ids.ts';
import type { Message } from '../../src/protocol/message.ts';
import { parseMessage } from '../../src/protocol/parse-message.ts';
import type { BatchInputs, Claim } from '../../src/routing/inputs.ts';
import { RoutingMemory } from '../../src/routing/memory.ts';
import type { PlanContext, PlannedBatch } from '../../src/routing/plan.ts';
import { planBatch } from '../../src/routing/plan-batch.ts';
import { recallRow } from '../../src/routing/recall.ts';
import type { Roster, RosterAgent } from '../../src/routing/roster.ts';
import type { RoutingRules } from '../../src/routing/rules.ts';

const SETTINGS = defaultSettings();

/** A letter as an agent writes it: any JSON, or text that need not be JSON. */
export type Written = Record<string, unknown> | string;

/** What became of one letter. */
export interface Sent {
  id: MessageId;
  /** Its row of kind `letter`. */
  row: HiveEvent;
  /** Its copies that went into inboxes. */
  copies: Message[];
  /** Its copies that went into `held/`. */
  held: Message[];
  /** The notices of its batch. */
  notices: Message[];
}

/** How a bench is made. */
export interface BenchOptions {
  /** Ids, or agents with more to say about them. */
  agents?: readonly (string | (Partial<Omit<RosterAgent, 'id'>> & { id: string }))[];
  /** `god` unless it is given, also as undefined. */
  orchestrator?: string | undefined;
  rules?: Partial<RoutingRules>;
}

/** Makes a roster out of ids and whatever is special about an agent. */
export function rosterFor({ agents = [], orchestrator }: BenchOptions): Roster {
  const entries = agents.map((given) => {
    const agent = typeof given === 'string' ? { id: given } : given;
    const id = agent.id as AgentId;
    const plain = { name: id, archived: false, onHold: false, sendOnly: false };
    return [id, { ...plain, ...agent, id }] as const;
  });
  return { agents: new Map(entries), orchestrator: orchestrator as AgentId | undefined };
}

/** The routing rules of a hive whose hive.json says nothing. */
export const DEFAULT_RULES: RoutingRules = routingRules(SETTINGS);

/** See the head of this file. */
export class RoutingBench {
  now = Date.parse('2026-11-30T12:00:00Z');
  roster: Roster;
  rules: RoutingRules;
  memory = new RoutingMemory();
  readonly rows: LogRow[] = [];
  readonly inboxes = new Map<string, Message[]>();
  readonly heldBoxes = new Map<string, Message[]>();
  readonly ids = createIdSource({ now: () => this.now, random: () => this.#tail() });
  #tails = 0;

  constructor(options: BenchOptions = {}) {
    const { agents = ['god', 'planner', 'coder', 'tester'] } = options;
    const orchestrator = 'orchestrator' in options ? options.orchestrator : 'god';
    this.roster = rosterFor({ agents, orchestrator });
    this.rules = { ...DEFAULT_RULES, ...options.rules };
  }

  #tail(): string {
    this.#tails += 1;
    return String(this.#tails % 1e8).padStart(8, '0');
  }

  /** Everything a batch is planned with, as it stands now. */
  context(): PlanContext {
    const { roster, memory, rules, ids } = this;
    return { roster, memory, rules, batch: ids.next(), nextId: ids.next, logSeq: this.rows.length };
  }

  /** Takes a letter out of an outbox. */
  claim(sender: string, written: Written, more: Partial<Claim> = {}): Claim {
    const id = this.ids.next();
    const text = typeof written === 'string' ? written : JSON.stringify(written);
    const original = Buffer.from(text);
    const parsed = parseLetter(examineLetter(original, SETTINGS.limits));
    const file = 'task.json';
    const claimName = `${id}~${sender}~${file}`;
    return { id, claimName, sender: sender as AgentId, file, parsed, original, ...more };
  }

  /** Decides on inputs, commits, and puts the copies where they belong. */
  plan(inputs: Partial<BatchInputs>): PlannedBatch {
    const none = { claims: [], deferred: [], releases: [], escalations: [], strays: [] };
    const planned = planBatch({ ...none, ...inputs }, this.context());
    this.memory.commit();
    this.carryOut(planned);
    return planned;
  }

  /** Publishes and logs a plan. */
  carryOut({ plan, contents }: PlannedBatch): void {
    for (const { name, to, place } of plan.copies) {
      const boxes = place === 'inbox' ? this.inboxes : this.heldBoxes;
      const message = parseMessage(contents.get(name) ?? '');
      if (message === undefined) throw new Error(`The copy ${name} holds no message.`);
      const box = boxes.get(to) ?? [];
      boxes.set(to, box);
      box.push(message);
    }
    const ts = new Date(this.now).toISOString();
    for (const row of plan.rows)
      this.rows.push({ ...row, seq: this.rows.length + 1, ts, epoch: 1 });
  }

  /** Routes one letter in a batch of its own. */
  send(sender: string, written: Written, more: Partial<Claim> = {}): Sent {
    const claim = this.claim(sender, written, more);
    return sentOf(claim.id, this.plan({ claims: [claim] }));
  }

  /** Routes letters, `[sender, letter]` each, in one batch. */
  sendAll(letters: readonly (readonly [string, Written])[]): Sent[] {
    const claims = letters.map(([sender, written]) => this.claim(sender, written));
    const planned = this.plan({ claims });
    return claims.map(({ id }) => sentOf(id, planned));
  }

  inbox(agent: string): Message[] {
    return this.inboxes.get(agent) ?? [];
  }

  held(agent: string): Message[] {
    return this.heldBoxes.get(agent) ?? [];
  }

  /** The notices that lie in an agent's inbox. */
  notices(agent: string): Message[] {
    return this.inbox(agent).filter(({ from }) => from === 'system');
  }

  /** Lets time pass. */
  wait(ms: number): void {
    this.now += ms;
  }

  /** Changes what the roster says of an agent. */
  set(id: string, fields: Partial<RosterAgent>): void {
    const agents = new Map(this.roster.agents);
    const agent = agents.get(id as AgentId);
    if (agent === undefined) throw new Error(`There is no agent ${id}.`);
    agents.set(id as AgentId, { ...agent, ...fields });
    this.roster = { ...this.roster, agents };
  }

  /** A memory as a router has it that was started anew and knows only the log. */
  recalled(): RoutingMemory {
    const memory = new RoutingMemory();
    for (const row of this.rows) recallRow(row, memory, this.rules);
    memory.commit();
    return memory;
  }
}

function sentOf(id: MessageId, { plan, contents }: PlannedBatch): Sent {
  const row = plan.rows.find((candidate) => candidate.kind === 'letter' && candidate.id === id);
  if (row === undefined) throw new Error(`The letter ${id} has no row.`);
  const messagesIn = (place: string, fits: (message: Message) => boolean) =>
    plan.copies
      .filter((copy) => copy.place === place)
      .flatMap(({ name }) => parseMessage(contents.get(name) ?? '') ?? [])
      .filter(fits);
  return {
    id,
    row,
    copies: messagesIn('inbox', (message) => message.id === id),
    held: messagesIn('held', (message) => message.id === id),
    notices: messagesIn('inbox', ({ from }) => from === 'system'),
  };
}
