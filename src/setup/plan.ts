import type { DoorbellMode } from '../doorbell/decide.ts';
import type { Change } from './change.ts';
import type { Owner } from './hook-command.ts';
import type { Program } from './program.ts';
import type { Scope } from './record.ts';

/** What is asked of a client's setup. */
export interface Asked {
  owner: Owner;
  scope: Scope;
  /** Absolute path; with the scope `file`. */
  file: string | undefined;
  mode: DoorbellMode;
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the project. */
  cwd: string;
  /** Absolute path of the person's home. */
  home: string;
  /** What hooks call, for a client that takes no command line. */
  program: Program;
  /** Writes the command of a hook. */
  command(event: string, ...flags: string[]): string;
  /** The words of the command that serves the mailbox as MCP tools. */
  server: readonly [string, ...string[]];
  /**
   * Asks the client for its version.
   * @param program - by which it is called
   * @returns nothing when it is not in PATH, or does not say
   */
  version(program: string): string | undefined;
}

/** What is to be written where. */
export interface Plan {
  /** Absolute path. */
  file: string;
  change: Change;
  /** What the person should know or still has to do, in sentences. */
  notes: readonly string[];
}

/** Plans what is set up in one client; its module says where each fact is from. */
export type PlanSetup = (asked: Asked) => Plan;
