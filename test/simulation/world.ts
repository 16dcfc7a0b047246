/**
 * A hive in memory with agents, a person and any number of routers, and a ledger from outside: every
 * letter that was written, by a nonce in its body, and everything that anybody found in an inbox.
 */
import { join } from 'node:path';
import { putRequest } from '../../src/hive/control.ts';
import type { HiveFs } from '../../src/hive/hive-fs.ts';
import { initHive } from '../../src/hive/init.ts';
import { layoutOf } from '../../src/hive/layout.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import type { Message } from '../../src/protocol/message.ts';
import { parseMessage } from '../../src/protocol/parse-message.ts';
import { createMemoryFs, type MemoryFs } from '../helpers/memory-fs.ts';
import { PausedRouter } from './paused-router.ts';
import type { Stretch } from './replay.ts';

/** Who is in the hive from the beginning; `late` may join. */
export const AGENTS = ['god', 'planner', 'coder', 'tester'] as const;

/** A letter as it was written. */
export interface Written {
  nonce: string;
  agent: string;
  name: string;
  text: string;
  /** Needs no settling, so that the order of its sender's letters is promised. */
  complete: boolean;
}

/** A message as it was found in an inbox, once for each time it came to lie there. */
export interface Seen {
  agent: string;
  message: Message;
}

const BEGINNING = Date.parse('2026-11-30T17:19:11.123Z');
const SETTINGS = {
  settle: { openMs: 2000, closedMs: 1000, strayMs: 1000, temporaryMs: 1000 },
  owed: { expireMs: 3_600_000, retryFirstMs: 1000, retryMostMs: 4000 },
  loops: { broadcasts: 10_000, pairTurns: 10_000, agentTurns: 10_000, conversationCopies: 100_000 },
  noticesInARow: 10_000,
};

let pristine: MemoryFs | undefined;

async function freshHive(): Promise<MemoryFs> {
  if (pristine === undefined) {
    const files = createMemoryFs();
    await initHive({ dir: '/hive', fs: files, agents: AGENTS, orchestrator: 'god' });
    files.write('/hive/hive.json', JSON.stringify(SETTINGS));
    pristine = files;
  }
  return pristine.copy();
}

/** Makes a world. */
export async function makeWorld(rewrite?: (fs: HiveFs) => HiveFs): Promise<World> {
  return new World(await freshHive(), rewrite);
}

/** See the head of this file. */
export class World {
  readonly layout = layoutOf('/hive');
  readonly written: Written[] = [];
  readonly seen: Seen[] = [];
  /** Routers that are not gone, the newest last. */
  routers: PausedRouter[] = [];
  /** How many there were at once. */
  mostRouters = 0;
  /** The machine refused something, so letters may have passed each other. */
  faulty = false;
  readonly files: MemoryFs;
  readonly #rewrite: ((fs: HiveFs) => HiveFs) | undefined;
  #wallMs = BEGINNING;
  #monotonicMs = 1000;
  #drawn = 0;
  #moved = 0;

  constructor(files: MemoryFs, rewrite?: (fs: HiveFs) => HiveFs) {
    this.files = files;
    this.#rewrite = rewrite;
  }

