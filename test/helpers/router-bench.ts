/**
 * A hive in memory with a router that can be started, failed, ended at any operation and started
 * again; and agents that write letters and handle what they get. Clock and ids are given, so two runs
 * are the same to the last operation.
 */
import { join } from 'node:path';
import { initHive } from '../../src/hive/init.ts';
import { type HiveLayout, layoutOf } from '../../src/hive/layout.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import type { LogRow } from '../../src/protocol/event.ts';
import type { Message } from '../../src/protocol/message.ts';
import { parseMessage } from '../../src/protocol/parse-message.ts';
import type { ReadRecorded } from '../../src/router/accepted-letters.ts';
import { assembleRouter } from '../../src/router/assemble-router.ts';
import { type PassReport, runPass } from '../../src/router/pass.ts';
import { PendingEvents } from '../../src/router/pending-events.ts';
import type { Router } from '../../src/router/router.ts';
import type { Plan } from '../../src/routing/plan.ts';
import { openEpoch, takeOverEpochs } from '../../src/spool/epoch.ts';
import { createFaultyFs, type FaultyFs } from './faulty-fs.ts';
import { createMemoryFs, type MemoryFs } from './memory-fs.ts';

/** What is to be in a hive on the bench. */
export interface BenchOptions {
  agents?: readonly string[];
  orchestrator?: string;
  /** hive.json. */
  settings?: unknown;
}

/** How recipients treat what they find in their inboxes. */
export type Handling = 'leave' | 'ack' | 'delete';

/** 2026-11-30, 17:19 UTC. */
const BEGINNING = Date.parse('2026-11-30T17:19:11.123Z');

/** Makes a hive on the bench. */
export async function makeBench(options: BenchOptions = {}): Promise<RouterBench> {
  const { agents = ['god', 'planner', 'coder', 'tester'], orchestrator, settings } = options;
  const files = createMemoryFs();
  const god = orchestrator ?? (agents.includes('god') ? 'god' : undefined);
  await initHive({ dir: '/hive', fs: files, agents, orchestrator: god });
  const bench = new RouterBench(files);
  if (settings !== undefined) files.write(bench.layout.settings, JSON.stringify(settings));
  return bench;
}

/** See the head of this file. */
export class RouterBench {
  /** The files as agents and people use them: without faults. */
  readonly files: MemoryFs;
  /** The files as the router sees them. */
  readonly fs: FaultyFs;
  readonly layout: HiveLayout = layoutOf('/hive');
  /** Every message that an agent has found in its inbox, once for each time it came to lie there. */
  readonly seen: { agent: string; message: Message }[] = [];
  /** The rows that the router told of, over all starts. */
  readonly told: LogRow[] = [];
  readonly clock = {
    now: () => BEGINNING + this.#passedMs,
    monotonic: () => 1000 + this.#passedMs,
  };
  nudges = 0;
  /** What routers that are started from now on read from the history: nothing, unless a test says otherwise. */
  readRecorded: ReadRecorded = async () => new Map();
  #passedMs = 0;
  #drawn = 0;
  #router: Router | undefined;

  constructor(files: MemoryFs) {
    this.files = files;
    this.fs = createFaultyFs(files);
  }

  /** A bench with the same files and time, and no router yet. */
  copy(): RouterBench {
    const copy = new RouterBench(this.files.copy());
    copy.#passedMs = this.#passedMs;
    copy.#drawn = this.#drawn;
    copy.readRecorded = this.readRecorded;
    return copy;
  }

