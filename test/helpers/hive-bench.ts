/**
 * A real hive in a temporary folder, with a real router and real git, for scenarios. Only the clock is
 * not real: it moves when told, so that settling and windows pass at once. What a test opens here is
 * closed after it.
 */
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { putRequest, takeResult } from '../../src/hive/control.ts';
import { initHive } from '../../src/hive/init.ts';
import { layoutOf } from '../../src/hive/layout.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import type { RosterChange } from '../../src/hive/roster-change.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import type { LogRow } from '../../src/protocol/event.ts';
import type { Message } from '../../src/protocol/message.ts';
import { parseMessage } from '../../src/protocol/parse-message.ts';
import { type OpenRouter, openRouter } from '../../src/router/open-router.ts';
import { runPass } from '../../src/router/pass.ts';
import { tempDir } from './temp-dir.ts';

/** How a hive is made. */
export interface HiveOptions {
  agents?: readonly string[];
  /** `god` unless the agents don't include it; null for none. */
  orchestrator?: string | null;
  /** hive.json. */
  settings?: Record<string, unknown>;
}

/** Makes a hive and opens its router. */
export async function openHiveBench(options: HiveOptions = {}): Promise<HiveBench> {
  const { agents = ['god', 'planner', 'coder', 'tester'], settings } = options;
  const god = agents.includes('god') ? 'god' : undefined;
  const orchestrator =
    options.orchestrator === undefined ? god : (options.orchestrator ?? undefined);
  const dir = join(tempDir(), 'hive');
  await initHive({ dir, fs: createNodeFs(), agents, orchestrator });
  if (settings !== undefined) writeFileSync(join(dir, 'hive.json'), JSON.stringify(settings));
  const bench = new HiveBench(dir);
  onTestFinished(() => bench.close());
  await bench.open();
  return bench;
}

/** See the head of this file. */
export class HiveBench {
  readonly dir: string;
  readonly fs = createNodeFs();
  readonly #layout;
  readonly #startMs = Date.parse('2026-11-30T12:00:00Z');
  #passedMs = 0;
  #written = 0;
  #open: OpenRouter | undefined;
  readonly clock = {
    now: () => this.#startMs + this.#passedMs,
    monotonic: () => this.#passedMs,
  };

  constructor(dir: string) {
    this.dir = dir;
    this.#layout = layoutOf(dir);
  }

  async open(): Promise<void> {
    this.#open = await openRouter({ dir: this.dir, clock: this.clock, fs: this.fs });
  }

  async close(): Promise<void> {
    await this.#open?.[Symbol.asyncDispose]();
    this.#open = undefined;
  }

  /** Stops the router and starts another one. */
  async restart(): Promise<void> {
    await this.close();
    await this.open();
  }

