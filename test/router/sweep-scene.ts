import { join } from 'node:path';
import { expect } from 'vitest';
import { putRequest } from '../../src/hive/control.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import type { LogRow } from '../../src/protocol/event.ts';
import type { Message } from '../../src/protocol/message.ts';
import { makeBench, type RouterBench } from '../helpers/router-bench.ts';

/** A hive with work to do, and what must have become of it when all is at rest. */
export interface Scene {
  base: RouterBench;
  /** What an agent does once the router is up. */
  disturb?: (bench: RouterBench) => void;
  /** Passes until nothing moves any more. */
  passes: number;
  expected: Expected;
}

interface Expected {
  /** Each message that is to be seen in an inbox, as `<agent>: <subject>`. */
  seen: string[];
  /** The same for `held/`. */
  held: string[];
  /** Files left in `deferred/`, as `<agent>: <place>`. */
  deferred: string[];
  /** Names in `.sent/` without the id, by sender. */
  sent: Record<string, string[]>;
  /** Rows but warnings, as told by {@link tellRow}. */
  rows: string[];
  /** Subjects of the messages in the queue of the history, and how many originals. */
  recorded: { subjects: string[]; originals: number };
}

const AGENTS = ['god', 'planner', 'coder', 'tester', 'writer', 'critic'];
const SETTINGS = {
  settle: { openMs: 0, closedMs: 0, strayMs: 0, temporaryMs: 0 },
  owed: { expireMs: 3_600_000 },
};

async function makeHive(): Promise<RouterBench> {
  const bench = await makeBench({ agents: AGENTS, settings: SETTINGS });
  bench.setAgent('critic', { onHold: true });
  return bench;
}

function breakInbox(bench: RouterBench, agent: string): void {
  const { inbox } = bench.layout.agent(agent as AgentId);
  bench.files.rename(inbox, `${inbox}.away`);
  bench.files.write(inbox, 'no directory');
}

function mendInbox(bench: RouterBench, agent: string): void {
  const { inbox } = bench.layout.agent(agent as AgentId);
  bench.files.unlink(inbox);
  bench.files.rename(`${inbox}.away`, inbox);
}

/**
 * A direct letter, a broadcast to five, a bounce, a repaired letter, a stray, a hold, a broken inbox, and
 * a missing `.sent`.
 */
export async function firstDelivery(): Promise<Scene> {
  const base = await makeHive();
  breakInbox(base, 'coder');
  base.write('planner', 'a.json', { to: 'tester', act: 'request', subject: 'direct', body: 'x' });
  base.write('planner', 'b.json', { to: 'all', act: 'inform', subject: 'broadcast', body: 'x' });
  base.write('writer', 'c.json', { to: 'nobody', act: 'inform', subject: 'lost', body: 'x' });
  base.write('tester', 'd.json', '{"to":"writer","act":"inform","subject":"mended","body":"x",}');
  base.write('tester', 'notes.txt', 'no letter');
  const everyone = 'broadcast partial partial to god,coder,tester,writer,critic';
  const landed = 'delivered god,tester,writer owed coder held critic';
  return {
    base,
    disturb: (bench) => removeEmptySent(bench, 'planner'),
    passes: 3,
    expected: {
      seen: [
        'god: broadcast',
        'planner: notice partial',
        'tester: broadcast',
        'tester: direct',
        'tester: notice stray',
        'writer: broadcast',
        'writer: mended',
        'writer: notice unknown-recipient',
      ],
      held: ['critic: broadcast'],
      deferred: ['coder: inbox'],
      sent: { planner: ['a.json', 'b.json'], tester: ['d.json'], writer: ['bounced-c.json'] },
      rows: [
        `letter ${everyone} ${landed}`,
        'letter direct delivered delivered to tester delivered tester',
        'letter lost bounced unknown-recipient to nobody',
        'letter mended delivered delivered to writer delivered writer',
        'notice partial to planner delivered planner',
        'notice stray to tester delivered tester',
        'notice unknown-recipient to writer delivered writer',
        'stray name to notes.txt',
      ],
      recorded: {
        subjects: [
          'broadcast',
          'direct',
          'mended',
          'notice partial',
          'notice stray',
          'notice unknown-recipient',
        ],
        originals: 2,
      },
    },
  };
}