  /** The router that was started last. */
  get router(): Router {
    if (this.#router === undefined) throw new Error('No router was started.');
    return this.#router;
  }

  passTime(ms: number): void {
    this.#passedMs += ms;
  }

  random = (): string => (this.#drawn++).toString(36).padStart(8, '0');

  /** Starts a router, as after the end of the last one. */
  async start(): Promise<Router> {
    const { fs, layout, clock, random } = this;
    const epoch = await openEpoch({ fs, layout }, { after: 0, tail: random() });
    await takeOverEpochs({ fs, layout }, epoch);
    for (const dir of [layout.control, layout.historyQueue]) if (!fs.stat(dir)) fs.mkdir(dir);
    const history = { nudge: () => (this.nudges += 1) };
    const onRows = (rows: readonly LogRow[]): void => void this.told.push(...rows);
    const { readRecorded } = this;
    const parts = { fs, layout, clock, epoch, history, readRecorded, random, onRows };
    this.#router = assembleRouter({ ...parts, pendingEvents: new PendingEvents() });
    return this.#router;
  }

  /** Runs a pass of the router. */
  async pass(takeIn = true): Promise<PassReport> {
    return await runPass(this.router, { takeIn });
  }

  /** Runs passes with time between them. */
  async passes(count: number, gapMs = 5000): Promise<void> {
    for (let left = count; left > 0; left--) {
      await this.pass();
      this.passTime(gapMs);
    }
  }

  /** An agent writes a letter, or any other file, into its outbox. */
  write(agent: string, name: string, letter: unknown): string {
    const text = typeof letter === 'string' ? letter : JSON.stringify(letter);
    this.files.write(join(this.layout.agent(agent as AgentId).outbox, name), text);
    return text;
  }

  /** Every agent looks into its inbox, and does with each letter the same. */
  handle(handling: Handling): void {
    for (const agent of this.files.list(this.layout.agents)) {
      const { inbox, done } = this.layout.agent(agent as AgentId);
      if (this.files.stat(inbox)?.kind !== 'directory') continue;
      for (const name of this.files.list(inbox).filter((each) => each.endsWith('.json'))) {
        const path = join(inbox, name);
        const message = parseMessage(this.files.text(path) ?? '');
        if (message === undefined) throw new Error(`${path} holds no message`);
        if (handling === 'leave') continue;
        this.seen.push({ agent, message });
        if (handling === 'delete') this.files.unlink(path);
        else this.files.rename(path, join(done, name));
      }
    }
  }

  /** Changes registry.json as a person would. */
  setAgent(agent: string, fields: Record<string, unknown>): void {
    const registry = JSON.parse(this.files.text(this.layout.registry) ?? '');
    Object.assign((registry.agents[agent] ??= {}), fields);
    this.files.write(this.layout.registry, JSON.stringify(registry));
  }

  /** Names in a directory, sorted; none when it is missing. */
  list(...names: string[]): string[] {
    const dir = join(this.layout.root, ...names);
    return this.files.stat(dir)?.kind === 'directory' ? this.files.list(dir).sort() : [];
  }

  /** The messages that lie in an inbox, oldest first. */
  inbox(agent: string): Message[] {
    return this.#messages('agents', agent, 'inbox');
  }

  /** The messages that are held for an agent, oldest first. */
  held(agent: string): Message[] {
    return this.#messages('held', agent);
  }

  /** The whole rows of log.jsonl. */
  rows(): LogRow[] {
    const lines = (this.files.text(this.layout.log) ?? '').split('\n');
    return lines.flatMap((line) => {
      try {
        return line === '' ? [] : [JSON.parse(line) as LogRow];
      } catch {
        return [];
      }
    });
  }

  /** The plans in the queue of the history. */
  queue(): Plan[] {
    return this.list('.router', 'history').map(
      (name) => JSON.parse(this.files.text(join(this.layout.historyQueue, name)) ?? '') as Plan,
    );
  }

  /** Names in a place of the epoch. */
  place(place: 'claim' | 'stage' | 'owed' | 'deferred' | 'trash'): string[] {
    return this.files.list(this.router.epoch[place]).sort();
  }

  #messages(...names: string[]): Message[] {
    return this.list(...names)
      .filter((name) => name.endsWith('.json'))
      .map((name) => {
        const path = join(this.layout.root, ...names, name);
        const message = parseMessage(this.files.text(path) ?? '');
        if (message === undefined) throw new Error(`${path} holds no message`);
        if (`${message.id}.json` !== name) throw new Error(`${path} holds ${message.id}`);
        return message;
      });
  }
}
