/**
 * An agent's mailbox from the agent's side: what it may do with its own directory, and nothing else.
 * Looking changes nothing; only the move to `.done` says that a letter is handled.
 */
import { join } from 'node:path';
import type { AgentId } from '../protocol/addresses.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';
import type { Message } from '../protocol/message.ts';
import { parseMessage } from '../protocol/parse-message.ts';
import type { HiveFs } from './hive-fs.ts';
import type { HiveLayout } from './layout.ts';
import { isLetterName } from './letter-name.ts';
import { makeMissing } from './make-missing.ts';
import { requirePresent } from './past-mark.ts';
import { randomTail } from './random.ts';
import { readMessageText } from './read-message.ts';

/** A file in an inbox. */
export interface InboxEntry {
  /** The message's id; the file's name without its ending where it holds no message. */
  id: string;
  /** Absolute path. */
  path: string;
  /** Nothing when the file holds no message. */
  message: Message | undefined;
  /** It lies in `.done`. */
  handled: boolean;
}

/**
 * Lists an inbox, oldest first.
 * @param handled - list `.done` instead
 */
export function listInbox(
  fs: HiveFs,
  layout: HiveLayout,
  agent: AgentId,
  handled = false,
): InboxEntry[] {
  const { inbox, done } = layout.agent(agent);
  const dir = handled ? done : inbox;
  return listNames(fs, dir)
    .filter(isLetterName)
    .sort()
    .map((name) => readEntry(fs, { dir, name, handled }));
}

/**
 * Finds letters in an inbox, or in `.done`, by id or by the beginning of an id.
 * @throws HivemailError `not-found`, also when a beginning fits several
 */
export function findInInbox(
  fs: HiveFs,
  layout: HiveLayout,
  agent: AgentId,
  id: string,
): InboxEntry {
  const { inbox, done } = layout.agent(agent);
  const places = [
    [inbox, false],
    [done, true],
  ] as const;
  // An empty id, as from a variable that is not set, begins every id and means none.
  for (const [dir, handled] of id === '' ? [] : places) {
    const names = listNames(fs, dir).filter(
      (name) => name.endsWith('.json') && name.startsWith(id),
    );
    const exact = names.find((name) => name === `${id}.json`);
    const [only, ...others] = exact === undefined ? names : [exact];
    if (only !== undefined && others.length === 0)
      return readEntry(fs, { dir, name: only, handled });
    if (only !== undefined) {
      const message = `"${id}" fits ${names.length} letters. Give more of the id.`;
      throw new HivemailError('not-found', message);
    }
  }
  const message = `${agent} has no letter "${id}". See \`hivemail inbox --agent ${agent}\`.`;
  throw new HivemailError('not-found', message);
}

/** Marks a letter as handled: moves it to `.done`. Harmless when it is there already. */
export function acknowledge(
  fs: HiveFs,
  layout: HiveLayout,
  agent: AgentId,
  id: string,
): InboxEntry {
  requirePresent(fs, layout);
  const entry = findInInbox(fs, layout, agent, id);
  if (entry.handled) return entry;
  const { done } = layout.agent(agent);
  const path = join(done, `${entry.id}.json`);
  try {
    makeMissing(fs, done);
    fs.rename(entry.path, path);
  } catch (error) {
    throw asIoError(error, `${entry.path} can't be moved to ${done}. The letter stays unhandled.`);
  }
  return { ...entry, path, handled: true };
}

/**
 * Puts a letter into an agent's outbox, whole and synced.
 * @param letter - any JSON object; the router judges it
 * @returns the file's name
 */
export async function putLetter(
  fs: HiveFs,
  layout: HiveLayout,
  agent: AgentId,
  letter: Record<string, unknown>,
): Promise<string> {
  requirePresent(fs, layout);
  const { outbox } = layout.agent(agent);
  const tail = randomTail();
  const name = `letter-${tail}.json`;
  const temporary = join(outbox, `.tmp-${tail}`);
  await fs.create(temporary, `${JSON.stringify(letter, undefined, 2)}\n`);
  fs.rename(temporary, join(outbox, name));
  await fs.syncDir(outbox);
  return name;
}

function listNames(fs: HiveFs, dir: string): string[] {
  try {
    return fs.list(dir);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw asIoError(error, `${dir} can't be listed. It has to be a directory that can be read.`);
  }
}

function asIoError(cause: unknown, sentence: string): unknown {
  const code = systemCode(cause);
  return code === undefined ? cause : new HivemailError('io', `${sentence} (${code})`, { cause });
}

function readEntry(
  fs: HiveFs,
  { dir, name, handled }: { dir: string; name: string; handled: boolean },
): InboxEntry {
  const path = join(dir, name);
  const id = name.slice(0, -'.json'.length);
  try {
    const text = readMessageText(fs, path);
    return { id, path, message: parseMessage(text), handled };
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return { id, path, message: undefined, handled };
  }
}
