import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { findInPath } from '../hive/path-lookup.ts';
import { runProcess } from '../hive/process-run.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';
import { parseStrictly } from '../protocol/parse-strictly.ts';
import { commandIn, isSamePlace, type Owner, ownerOf } from './hook-command.ts';

/**
 * Whether Codex runs the hooks of an agent. `trusted`: all of them. `untrusted`: not those that it has not
 * been told to trust, or that were changed or turned off since. `unread`: it does not read the file, as
 * that of a project that it does not trust. `unknown`: it could not be asked.
 */
export type CodexTrust = 'trusted' | 'untrusted' | 'unread' | 'unknown';

/** Whose hooks Codex is asked about. */
export interface TrustQuestion {
  owner: Owner;
  /** Absolute path of the hooks.json that they are in. */
  file: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** Codex starts in two seconds, on a busy machine in twenty. */
const TIMEOUT_MS = 30_000;

/** What Codex says of one hook. */
interface ListedHook {
  command?: unknown;
  sourcePath?: unknown;
  enabled?: unknown;
  trustStatus?: unknown;
}

/**
 * Asks Codex itself whether it runs hooks, by a server of its own that ends with the answer. It reaches
 * nobody; Codex writes into its directory what it writes at every start.
 */
export async function askCodexTrust({ owner, file, env }: TrustQuestion): Promise<CodexTrust> {
  const program = findInPath('codex', env['PATH'] ?? '');
  const place = placeOf(file, env);
  if (program === undefined || place === undefined) return 'unknown';
  let listed: readonly ListedHook[] | undefined;
  try {
    await runProcess({
      ...{ file: program, args: ['app-server'], cwd: place.cwd, timeoutMs: TIMEOUT_MS },
      env: { ...known(env), CODEX_HOME: place.home },
      dialogue: (output) =>
        dialogueWith(output, place.cwd, (hooks) => {
          listed = hooks;
        }),
    });
  } catch (error) {
    if (!(error instanceof HivemailError) && systemCode(error) === undefined) throw error;
  }
  return listed === undefined ? 'unknown' : trustIn(listed, owner, file);
}

/** Where Codex has to run to read a hooks.json; nothing for one that it reads by no rule. */
function placeOf(
  file: string,
  env: TrustQuestion['env'],
): { home: string; cwd: string } | undefined {
  if (basename(file) !== 'hooks.json') return undefined;
  const dir = dirname(file);
  const user = env['HOME'] || homedir();
  const home = env['CODEX_HOME'] || join(user, '.codex');
  if (isSamePlace(dir, home) || basename(dir) !== '.codex') return { home: dir, cwd: user };
  return { home, cwd: dirname(dir) };
}

function trustIn(listed: readonly ListedHook[], owner: Owner, file: string): CodexTrust {
  const ours = listed.filter((hook) => {
    const found = ownerOf(commandIn(hook));
    const isOwn = found?.agent === owner.agent && isSamePlace(found.hive, owner.hive);
    return isOwn && typeof hook.sourcePath === 'string' && isSamePlace(hook.sourcePath, file);
  });
  if (ours.length === 0) return 'unread';
  return ours.every(
    ({ enabled, trustStatus }) =>
      enabled !== false && (trustStatus === 'trusted' || trustStatus === 'managed'),
  )
    ? 'trusted'
    : 'untrusted';
}

function known(env: TrustQuestion['env']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Speaks JSON-RPC, a message a line: begins, asks for the hooks of a directory, and takes the answer. */
async function* dialogueWith(
  output: Readable,
  cwd: string,
  onHooks: (hooks: readonly ListedHook[]) => void,
): AsyncGenerator<Buffer> {
  const clientInfo = { name: 'hivemail', title: 'Hivemail', version: '1' };
  yield line({ id: 1, method: 'initialize', params: { clientInfo } });
  for await (const text of createInterface({ input: output })) {
    const { id, result, error } = messageIn(text);
    if (id !== 1 && id !== 2) continue;
    if (id === 2 && error === undefined) onHooks(hooksIn(result));
    if (id === 2 || error !== undefined) return;
    yield line({ method: 'initialized' });
    yield line({ id: 2, method: 'hooks/list', params: { cwds: [cwd] } });
  }
}

function line(message: object): Buffer {
  return Buffer.from(`${JSON.stringify(message)}\n`);
}

function messageIn(text: string): { id?: unknown; result?: unknown; error?: unknown } {
  const value = parseStrictly(text)?.value;
  return typeof value === 'object' && value !== null ? value : {};
}

function hooksIn(result: unknown): ListedHook[] {
  const { data } = { ...(result as { data?: unknown } | null) };
  if (!Array.isArray(data)) return [];
  return data.flatMap((entry: unknown) => {
    const { hooks } = { ...(entry as { hooks?: unknown } | null) };
    return Array.isArray(hooks) ? (hooks as ListedHook[]) : [];
  });
}
