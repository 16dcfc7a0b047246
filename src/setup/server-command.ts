import { isSamePlace, type Owner } from './hook-command.ts';
import type { Owns } from './json-entries.ts';
import type { Program } from './program.ts';

/**
 * Writes the command by which a client starts the server of a mailbox, in words: no shell is between.
 * The same in every version.
 */
export function serverCommand(
  { node, launcher }: Program,
  { hive, agent }: Owner,
): readonly [string, ...string[]] {
  return [node, launcher, 'mcp', '--hive', hive, '--agent', agent];
}

/** How {@link serverCommand} ends, whatever program it calls. */
const LAST_WORDS = 5;

/** Reads off the words of a command whose mailbox it serves; nothing for one that is not from here. */
function mailboxOf(words: unknown): { hive: string; agent: string } | undefined {
  if (!Array.isArray(words)) return undefined;
  const [mcp, hiveFlag, hive, agentFlag, agent] = words.slice(-LAST_WORDS) as unknown[];
  if (mcp !== 'mcp' || hiveFlag !== '--hive' || agentFlag !== '--agent') return undefined;
  return typeof hive === 'string' && typeof agent === 'string' ? { hive, agent } : undefined;
}

/** Recognises any server of ours in a settings file of JSON. */
export function isServer(value: unknown): boolean {
  return mailboxOf(wordsIn(value)) !== undefined;
}

/** Recognises the server of one agent. */
export function ownsServerOf(owner: Owner): Owns {
  return (value) => {
    const found = mailboxOf(wordsIn(value));
    return found?.agent === owner.agent && isSamePlace(found.hive, owner.hive);
  };
}

/** Claude Code and Gemini CLI have `args` beside `command`; opencode has all words in `command`. */
function wordsIn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const { args, command } = value as Record<string, unknown>;
  return args ?? command;
}
