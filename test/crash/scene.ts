/**
 * One hive with everything in it that can be lost or doubled: a direct letter, a broadcast to five, a
 * letter to nobody, one that has to be mended, and an inbox that is a file. And what must be true of it
 * once a router has run to its end, whatever befell the routers before.
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openHive } from '../../src/api/open-hive.ts';
import { systemClock } from '../../src/hive/system-clock.ts';
import type { LogRow } from '../../src/protocol/event.ts';
import type { Message } from '../../src/protocol/message.ts';
import { runOnce } from '../../src/router/run-once.ts';
import { hivemail, makePlace } from '../e2e/built.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const AGENTS = ['god', 'planner', 'coder', 'tester', 'writer', 'critic'];
const SETTINGS = {
  settle: { openMs: 0, closedMs: 0, strayMs: 0, temporaryMs: 0 },
  owed: { retryFirstMs: 0 },
};
/** What each agent gets, by subject. */
const ARRIVES: Record<string, string[]> = {
  god: ['broadcast'],
  planner: [],
  coder: ['broadcast'],
  tester: ['broadcast', 'direct'],
  writer: ['bounced: unknown-recipient: lost', 'broadcast', 'mended'],
  critic: ['broadcast'],
};
const ORIGINALS: Record<string, string> = {
  'planner/a.json': '{"to":"tester","act":"request","subject":"direct","body":"to one"}',
  'planner/b.json': '{"to":"all","act":"inform","subject":"broadcast","body":"to five"}',
  'writer/c.json': '{"to":"nobody","act":"inform","subject":"lost","body":"to nobody"}',
  'tester/d.json': '{"to":"writer","act":"inform","subject":"mended","body":"to one",}',
};
const ARCHIVED = ['planner/a.json', 'planner/b.json', 'tester/d.json', 'writer/bounced-c.json'];

/** A message somebody has seen. */
export interface Seen {
  agent: string;
  id: string;
  subject: string;
}

/** Makes the hive; `template` is copied for every point. A router has been there before. */
export async function makeTemplate(): Promise<string> {
  const place = await makePlace(tempDir(), AGENTS.join(','));
  const { hive } = place;
  writeFileSync(join(hive, 'hive.json'), JSON.stringify(SETTINGS));
  const first = await hivemail(place, ['up', hive, '--once']);
  if (first.exitCode !== 0) throw new Error(first.stderr);
  for (const [path, text] of Object.entries(ORIGINALS)) {
    const [agent = '', name = ''] = path.split('/');
    writeFileSync(join(hive, 'agents', agent, 'outbox', name), text);
  }
  rmSync(join(hive, 'agents', 'coder', 'inbox'), { recursive: true });
  writeFileSync(join(hive, 'agents', 'coder', 'inbox'), 'a file in place of a directory');
  return hive;
}

const MOST_RUNS = 6;

let copies = 0;

/** Copies the hive for one point, times kept: the order of the letters depends on them. */
export function copyOf(template: string): string {
  copies += 1;
  const dir = join(template, '..', `copy-${copies}`);
  mkdirSync(dir);
  const hive = join(dir, 'hive');
  cpSync(template, hive, { recursive: true, preserveTimestamps: true });
  return hive;
}

/** Removes the copy of a point. */
export function dropCopy(hive: string): void {
  rmSync(join(hive, '..'), { recursive: true, force: true });
}

/** Puts the broken inbox in order, as a person would. */
export function mendInbox(hive: string): void {
  const inbox = join(hive, 'agents', 'coder', 'inbox');
  rmSync(inbox, { recursive: true });
  mkdirSync(join(inbox, '.done'), { recursive: true, mode: 0o700 });
}

/** Runs routers to their end, without a fault, until git has everything: on a busy machine it is late. */
export async function runClean(hive: string): Promise<void> {
  let report = await runOnce({ dir: hive, clock: systemClock });
  for (let more = MOST_RUNS; !report.recorded && more > 0; more--) {
    report = await runOnce({ dir: hive, clock: systemClock });
  }
  expect(report).toMatchObject({ waiting: false, recorded: true });
}

/** Reads the messages that lie in inboxes; every one has to be whole. */
export function inboxesOf(hive: string): Seen[] {
  return AGENTS.flatMap((agent) => {
    const inbox = join(hive, 'agents', agent, 'inbox');
    return namesIn(inbox).map((name) => {
      const { id, subject, to } = JSON.parse(readFileSync(join(inbox, name), 'utf8')) as Message;
      expect([name, to]).toEqual([`${id}.json`, agent]);
      return { agent, id, subject };
    });
  });
}

function namesIn(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true, recursive: false })
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('.'));
}

/** Files that are replaced as a whole, and parse at every moment. */
const WHOLE = ['hive.json', 'registry.json', 'tasks.json', '.router/owner.json'];

/** Checks that nobody can see half a file, whatever has just happened. */
export function checkNothingHalf(hive: string): void {
  if (existsSync(join(hive, 'agents/coder/inbox/.done'))) inboxesOf(hive);
  for (const agent of AGENTS.filter((name) => name !== 'coder')) {
    const inbox = join(hive, 'agents', agent, 'inbox');
    for (const name of namesIn(inbox)) JSON.parse(readFileSync(join(inbox, name), 'utf8'));
  }
  for (const name of WHOLE) JSON.parse(readFileSync(join(hive, name), 'utf8'));
}

