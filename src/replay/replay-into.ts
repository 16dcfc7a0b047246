/**
 * Rebuilds a hive as it stood at a moment, in a directory of its own: who had which letter unhandled,
 * handled or held, from the log; the bytes of the letters from the history; the small files as they were.
 * It is written beside where it is to be, and renamed, so it is there as a whole or not at all.
 *
 * What it is not: a hive that mail goes through. Its mark has the router and every command that changes
 * something refuse it.
 */
import { appendFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type HiveLayout, layoutOf } from '../hive/layout.ts';
import type { PastMark } from '../hive/past-mark.ts';
import { randomTail } from '../hive/random.ts';
import { readText } from '../hive/read-text.ts';
import type { Registry } from '../hive/registry.ts';
import type { LogReader } from '../log/log-reader.ts';
import { compileFilter } from '../log/row-filter.ts';
import { DESK, isAgentId } from '../protocol/addresses.ts';
import { HivemailError } from '../protocol/errors.ts';
import { escapeUnsafe } from '../protocol/escape.ts';
import type { LogRow } from '../protocol/event.ts';
import { Past, type PastOptions } from './past.ts';
import { PastCopies } from './past-copies.ts';
import { PastLog } from './past-log.ts';
import { type PastState, readPastState } from './past-state.ts';
import { type CopyCounts, makeDir, writeCopies, writeFile } from './write-past.ts';

/** What is to be rebuilt, and where. */
export interface ReplayIntoOptions {
  /** Absolute path; it must not exist, or be an empty directory. */
  into: string;
  /** ISO 8601: the moment, included. */
  until: string;
  /** Told how far it is, from 0 to 1. */
  onProgress?: ((share: number) => void) | undefined;
}

/** What was rebuilt. */
export interface ReplayReport {
  dir: string;
  /** ISO 8601, UTC. */
  until: string;
  /** Copies in inboxes, in `.done` and in `held/`. */
  unhandled: number;
  handled: number;
  held: number;
  /** What it lacks, in sentences. */
  missing: string[];
}

const SETTINGS_MOST_BYTES = 1024 * 1024;
/** Part of the work that is reading the log. */
const LOG_SHARE = 0.4;

/**
 * Rebuilds a hive as it stood at a moment; see the head of this file.
 * @throws HivemailError `usage` for a time that is none, `refused` for a directory that is not empty
 */
export async function replayInto(
  options: PastOptions,
  { into, until: given, onProgress }: ReplayIntoOptions,
): Promise<ReplayReport> {
  const until = compileFilter({ until: given }).until ?? given;
  requireRoom(options, into);
  const dir = `${into}.tmp-${randomTail()}`;
  makeDir(dir);
  try {
    const report = await build(options, { dir, until, onProgress });
    renameSync(dir, into);
    return { dir: into, ...report };
  } catch (error) {
    rmSync(dir, { recursive: true, force: true });
    throw error;
  }
}

function requireRoom({ fs }: PastOptions, into: string): void {
  const stat = fs.stat(into);
  if (stat === undefined) return;
  if (stat.kind === 'directory' && fs.list(into, 1).length === 0) return;
  throw new HivemailError('refused', `${into} is there and not empty. Name a new directory.`);
}

interface Building {
  dir: string;
  until: string;
  onProgress: ((share: number) => void) | undefined;
}

async function build(
  options: PastOptions,
  { dir, until, onProgress }: Building,
): Promise<Omit<ReplayReport, 'dir'>> {
  const target = layoutOf(dir);
  await using past = await Past.open(options);
  using pastLog = new PastLog(options, past);
  const log = await pastLog.reaching({ sinceMs: 0 });
  const rows = readRows(log, target, until, (share) => onProgress?.(share * LOG_SHARE));
  const state = await readPastState(
    { ...options, past },
    { untilMs: Date.parse(until), later: rows.later },
  );
  writeState(options, target, state);
  const counts = await writeCopies(rows.copies, {
    ...{ past, target, orchestrator: namedOrchestrator(state.registry) },
    onProgress: (share) => onProgress?.(LOG_SHARE + (1 - LOG_SHARE) * share),
  });
  const missing = [...state.missing, ...rows.missing, ...missingOf(counts, past)];
  const mark: PastMark = { version: 1, of: options.layout.root, until, missing };
  writeFile(target.pastMark, `${escapeUnsafe(JSON.stringify(mark, undefined, 2))}\n`);
  const { inbox: unhandled, done: handled, held } = counts;
  return { until, unhandled, handled, held, missing };
}

/** Who the orchestrator is, or was: what it got before it was archived is as it was. */
function namedOrchestrator({ godId, agents }: Registry): string | undefined {
  return godId ?? Object.keys(agents).find((id) => agents[id]?.isGod);
}

function missingOf({ owed, lost }: CopyCounts, { problem }: Past): string[] {
  const missing = problem === undefined ? [] : [`The history can't be read. ${problem}`];
  if (owed > 0) missing.push(`${owed} copies were owed to inboxes in trouble; they are left out.`);
  if (lost > 0) missing.push(`${lost} copies are left out: nothing has their messages any more.`);
  return missing;
}

interface PastRows {
  copies: PastCopies;
  /** Changes of the roster after the moment. */
  later: LogRow[];
  /** What the log does not go back to, in sentences. */
  missing: string[];
}

/** Reads the log: what is before the moment is folded, and written into the log of the picture. */
function readRows(
  log: LogReader,
  target: HiveLayout,
  until: string,
  onProgress: (share: number) => void,
): PastRows {
  const copies = new PastCopies();
  const later: LogRow[] = [];
  writeFile(target.log, '');
  for (const { rows, to } of log.stretches()) {
    const before = rows.filter(({ ts }) => ts <= until);
    for (const row of before) copies.note(row);
    const lines = before.map((row) => `${escapeUnsafe(JSON.stringify(row))}\n`);
    appendFileSync(target.log, lines.join(''));
    later.push(...rows.filter(({ ts, kind }) => ts > until && kind === 'roster'));
    onProgress(to / log.sizeBytes);
  }
  const first = log.first();
  const isCut = first !== undefined && first.seq > 1;
  const missing = isCut
    ? [`The log begins at ${first.ts}; what was delivered before is left out.`]
    : [];
  return { copies, later, missing };
}

function writeState(
  { fs, layout }: PastOptions,
  target: HiveLayout,
  { registry, files }: PastState,
): void {
  writeFile(target.registry, `${escapeUnsafe(JSON.stringify(registry, undefined, 2))}\n`);
  writeFile(target.settings, readText(fs, layout.settings, SETTINGS_MOST_BYTES) ?? '{}\n');
  for (const { path, bytes } of files) writeFile(join(target.root, path), bytes);
  for (const agent of [...Object.keys(registry.agents).filter(isAgentId), DESK]) {
    const { done, outbox } = target.agent(agent);
    for (const each of [done, outbox]) makeDir(each);
  }
  makeDir(target.held);
}
