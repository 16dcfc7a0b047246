import { type ClientName, isClientName } from '../doorbell/clients.ts';
import { realPathOf } from '../hive/real-path.ts';
import { shellQuote } from '../protocol/shell-quote.ts';
import type { Owns } from './json-entries.ts';
import type { Program } from './program.ts';

/** Whose hooks they are. */
export interface Owner {
  client: ClientName;
  /** Absolute path. */
  hive: string;
  agent: string;
}

/**
 * Writes the command that a client's settings hold. It is the same in every version and mode, since
 * clients ask their user to trust its exact text, and says all that it needs, since it runs anywhere.
 * @param flags - such as `--wake`
 */
export function hookCommand(
  program: Program,
  { client, hive, agent }: Owner,
  event: string,
  flags: readonly string[] = [],
): string {
  const words = [program.node, program.launcher, 'hook', client, event, ...flags];
  return [...words, '--hive', hive, '--agent', agent].map((word) => quote(word)).join(' ');
}

/** On Windows `cmd.exe` and the shells of clients agree on double quotes and forward slashes alone. */
function quote(word: string, platform = process.platform): string {
  if (platform !== 'win32') return shellQuote(word);
  const path = word.replaceAll('\\', '/');
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `"${path}"`;
}

const COMMAND =
  /(?:^|\s)hook (\w+) [\w.]+(?: --[\w-]+)*? --hive ((?:'[^']*'|\\'|[^\s'"])+|"[^"]*") --agent ([\w.-]+)$/;

/** Reads off a command whose hook it is; nothing for a command that is not from here. */
export function ownerOf(command: unknown): Owner | undefined {
  if (typeof command !== 'string') return undefined;
  const [, client, hive = '', agent = ''] = COMMAND.exec(command) ?? [];
  return isClientName(client) ? { client, hive: unquote(hive), agent } : undefined;
}

function unquote(word: string): string {
  if (word.startsWith('"')) return word.slice(1, -1);
  return word.replace(
    /'([^']*)'|\\(')/g,
    (_, inside?: string, mark?: string) => inside ?? mark ?? '',
  );
}

/** Recognises the hooks of one owner in a settings file of JSON, whatever program they call. */
export function ownsHooksOf(owner: Owner): Owns {
  return (value) => {
    const found = ownerOf(commandIn(value));
    return (
      found !== undefined &&
      found.client === owner.client &&
      found.agent === owner.agent &&
      isSamePlace(found.hive, owner.hive)
    );
  };
}

/** Reads the `command` of a hook in a settings file. */
export function commandIn(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'command' in value
    ? value.command
    : undefined;
}

/** Tells whether two paths of a hive lead to the same place. */
export function isSamePlace(one: string, other: string): boolean {
  return one === other || (realPathOf(one) ?? one) === (realPathOf(other) ?? other);
}