  readonly now = (): number => this.#wallMs;
  readonly monotonic = (): number => this.#monotonicMs;
  readonly random = (): string => (this.#drawn++).toString(36).padStart(8, '0');

  passTime(ms: number): void {
    this.#wallMs += ms;
    this.#monotonicMs += ms;
  }

  /** The wall clock jumps. */
  setClock(byMs: number): void {
    this.#wallMs += byMs;
  }

  /** Starts a router, also while others live. */
  spawn(): PausedRouter {
    const { files, now, monotonic, random } = this;
    const around = { files, now, monotonic, random, rewrite: this.#rewrite };
    const router = new PausedRouter(around, this.routers.length > 0);
    this.routers.push(router);
    this.mostRouters = Math.max(this.mostRouters, this.routers.length);
    return router;
  }

  /** The newest router, or a new one. */
  newest(): PausedRouter {
    return this.routers.at(-1) ?? this.spawn();
  }

  async run(router: PausedRouter, stretch: Stretch): Promise<void> {
    if (stretch.fault !== undefined) this.faulty = true;
    const standing = await router.goOn(stretch);
    if (standing === 'ended') this.drop(router);
    this.passTime(1500);
  }

  drop(router: PausedRouter): void {
    this.routers = this.routers.filter((each) => each !== router);
  }

  write(agent: string, letter: Record<string, unknown>, form: (text: string) => string): void {
    const nonce = `<n${this.written.length}>`;
    const whole = JSON.stringify({ subject: nonce, body: `What ${nonce} is about.`, ...letter });
    const text = form(whole);
    const name = `l${this.written.length % 3}.json`;
    const { outbox } = this.layout.agent(agent as AgentId);
    // A sender that waits until its last letter of this name is gone.
    const free = this.files.stat(join(outbox, name)) === undefined;
    const own = free ? name : `m${this.written.length}.json`;
    this.files.write(join(outbox, own), text);
    this.written.push({ nonce, agent, name: own, text, complete: text === whole });
  }

  /** An agent takes what is in its inbox, as it is used to. */
  handle(agent: string, handling: 'ack' | 'delete'): void {
    const { inbox, done } = this.layout.agent(agent as AgentId);
    if (this.files.stat(inbox)?.kind !== 'directory') return;
    for (const name of this.files.list(inbox).filter((each) => each.endsWith('.json'))) {
      const path = join(inbox, name);
      const message = parseMessage(this.files.text(path) ?? '');
      if (message === undefined) throw new Error(`${path} holds no message.`);
      this.seen.push({ agent, message });
      if (handling === 'delete') this.files.unlink(path);
      else this.files.rename(path, join(done, name));
    }
  }

  handleAll(): void {
    for (const agent of this.files.list(this.layout.agents)) this.handle(agent, 'ack');
  }

  /** What an agent has had in its inbox. */
  seenBy(agent: string): Message[] {
    return this.seen.filter((each) => each.agent === agent).map(({ message }) => message);
  }

  setAgent(agent: string, fields: Record<string, unknown>): void {
    const registry = JSON.parse(this.files.text(this.layout.registry) ?? '') as {
      agents: Record<string, Record<string, unknown>>;
    };
    const known = registry.agents[agent];
    registry.agents[agent] = { ...known, ...fields };
    this.files.write(this.layout.registry, JSON.stringify(registry));
  }

  breakInbox(agent: string): void {
    const { root, inbox } = this.layout.agent(agent as AgentId);
    if (this.files.stat(inbox)?.kind !== 'directory') return;
    this.files.rename(inbox, join(root, 'away'));
    this.files.write(inbox, 'no directory');
  }

  mendInbox(agent: string): void {
    const { root, inbox } = this.layout.agent(agent as AgentId);
    if (this.files.stat(join(root, 'away')) === undefined) return;
    this.files.unlink(inbox);
    this.files.rename(join(root, 'away'), inbox);
  }

  /** An agent moves its archive away. */
  loseSent(agent: string): void {
    const { root, sent } = this.layout.agent(agent as AgentId);
    if (this.files.stat(sent) === undefined) return;
    this.files.rename(sent, join(root, `sent-${(this.#moved += 1)}`));
  }

  /** Everybody lets things be, and everything comes to rest. */
  async rest(): Promise<void> {
    const people = this.files.list(this.layout.agents).filter((agent) => agent !== 'human');
    for (const agent of people) {
      this.mendInbox(agent);
      this.setAgent(agent, { archived: false, onHold: false });
    }
    const older = [...this.routers];
    await this.run(this.spawn(), { passes: 2 });
    for (const router of older) await this.run(router, { passes: 2, inFlight: true });
    await this.#runNewest(8);
    for (const holder of this.files.list(this.layout.held)) {
      for (const name of this.files.list(this.layout.heldFor(holder as AgentId))) {
        const request = { kind: 'release' as const, id: name.replace('.json', '') };
        await putRequest(this.files, this.layout, request, (this.#moved += 1));
      }
    }
    await this.#runNewest(4);
    this.handleAll();
  }

  /** Runs passes until two in a row have changed nothing. */
  async #runNewest(most: number): Promise<void> {
    for (let [left, quiet] = [most, 0]; left > 0 && quiet < 2; left--) {
      this.handleAll();
      const router = this.newest();
      const before = router.operations;
      await this.run(router, { passes: 1 });
      quiet = router.operations === before ? quiet + 1 : 0;
      this.passTime(5000);
    }
  }
}
