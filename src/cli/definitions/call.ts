import type { Context } from '../context.ts';

/**
 * What a command does with its arguments and, last, its options; the definition beside it says which.
 * @returns the exit code; nothing for 0
 */
export type RunCommand = (context: Context, ...args: never[]) => Promise<number | void>;

/** Turns what a command does into an action of the program that loads it when it is called. */
export type Call = (load: () => Promise<RunCommand>) => (...args: unknown[]) => Promise<void>;