  /** The router that is open. */
  get router(): OpenRouter['router'] {
    if (this.#open === undefined) throw new Error('No router is open.');
    return this.#open.router;
  }

  /** Waits until everything is in git. */
  async recorded(): Promise<boolean> {
    return (await this.#open?.history.flush()) ?? false;
  }

  /** Lets time pass. */
  wait(ms: number): void {
    this.#passedMs += ms;
  }

  /** Runs passes until no letter moves any more, with a little time between them. */
  async run(): Promise<void> {
    for (let idle = 0; idle < 2; ) {
      this.wait(10);
      const { letters, more } = await runPass(this.router, { takeIn: true });
      idle = letters > 0 || more ? 0 : idle + 1;
    }
  }

  /** Lets half a minute pass, so that what waits for its writer has settled, and runs. */
  async settle(): Promise<void> {
    await this.run();
    this.wait(31_000);
    await this.run();
  }

  /** Writes a file into an outbox, after all files written before it. Returns its name. */
  write(agent: string, letter: unknown, name = `${this.#written + 1}.json`): string {
    this.#written += 1;
    const { outbox } = this.#layout.agent(agent as AgentId);
    const temporary = join(outbox, '.tmp');
    const content =
      typeof letter === 'string' || letter instanceof Uint8Array ? letter : JSON.stringify(letter);
    writeFileSync(temporary, content);
    const writtenAt = new Date(this.#startMs + this.#written * 20);
    utimesSync(temporary, writtenAt, writtenAt);
    renameSync(temporary, join(outbox, name));
    return name;
  }

  /** Writes a letter and runs until it has its outcome. Returns its row. */
  async send(agent: string, letter: unknown): Promise<LogRow> {
    const file = this.write(agent, letter);
    await this.run();
    const row = this.letterRows().findLast((each) => each.from === agent && each.file === file);
    if (row === undefined) throw new Error(`${file} of ${agent} has no outcome.`);
    return row;
  }

  /** The messages that lie in an inbox, oldest first. */
  inbox(agent: string): Message[] {
    return this.#messages(this.#layout.agent(agent as AgentId).inbox);
  }

  /** The messages that an agent has handled, oldest first. */
  done(agent: string): Message[] {
    return this.#messages(this.#layout.agent(agent as AgentId).done);
  }

  /** The notices that lie in an inbox, oldest first. */
  notices(agent: string): Message[] {
    return this.inbox(agent).filter(({ from }) => from === 'system');
  }

  /** The messages that are held for an agent, oldest first. */
  held(agent: string): Message[] {
    return this.#messages(this.#layout.heldFor(agent as AgentId));
  }

  /** Moves everything in an inbox to `.done`, and returns it. */
  takeAll(agent: string): Message[] {
    const { inbox, done } = this.#layout.agent(agent as AgentId);
    const messages = this.inbox(agent);
    for (const { id } of messages) renameSync(join(inbox, `${id}.json`), join(done, `${id}.json`));
    return messages;
  }

  /**
   * Has agents answer everything they get, in turns, until nobody gets anything more.
   * @param answer - what an agent writes about a message; nothing when it keeps silent
   * @returns the letters that were written
   */
  async converse(
    agents: readonly string[],
    answer: (agent: string, message: Message) => Record<string, unknown> | string | undefined,
    mostRounds = 500,
  ): Promise<number> {
    let written = 0;
    for (let round = 0; round < mostRounds; round++) {
      const answers = agents.flatMap((agent) =>
        this.takeAll(agent).map((message) => ({ agent, letter: answer(agent, message) })),
      );
      const given = answers.filter(({ letter }) => letter !== undefined);
      for (const { agent, letter } of given) this.write(agent, letter);
      written += given.length;
      if (given.length === 0) return written;
      await this.run();
    }
    throw new Error(`It goes on after ${mostRounds} rounds and ${written} letters.`);
  }

  /** Names in a directory of the hive, sorted; none when it is missing. */
  list(...names: string[]): string[] {
    try {
      return readdirSync(join(this.dir, ...names)).sort();
    } catch {
      return [];
    }
  }

  /** Reads a file of the hive. */
  read(...names: string[]): string {
    return readFileSync(join(this.dir, ...names), 'utf8');
  }

  /** The rows of log.jsonl. */
  rows(): LogRow[] {
    const lines = this.read('log.jsonl')
      .split('\n')
      .filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as LogRow);
  }

  letterRows(): LogRow[] {
    return this.rows().filter(({ kind }) => kind === 'letter');
  }

  /** Changes registry.json as a person would. */
  setAgent(agent: string, fields: Record<string, unknown>): void {
    const registry = JSON.parse(this.read('registry.json'));
    Object.assign((registry.agents[agent] ??= {}), fields);
    this.overwrite('registry.json', JSON.stringify(registry));
  }

  /** Replaces a file of the hive. */
  overwrite(name: string, text: string): void {
    writeFileSync(join(this.dir, `${name}.new`), text);
    renameSync(join(this.dir, `${name}.new`), join(this.dir, name));
  }

  /** Makes a directory in the hive with a file in it. */
  plant(dir: string, name: string, text: string): void {
    mkdirSync(join(this.dir, dir), { recursive: true });
    appendFileSync(join(this.dir, dir, name), text);
  }

  /** Asks the router for a change of the roster, and has it made. */
  async change(change: RosterChange): Promise<string> {
    return await this.#ask({ kind: 'roster', change });
  }

  /** Asks the router to deliver a held message. */
  async release(id: string): Promise<string> {
    return await this.#ask({ kind: 'release', id });
  }

  async #ask(request: Parameters<typeof putRequest>[2]): Promise<string> {
    const name = await putRequest(this.fs, this.#layout, request, this.clock.now());
    await this.run();
    const result = takeResult(this.fs, this.#layout, name);
    if (result === undefined) throw new Error('The router did not answer.');
    return result.ok ? result.said : `${result.code}: ${result.message}`;
  }

  #messages(dir: string): Message[] {
    const names = readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isFile());
    return names
      .map(({ name }) => name)
      .sort()
      .map((name) => {
        const message = parseMessage(readFileSync(join(dir, name), 'utf8'));
        if (message === undefined) throw new Error(`${name} in ${dir} holds no message.`);
        return message;
      });
  }
}