/** What was owed and held moves on: a mended inbox, an expiry, the end of a hold, a release. */
export async function secondDelivery(): Promise<Scene> {
  const base = await makeHive();
  for (const agent of ['coder', 'writer']) breakInbox(base, agent);
  base.write('tester', 'c.json', { to: 'writer', act: 'inform', subject: 'expiring', body: 'x' });
  await base.start();
  await base.passes(1, SETTINGS.owed.expireMs / 2);
  base.write('planner', 'a.json', { to: 'coder', act: 'request', subject: 'late 1', body: 'x' });
  base.write('planner', 'b.json', { to: 'coder', act: 'inform', subject: 'late 2', body: 'x' });
  base.write('tester', 'd.json', { to: 'critic', act: 'inform', subject: 'waited', body: 'x' });
  await base.passes(1);
  base.handle('ack');
  const [waiting] = base.held('critic');
  const id = `${waiting?.id.slice(0, 9)}zzz-stuckone`;
  const held = {
    ...waiting,
    id,
    to: 'god',
    subject: 'stuck',
    held: { code: 'hop-cap', at: 'then' },
  };
  base.files.mkdir('/hive/held/god');
  base.files.write(`/hive/held/god/${held.id}.json`, JSON.stringify(held));
  mendInbox(base, 'coder');
  base.setAgent('critic', { onHold: false });
  await putRequest(base.files, base.layout, { kind: 'release', id: held.id }, 5);
  base.passTime(SETTINGS.owed.expireMs / 2);
  for (const name of base.list('.router', 'history')) {
    base.files.unlink(join(base.layout.historyQueue, name));
  }
  base.files.unlink(base.layout.log);
  return {
    base: base.copy(),
    passes: 4,
    expected: {
      seen: [
        'coder: late 1',
        'coder: late 2',
        'critic: waited',
        'god: stuck',
        'tester: notice undeliverable',
      ],
      held: ['writer: expiring'],
      deferred: [],
      sent: { planner: ['a.json', 'b.json'], tester: ['c.json', 'd.json'] },
      rows: [
        'expired expiring undeliverable to writer held writer',
        'late late 1 to coder delivered coder',
        'late late 2 to coder delivered coder',
        'notice undeliverable to tester delivered tester',
        'release stuck to god delivered god',
        'release waited to critic delivered critic',
      ],
      recorded: { subjects: ['notice undeliverable'], originals: 0 },
    },
  };
}

/** Starts a router and has it bring everything to rest. */
export async function journey(bench: RouterBench, { disturb, passes }: Scene): Promise<void> {
  await bench.start();
  if (disturb !== undefined) {
    await bench.pass(false);
    disturb(bench);
  }
  await bench.passes(passes);
}

/** Takes an empty `.sent` away, which the router has only just made sure of. */
function removeEmptySent(bench: RouterBench, agent: string): void {
  const { sent } = bench.layout.agent(agent as AgentId);
  if (bench.files.stat(sent) !== undefined && bench.files.list(sent).length === 0) {
    bench.files.rmdir(sent);
  }
}

/** Checks that everything has come to its one end, whatever happened on the way. */
export function checkRest(bench: RouterBench, { expected }: Scene): void {
  bench.handle('ack');
  expect({ ...mailOf(bench, expected), rows: rowsOf(bench).map(tellRow).sort() }).toEqual(expected);
  checkPlaces(bench);
}

/**
 * Checks the same where the machine failed on the way: a copy may have been owed for a while, which the
 * rows tell, and an original may have been parked.
 */
export function checkRestAfterErrors(bench: RouterBench, { expected }: Scene): void {
  bench.handle('ack');
  const { rows, ...mail } = expected;
  expect(mailOf(bench, expected)).toEqual(mail);
  const kindOf = (told: string) => told.split(' ').slice(0, 2).join(' ');
  const untold = (row: LogRow) => kindOf(tellRow(row));
  const first = rowsOf(bench).filter(({ kind }) => kind !== 'late');
  const firstExpected = rows.filter((told) => !told.startsWith('late '));
  expect(first.map(untold).sort()).toEqual(firstExpected.map(kindOf).sort());
  const label = new Map(bench.seen.map(({ message }) => [message.id as string, about(message)]));
  const delivered = rowsOf(bench).flatMap(({ id = '', delivered: to = [] }) =>
    to.map((agent) => `${agent}: ${label.get(id)}`),
  );
  expect(delivered.sort()).toEqual(expected.seen);
  checkPlaces(bench);
}

