import { type ExecFileSyncOptions, execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type History, type HistoryOptions, openHistory } from '../../src/history/history.ts';
import { type HistoryReport, prepareHistory } from '../../src/history/prepare.ts';
import type { Repository } from '../../src/history/recorder.ts';
import { type HiveLayout, layoutOf } from '../../src/hive/layout.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import { createIdSource, type IdSource } from '../../src/protocol/ids.ts';
import type { HistoryRecord, RecordedBatch, RecordedMessage } from '../../src/protocol/record.ts';
import { tempDir } from '../helpers/temp-dir.ts';

/** 2026-11-30, 17:19 UTC: the moment of every id here. */
export const NOON = Date.parse('2026-11-30T17:19:11.123Z');
export const PLACE = '2026-11-30/17';

export interface TestHive {
  layout: HiveLayout;
  fs: ReturnType<typeof createNodeFs>;
  clock: { now(): number; monotonic(): number; passMs(ms: number): void };
  ids: IdSource;
  reports: HistoryReport[];
}

export function makeHive(root = join(tempDir(), 'hive')): TestHive {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const layout = layoutOf(root);
  mkdirSync(layout.historyQueue, { recursive: true, mode: 0o700 });
  let passedMs = 0;
  const clock = {
    now: () => NOON + passedMs,
    monotonic: () => 5_000 + passedMs,
    passMs: (ms: number) => {
      passedMs += ms;
    },
  };
  let drawn = 0;
  const random = (): string => (drawn++).toString(36).padStart(8, 'x');
  const ids = createIdSource({ now: () => NOON, random });
  return { layout, fs: createNodeFs(), clock, ids, reports: [] };
}

export function makeMessage(hive: TestHive, fields: Partial<RecordedMessage> = {}): HistoryRecord {
  const id = hive.ids.next();
  const message: RecordedMessage = {
    id,
    conversation: 'parser-1',
    in_reply_to: null,
    from: 'planner',
    to: ['coder'],
    act: 'request',
    subject: 'Split the parser',
    body: 'In two.',
    hops: 0,
    requires_reply: true,
    needs_human: false,
    created_at: new Date(NOON).toISOString(),
    outcome: 'delivered',
    code: 'delivered',
    ...fields,
  };
  return { id, message };
}

export function makeBatch(hive: TestHive, ...records: HistoryRecord[]): RecordedBatch {
  const at = new Date(NOON).toISOString();
  const kept = records.length === 0 ? [makeMessage(hive)] : records;
  return { batch: hive.ids.next(), at, records: kept };
}

/** Puts a batch where the router puts it: as the plan it is part of. */
export function enqueue(hive: TestHive, batch: RecordedBatch): string {
  const path = join(hive.layout.historyQueue, `${batch.batch}.json`);
  writeFileSync(path, JSON.stringify({ version: 1, ...batch, moves: [{ from: 'a' }] }));
  return path;
}

export async function prepare(hive: TestHive, first = true): Promise<Repository> {
  const { layout, fs, clock, reports } = hive;
  return await prepareHistory({
    layout,
    fs,
    now: clock.now(),
    first,
    report: (report) => reports.push(report),
  });
}

/** An open history that is closed after the test. */
export async function open(
  hive: TestHive,
  options: Partial<HistoryOptions> = {},
): Promise<History> {
  const { layout, fs, clock, reports } = hive;
  const history = await openHistory({
    layout,
    fs,
    clock,
    onProblem: (report: HistoryReport) => reports.push(report),
    ...options,
  });
  onTestFinished(async () => await history[Symbol.asyncDispose]());
  return history;
}

/** Runs the git of a person who stands in a folder, with no settings of theirs. */
export function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { ...personAt(cwd), encoding: 'utf8' });
}

export function tryGit(cwd: string, ...args: string[]): { status: number | null; stderr: string } {
  const { status, stderr } = spawnSync('git', args, { ...personAt(cwd), encoding: 'utf8' });
  return { status, stderr };
}

function personAt(cwd: string): ExecFileSyncOptions {
  const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_CONFIG_NOSYSTEM: '1' };
  const committer = { GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent', LC_ALL: 'C' };
  return { cwd, env: { ...env, ...identity, ...committer }, stdio: 'pipe' };
}

export function subjects(hive: TestHive): string[] {
  return git(hive.layout.root, 'log', '--reverse', '--format=%s').trim().split('\n');
}

export function files(hive: TestHive): string[] {
  return git(hive.layout.root, 'ls-tree', '-r', '--name-only', 'main').trim().split('\n');
}

export function commitCount(hive: TestHive): number {
  return Number(git(hive.layout.root, 'rev-list', '--count', 'main'));
}