/** Has every recipient handle what it has got so far. Returns what that was. */
export function handleAll(hive: string, how: 'ack' | 'delete'): Seen[] {
  return AGENTS.filter((name) => name !== 'coder').flatMap((agent) => {
    const inbox = join(hive, 'agents', agent, 'inbox');
    return namesIn(inbox).map((name) => {
      const { id, subject } = JSON.parse(readFileSync(join(inbox, name), 'utf8')) as Message;
      if (how === 'delete') rmSync(join(inbox, name));
      else renameSync(join(inbox, name), join(inbox, '.done', name));
      return { agent, id, subject };
    });
  });
}

/** Checks that everything has come to its end, once. `handled`: what recipients took out meanwhile. */
export function checkRest(hive: string, handled: readonly Seen[] = []): void {
  checkNothingHalf(hive);
  const seen = [...handled, ...inboxesOf(hive)];
  for (const agent of AGENTS) {
    const subjects = seen.filter((each) => each.agent === agent).map(({ subject }) => subject);
    expect([agent, ...subjects.sort()]).toEqual([agent, ...(ARRIVES[agent] ?? [])]);
  }
  const idOf = idsBySubject(seen);
  checkArchive(hive, idOf);
  // Over its segments: after a sync that failed, the log has gone on in a new file.
  checkRows([...openHive(hive).rows()], idOf);
  checkHistory(hive, idOf);
  expect(namesIn(join(hive, 'held')).flatMap((name) => namesIn(join(hive, 'held', name)))).toEqual(
    [],
  );
  const router = readdirSync(join(hive, '.router'));
  expect(router.filter((name) => /^e\d|unfiled|git-child/.test(name))).toEqual([]);
  expect(readdirSync(join(hive, '.router', 'history'))).toEqual([]);
}

function idsBySubject(seen: readonly Seen[]): Map<string, string> {
  const ids = new Map<string, Set<string>>();
  for (const { subject, id } of seen) ids.set(subject, (ids.get(subject) ?? new Set()).add(id));
  expect([...ids.values()].map(({ size }) => size)).toEqual([...ids.keys()].map(() => 1));
  return new Map([...ids].map(([subject, [id]]) => [subject, id as string]));
}

function checkArchive(hive: string, idOf: Map<string, string>): void {
  const found = AGENTS.flatMap((agent) => {
    const outbox = join(hive, 'agents', agent, 'outbox');
    expect(namesIn(outbox)).toEqual([]);
    return namesIn(join(outbox, '.sent')).map((name) => {
      const [, mark = '', id = '', file = ''] = /^(bounced-)?([^.]+)\.(.+)$/.exec(name) ?? [];
      const original = ORIGINALS[`${agent}/${file}`] as string;
      const text = readFileSync(join(outbox, '.sent', name), 'utf8');
      expect(text).toBe(original);
      const subject = /"subject":"(\w+)"/.exec(original)?.[1] as string;
      if (mark === '') expect(id).toBe(idOf.get(subject));
      return `${agent}/${mark}${file}`;
    });
  });
  expect(found.sort()).toEqual(ARCHIVED);
}

/** Whom a row of a letter or notice has to tell of, once, at once or in a row of its own later. */
const TOLD: Record<string, string[]> = {
  broadcast: ['coder', 'critic', 'god', 'tester', 'writer'],
  direct: ['tester'],
  mended: ['writer'],
  lost: [],
  'bounced: unknown-recipient: lost': ['writer'],
};

/** One row for each letter and notice, telling of every recipient; owed copies have one of their own. */
function checkRows(rows: readonly LogRow[], idOf: Map<string, string>): void {
  const mail = rows.filter(({ kind }) => kind === 'letter' || kind === 'notice');
  expect(mail.map(({ subject = '' }) => subject).sort()).toEqual(Object.keys(TOLD).sort());
  const late = rows.filter(({ kind }) => kind === 'late');
  for (const row of mail) {
    const { subject = '', id, code } = row;
    if (subject === 'lost') expect(code).toBe('unknown-recipient');
    else expect([subject, id]).toEqual([subject, idOf.get(subject)]);
    const later = late.filter((each) => each.id === id).flatMap(({ delivered }) => delivered ?? []);
    expect([subject, ...later.sort()]).toEqual([subject, ...(row.owed ?? []).toSorted()]);
    expect([subject, ...later, ...(row.delivered ?? [])].sort()).toEqual(
      [subject, ...(TOLD[subject] ?? [])].sort(),
    );
  }
  const numbers = rows.map(({ seq }) => seq);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
}

function checkHistory(hive: string, idOf: Map<string, string>): void {
  // Every file of a letter that any commit added, so that one recorded twice is seen twice.
  const letters = ['--', 'messages', 'letters'];
  const changes = git(hive, 'log', '--format=', '--name-status', 'main', ...letters);
  const added = changes.split('\n').filter(Boolean);
  expect(added.filter((line) => !line.startsWith('A\t'))).toEqual([]);
  const paths = added.map((line) => line.slice(2));
  expect(paths.toSorted()).toEqual(
    git(hive, 'ls-tree', '-r', '--name-only', 'main', ...letters)
      .split('\n')
      .filter(Boolean)
      .sort(),
  );
  const ids = paths.flatMap((path) => /^messages\/.*\/(.+)\.json$/.exec(path)?.[1] ?? []);
  expect(ids.sort()).toEqual([...idOf.values()].sort());
  expect(paths.filter((path) => path.startsWith('letters/'))).toHaveLength(2);
}

function git(hive: string, ...args: string[]): string {
  return execFileSync('git', ['-C', hive, ...args], { encoding: 'utf8' });
}
