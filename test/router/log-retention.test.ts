import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openHistoryReader } from '../../src/history/open-reader.ts';
import { systemClock } from '../../src/index.ts';
import type { LogRow } from '../../src/protocol/event.ts';
import { LogRetention, type LogRetentionHistory } from '../../src/router/log-retention.ts';
import { openRouter } from '../../src/router/open-router.ts';
import { rowsFor } from '../../src/router/pending-events.ts';
import { SegmentNaming } from '../../src/router/segment-naming.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { makePastHive, type PastHive } from '../replay/past-hive.ts';

const DAY_MS = 24 * 3_600_000;

interface Scene {
  hive: PastHive;
  ids: string[];
  /** Names in `log/`. */
  names(): string[];
  /** What the history has in `log/`, and the bytes of one of it. */
  recorded(): string[];
  bytes(name: string): Buffer;
  commits(): string;
}

/** A hive whose every pass begins a new segment: a request, its answer, and both handled. */
async function makeScene(settings: object = {}): Promise<Scene> {
  const hive = await makePastHive({ log: { segmentBytes: 1024 }, ...settings });
  let letters = 0;
  const send = async (from: string, letter: object): Promise<{ id: string }> => {
    const file = `${letters++}.json`;
    hive.write(from, file, letter);
    await hive.route();
    const rows = [...hive.hive.rows({ filter: { kinds: ['letter'] } })];
    return { id: rows.find((row) => row.file === file)?.id ?? '' };
  };
  const first = await send('planner', { to: 'coder', act: 'request', body: 'Split.' });
  hive.handle('coder', first.id);
  const reply = { act: 'done', body: 'Split it.', in_reply_to: first.id };
  const second = await send('coder', reply);
  hive.handle('planner', second.id);
  const other = await send('planner', { to: 'tester', act: 'inform', body: 'Look.' });
  await hive.route();
  const git = (...args: string[]) =>
    execFileSync('git', ['--git-dir', hive.layout.git, ...args], { maxBuffer: 1e8 });
  return {
    hive,
    ids: [first.id, second.id, other.id],
    names: () => readdirSync(hive.layout.logSegments).sort(),
    recorded: () => {
      const tree = git('ls-tree', '-r', '--name-only', 'main', 'log/').toString();
      return tree.split('\n').filter((name) => name.endsWith('.jsonl'));
    },
    bytes: (name) => git('show', `main:${name}`),
    commits: () => git('log', '--format=%B', '--grep=^Log-Segment').toString(),
  };
}

interface Retaining {
  /** So much later than now retention takes it to be. */
  laterMs?: number;
  keepBytes?: number;
  named?: boolean;
  history?: Partial<LogRetentionHistory>;
  steps?: number;
}

/** Has a router take away what is old; a new one each time. */
async function retain({ hive }: Scene, options: Retaining = {}): Promise<string[]> {
  const { laterMs = 91 * DAY_MS, keepBytes = 0, named = true, steps = 30 } = options;
  let passedMs = 0;
  const clock = { now: () => systemClock.now() + laterMs, monotonic: () => passedMs };
  const { signal } = new AbortController();
  await using open = await openRouter({ dir: hive.dir, clock: systemClock });
  await open.history.flush();
  const router = { ...open.router, clock };
  if (named) await new SegmentNaming(router, signal).stepIfDue();
  const source: LogRetentionHistory = {
    state: () => open.history.state(),
    open: () => openHistoryReader({ layout: hive.layout }),
    recordSegment: (segment) => open.history.recordSegment(segment),
    ...options.history,
  };
  const retention = new LogRetention(router, source, { signal, keepBytes });
  for (let step = 0; step < steps; step++) {
    await retention.stepIfDue();
    await open.history.flush();
    passedMs += 61_000;
  }
  const rows = rowsFor(open.router.pendingEvents.take());
  return rows.flatMap(({ code, note = '' }) => (code === 'retention' ? [note] : []));
}

/** All that readers tell of a hive. */
async function look({ hive: { hive, dir }, ids }: Scene) {
  const traces = [];
  for (const id of ids) traces.push(await hive.trace(id));
  const rows: LogRow[] = [];
  const until = new Date(systemClock.now()).toISOString();
  for await (const row of hive.pastRows({ filter: { until } })) rows.push(row);
  const parts = [];
  for await (const part of hive.conversation(ids[0] ?? '')) parts.push(part);
  const into = join(tempDir(), 'past');
  const { unhandled, handled, missing } = await hive.replayInto({ into, until });
  const log = readFileSync(join(into, 'log.jsonl'), 'utf8').split('\n');
  expect(new Set(log).size).toBe(log.length);
  const isNew = ({ kind }: LogRow) => kind === 'router' || kind === 'warning';
  return {
    traces,
    parts,
    rows: rows.filter((row) => !isNew(row)),
    replay: { unhandled, handled, missing, letters: log.filter((line) => /"letter"/.test(line)) },
    dir,
  };
}

