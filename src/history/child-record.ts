import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import {
  bootId,
  isSameProcessAlive,
  type ProcessIdentity,
  processIdentity,
} from '../hive/process-identity.ts';
import { signalProcess } from '../hive/process-run.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';
import { parseStrictly } from '../protocol/parse-strictly.ts';

const POLL_MS = 20;
const GRACE_MS = 2_000;
const TERM_MS = 1_000;
const KILL_MS = 3_000;

/**
 * Notes a child before it is given any input: killed before this note, the router leaves a child
 * that finds its input at an end and writes nothing.
 * Not synced: after a power loss there is no child.
 */
export function recordChild(path: string, pid: number): void {
  const record: ProcessIdentity = { pid, startedAt: processIdentity(pid), bootId: bootId() };
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}

/** Removes the note of a child that has ended, unless a newer router has put its own there. */
export function forgetChild(path: string, pid: number): void {
  if (readRecord(path)?.pid === pid) rmSync(path, { force: true });
}

/** What became of the child that an earlier router left. */
export type OrphanEnd = 'none' | 'finished' | 'ended';

/** How long to wait for an orphan, in milliseconds; tests shorten it. */
export interface OrphanPatience {
  graceMs?: number;
  signal?: AbortSignal | undefined;
}

/**
 * Makes sure that no git child of a killed router still writes: gives it time to finish, then ends
 * it. Only then may locks be cleaned. A process that has the pid but another start time is someone
 * else's and is left alone; so is one whose start is not known, which is only waited for.
 * @param path - `.router/git-child.json`
 * @throws HivemailError `git` when it can't be ended (a hanging disk)
 */
export async function endOrphan(path: string, patience: OrphanPatience = {}): Promise<OrphanEnd> {
  const record = readRecord(path);
  if (record === undefined) {
    rmSync(path, { force: true });
    return 'none';
  }
  const { signal, graceMs = GRACE_MS } = patience;
  const runs = (): boolean => isSameProcessAlive(record);
  let end: OrphanEnd = runs() ? 'finished' : 'none';
  if (!(await isOver(runs, graceMs, signal)) && record.startedAt !== undefined) {
    end = 'ended';
    signalProcess(record.pid, 'SIGTERM');
    if (!(await isOver(runs, TERM_MS, signal))) signalProcess(record.pid, 'SIGKILL');
    if (!(await isOver(runs, KILL_MS, signal))) throw stillThere(record.pid);
  }
  rmSync(path, { force: true });
  return end;
}

async function isOver(runs: () => boolean, mostMs: number, signal?: AbortSignal): Promise<boolean> {
  for (let waitedMs = 0; runs(); waitedMs += POLL_MS) {
    if (waitedMs >= mostMs) return false;
    await delay(POLL_MS, undefined, { signal });
  }
  return true;
}

function readRecord(path: string): ProcessIdentity | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  return parseRecord(text);
}

function parseRecord(json: string): ProcessIdentity | undefined {
  const value = parseStrictly(json)?.value;
  if (typeof value !== 'object' || value === null) return undefined;
  const { pid, startedAt, bootId: boot } = value as Record<string, unknown>;
  // 0 and negative numbers name process groups, 1 the system's own.
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 1) return undefined;
  const text = (field: unknown): string | undefined =>
    typeof field === 'string' ? field : undefined;
  return { pid, startedAt: text(startedAt), bootId: text(boot) };
}

function stillThere(pid: number): HivemailError {
  return new HivemailError(
    'git',
    `A git of an earlier router (pid ${pid}) can not be ended. Look at the disk it waits for; mail still flows.`,
  );
}
