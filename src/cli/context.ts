import { resolve } from 'node:path';
import { type AgentId, escapeUnsafe, findAgent, findHive, type Hive, openHive } from '../index.ts';
import { hasColor, type Surface } from './surface.ts';

/** Options that every command takes. */
export interface GlobalOptions {
  hive?: string | undefined;
  agent?: string | undefined;
  json?: boolean | undefined;
}

/** What a command works with: which hive and agent are meant, and where to print. */
export class Context {
  readonly surface: Surface;
  readonly options: GlobalOptions;
  #hive: Hive | undefined;

  constructor(surface: Surface, options: GlobalOptions) {
    this.surface = surface;
    this.options = options;
  }

  /** A program reads the output. */
  get json(): boolean {
    return this.options.json === true;
  }

  /** Standard output is coloured. */
  get color(): boolean {
    return hasColor(this.surface.stdout, this.surface.env);
  }

  /** Columns of the terminal; nothing where standard output is none. */
  get width(): number | undefined {
    const { isTTY, columns } = this.surface.stdout;
    return isTTY === true ? columns : undefined;
  }

  /** Makes a path absolute that is given from the working directory. */
  path(given: string): string {
    return resolve(this.surface.cwd(), given);
  }

  /**
   * Finds the hive that is meant.
   * @param given - DIR of a command that takes one
   * @throws HivemailError `hive-not-found`
   */
  hiveDir(given?: string): string {
    const { env, cwd } = this.surface;
    return findHive({ flag: given ?? this.options.hive, env, cwd: cwd() });
  }

  /** The hive that is meant. */
  get hive(): Hive {
    this.#hive ??= openHive(this.hiveDir());
    return this.#hive;
  }

  /** Finds the agent that is meant. */
  agent(): AgentId {
    const { env, cwd } = this.surface;
    return findAgent(this.hive.dir, { flag: this.options.agent, env, cwd: cwd() });
  }

  /** Prints lines. Whatever they hold, no control character but tab and line feed gets through. */
  print(text: string): void {
    this.surface.stdout.write(`${escapeUnsafe(text)}\n`);
  }

  /** Prints a line that formatRow made safe, colours included. */
  printRow(text: string): void {
    this.surface.stdout.write(`${text}\n`);
  }

  /** Prints a value for a program: over several lines, or on one where many values follow. */
  printJson(value: unknown, layout: 'indented' | 'line' = 'indented'): void {
    this.print(JSON.stringify(value, undefined, layout === 'line' ? undefined : 2));
  }

  /** Tells the person something that is not the output itself. */
  note(sentence: string): void {
    this.surface.stderr.write(`${escapeUnsafe(sentence)}\n`);
  }
}