/** What handling leaves depends on when the agents did it, and is checked by itself. */
function rowsOf(bench: RouterBench): LogRow[] {
  return bench.rows().filter(({ kind }) => kind !== 'warning' && kind !== 'handled');
}

function mailOf(bench: RouterBench, expected: Expected): Omit<Expected, 'rows'> {
  const heldBy = (agent: string) => bench.held(agent).map(({ subject }) => `${agent}: ${subject}`);
  const records = bench.queue().flatMap((plan) => plan.records);
  const messages = records.flatMap(({ message }) => (message === undefined ? [] : about(message)));
  const originals = records.filter(({ original }) => original !== undefined).length;
  return {
    seen: bench.seen.map(({ agent, message }) => `${agent}: ${about(message)}`).sort(),
    held: AGENTS.flatMap(heldBy).sort(),
    deferred: bench.place('deferred').map((name) => name.split('~').slice(2).join(': ')),
    sent: Object.fromEntries(
      Object.keys(expected.sent).map((agent) => [agent, sentBy(bench, agent)]),
    ),
    recorded: { subjects: messages.sort(), originals },
  };
}

function checkPlaces(bench: RouterBench): void {
  for (const place of ['claim', 'stage', 'owed', 'trash'] as const) {
    expect(bench.place(place), place).toEqual([]);
  }
  const epochs = bench.list('.router').filter((name) => /^e\d/.test(name));
  expect(epochs).toEqual([bench.router.epoch.name]);
  checkIds(bench, rowsOf(bench));
  const handled = bench.rows().filter(({ kind }) => kind === 'handled');
  const keys = handled.map(({ id, to }) => `${id} ${to?.join()}`);
  expect(keys).toEqual([...new Set(keys)]);
  const seen = bench.seen.map(({ agent, message }) => `${message.id} ${agent}`);
  expect(keys.filter((key) => !seen.includes(key))).toEqual([]);
}

/** Names a message by its subject; a notice by its code, since its wording is free. */
function about({ subject, notice }: Pick<Message, 'subject' | 'notice'>): string {
  return notice === undefined ? subject : `notice ${notice.code}`;
}

function tellRow(row: LogRow): string {
  const { kind, subject, outcome, code, to, delivered, owed, held } = row;
  const lists = Object.entries({ to, delivered, owed, held });
  const told = lists.flatMap(([name, list]) => (list?.length ? `${name} ${list.join(',')}` : []));
  return [kind, kind === 'notice' ? '' : subject, outcome, code, ...told].filter(Boolean).join(' ');
}

/** Names of a sender's originals without their ids; each holds what was written, byte for byte. */
function sentBy(bench: RouterBench, agent: string): string[] {
  const dirs = [bench.layout.agent(agent as AgentId).sent, join('/hive/.router/unfiled', agent)];
  return dirs
    .flatMap((dir) => {
      if (bench.files.stat(dir) === undefined) return [];
      return bench.files.list(dir).map((name) => {
        expect(bench.files.text(join(dir, name))).toContain('"body":"x"');
        return name.replace(/[0-9a-z]{12}-[0-9a-z]{8}\./, '');
      });
    })
    .sort();
}

/** Every copy, archive name and row of one letter carries the same id. */
function checkIds(bench: RouterBench, rows: LogRow[]): void {
  const ids = new Map<string, Set<string>>();
  const note = (subject: string | undefined, id: string | undefined): void => {
    if (subject === undefined || id === undefined) return;
    ids.set(subject, (ids.get(subject) ?? new Set()).add(id));
  };
  for (const { message } of bench.seen) note(message.subject, message.id);
  for (const agent of AGENTS) for (const { subject, id } of bench.held(agent)) note(subject, id);
  for (const { subject, id } of rows) note(subject, id);
  for (const { records } of bench.queue()) {
    for (const { id, message } of records) note(message?.subject, id);
  }
  for (const [subject, found] of ids) expect([...found], subject).toHaveLength(1);
}
