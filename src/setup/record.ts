import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type ClientName, isClientName } from '../doorbell/clients.ts';
import { doorbellPaths } from '../doorbell/paths.ts';
import { createNodeFs } from '../hive/node-fs.ts';
import { randomTail } from '../hive/random.ts';
import { readRegular } from '../hive/read-file.ts';
import { replaceFile } from '../hive/replace-file.ts';
import { systemCode } from '../protocol/errors.ts';
import { parseStrictly } from '../protocol/parse-strictly.ts';
import type { Trace } from './change.ts';

/** What can be installed into a client. */
export type Kind = 'hooks' | 'mcp';

/** Which of a client's settings: those of this directory, of the user, or a file that is named. */
export type Scope = 'project' | 'user' | 'file';

/** What is remembered of an installation, in the agent's own directory. */
export interface InstallRecord {
  kind: Kind;
  client: ClientName;
  scope: Scope;
  /** Absolute path of the settings file, behind all links. */
  file: string;
  /** How to take it away again. */
  trace: Trace;
  /** Directories that were made for the file, outermost first. */
  dirs: readonly string[];
  /** ISO 8601, UTC. */
  at: string;
}

const MOST_BYTES = 1024 * 1024;
const HASH_LENGTH = 12;

function nameOf({ kind, client, file }: Pick<InstallRecord, 'kind' | 'client' | 'file'>): string {
  const hash = createHash('sha256').update(file).digest('hex').slice(0, HASH_LENGTH);
  return `${kind}-${client}-${hash}.json`;
}

/**
 * Keeps a record, in the place of an earlier one for the same file.
 * @param root - the agent's directory
 */
export async function writeRecord(root: string, record: InstallRecord): Promise<void> {
  const { installed } = doorbellPaths(root);
  mkdirSync(installed, { recursive: true, mode: 0o700 });
  const text = `${JSON.stringify(record, undefined, 2)}\n`;
  await replaceFile(createNodeFs(), join(installed, nameOf(record)), text, randomTail);
}

/** Forgets a record. */
export function removeRecord(root: string, record: InstallRecord): void {
  try {
    unlinkSync(join(doorbellPaths(root).installed, nameOf(record)));
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

/** Lists what is remembered as installed for an agent; passes over what is no record. */
export function listRecords(root: string): InstallRecord[] {
  const { installed } = doorbellPaths(root);
  return namesIn(installed).flatMap((name) => {
    const value = parseStrictly(textOf(join(installed, name)))?.value;
    return isRecord(value) ? [value] : [];
  });
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
      .filter((name) => /^[a-z].*\.json$/.test(name))
      .sort();
  } catch (error) {
    const code = systemCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    return [];
  }
}

function textOf(path: string): string {
  try {
    return Buffer.from(readRegular(path, MOST_BYTES).bytes).toString('utf8');
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return '';
  }
}

function isRecord(value: unknown): value is InstallRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, client, file, trace, dirs } = value as Record<string, unknown>;
  return (
    (kind === 'hooks' || kind === 'mcp') &&
    isClientName(client) &&
    typeof file === 'string' &&
    typeof trace === 'object' &&
    trace !== null &&
    'form' in trace &&
    Array.isArray(dirs) &&
    dirs.every((dir) => typeof dir === 'string')
  );
}