describe('segments of the log that are old', () => {
  it('go into the history, byte for byte, and all that is told of them stays the same', async () => {
    const scene = await makeScene();
    const before = await look(scene);
    const segments = scene.names().filter((name) => name.endsWith('.jsonl'));
    const contents = segments.map((name) =>
      readFileSync(join(scene.hive.layout.logSegments, name)),
    );
    expect(segments.length).toBeGreaterThan(1);
    const notes = await retain(scene);
    expect(scene.names()).toEqual([]);
    expect(scene.recorded()).toEqual(segments.map((name) => `log/${name}`));
    expect(segments.map((name) => scene.bytes(`log/${name}`))).toEqual(contents);
    expect(notes).toHaveLength(segments.length);
    expect(notes[0]).toMatch(
      /^Rows 1 to \d+ of the log, up to .*the history has them as log\/0{11}1/,
    );
    expect(await look(scene)).toEqual(before);
    expect(scene.commits()).toMatch(
      /log: rows 1 to \d+, .*\n\nLog-Segment: log\/0{11}1\.jsonl\nBytes: \d+\nFirst-Seq: 1\nLast-Seq: \d+\nFirst-Time: .*\nLast-Time: /,
    );
  }, 120_000);

  it('stay while they are young, wanted for ever, not yet named, or all that a router remembers by', async () => {
    const scene = await makeScene();
    const before = scene.names().filter((name) => name.endsWith('.jsonl'));
    const stay = async (options: Retaining) => {
      expect(await retain(scene, { steps: 4, ...options })).toEqual([]);
      expect(scene.names()).toEqual(expect.arrayContaining(before));
      expect(scene.recorded()).toEqual([]);
    };
    await stay({ named: false });
    await stay({ laterMs: 89 * DAY_MS });
    await stay({ keepBytes: 1024 * 1024 });
    await stay({ history: { state: () => ({ ok: false, behind: 0 }) } });
    await stay({ history: { state: () => ({ ok: true, behind: 1 }) } });
    writeFileSync(scene.hive.layout.settings, '{"retention":{"logMs":0}}');
    await stay({});
  }, 120_000);
});

describe('a router that ends in between', () => {
  it('leaves a segment in both places, shown once; the next one removes it and records nothing', async () => {
    const scene = await makeScene();
    const before = await look(scene);
    await retain(scene, { steps: 2 });
    expect(scene.recorded()).toEqual(['log/000000000001.jsonl']);
    expect(scene.names()).toContain('000000000001.jsonl');
    expect(await look(scene)).toEqual(before);
    const commits = scene.commits();
    await retain(scene, { steps: 2 });
    expect(scene.names()).not.toContain('000000000001.jsonl');
    expect(scene.commits()).toBe(commits);
    expect(await look(scene)).toEqual(before);
  }, 120_000);
});

describe('a segment is removed only when git gives it back as it is', () => {
  it('not when it is changed while it is compared', async () => {
    const scene = await makeScene();
    await retain(scene, { steps: 2 });
    const path = join(scene.hive.layout.logSegments, '000000000001.jsonl');
    const open = async () => {
      const reader = await openHistoryReader({ layout: scene.hive.layout });
      if (reader === undefined) throw new Error('There is no history.');
      onTestFinished(async () => await reader[Symbol.asyncDispose]());
      return {
        segmentFiles: () => reader.segmentFiles(),
        stretches: async (oid: string, take: (stretch: Uint8Array) => void) => {
          await reader.stretches(oid, take);
          appendFileSync(path, '\n');
        },
        [Symbol.asyncDispose]: async () => {},
      };
    };
    expect(await retain(scene, { steps: 2, history: { open } })).toEqual([]);
    expect(existsSync(path)).toBe(true);
  }, 120_000);

  it('not when git has another under its name; it gets a name of its own, and both are read', async () => {
    const scene = await makeScene();
    await retain(scene);
    const lost = await look(scene);
    const row = { seq: 1, ts: '2020-01-01T00:00:00.000Z', epoch: 1, kind: 'warning', note: 'new' };
    const path = join(scene.hive.layout.logSegments, '000000000001.jsonl');
    writeFileSync(path, `${JSON.stringify(row)}\n`);
    await retain(scene);
    expect(existsSync(path)).toBe(false);
    expect(scene.bytes('log/000000000001-1.jsonl').toString()).toBe(`${JSON.stringify(row)}\n`);
    expect((await look(scene)).traces).toEqual(lost.traces);
    const rows: LogRow[] = [];
    const filter = { until: '2020-02-01T00:00:00Z' };
    for await (const each of scene.hive.hive.pastRows({ filter })) rows.push(each);
    expect(rows).toEqual([row]);
  }, 120_000);
});
