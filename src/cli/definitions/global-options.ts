import { type Command, InvalidArgumentError, Option } from 'commander';

const HEADING = 'Options of every command:';

/** What `--agent` means where a mailbox is meant. */
export const WHOSE_MAILBOX = 'the agent that is meant, by id';

/** What `--since` takes, wherever it is. */
export const SINCE = 'all since then: 45s, 30m, 2h, 7d ago, 14:30, yesterday, or a date and time';

/** What `--until` takes, wherever it is. */
export const UNTIL = 'nothing after then; said in the same ways';

/**
 * Adds the options that every command takes; after its own, so that help shows them last.
 * @param agent - what `--agent` means there; where no mailbox is meant, it is taken and not shown
 */
export function addGlobalOptions(command: Command, agent?: string): Command {
  const named = new Option('--agent <id>', agent ?? WHOSE_MAILBOX);
  return command
    .addOption(new Option('--hive <dir>', 'the hive that is meant').helpGroup(HEADING))
    .addOption(named.helpGroup(HEADING).hideHelp(agent === undefined))
    .addOption(new Option('--json', 'print JSON').helpGroup(HEADING));
}

/** Parses a whole number within bounds, both included. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
  };
}

/** Parses seconds, with or without a fraction. */
export function seconds(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give seconds, as in 30 or 0.5.');
}

/** Takes an id, or the beginning of one. An empty one, as of an unset variable, would begin them all. */
export function idArgument(text: string): string {
  if (text.trim() !== '') return text.trim();
  throw new InvalidArgumentError('It is empty.');
}

/** Takes several ids; see {@link idArgument}. */
export function idArguments(text: string, before: string[] | undefined): string[] {
  return [...(before ?? []), idArgument(text)];
}

/** Renders the examples below a command's help. */
export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
