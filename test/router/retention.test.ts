import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHistoryReader } from '../../src/history/open-reader.ts';
import { systemClock } from '../../src/hive/system-clock.ts';
import { openHive } from '../../src/index.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import type { MessageId } from '../../src/protocol/ids.ts';
import { startRouter } from '../../src/router/daemon.ts';
import { isRecorded } from '../../src/router/is-recorded.ts';
import { pickOld } from '../../src/router/old-letters.ts';
import { openRouter } from '../../src/router/open-router.ts';
import { runPass } from '../../src/router/pass.ts';
import { Retention, type RetentionHistory } from '../../src/router/retention.ts';
import { runOnce } from '../../src/router/run-once.ts';
import { failWhere } from '../helpers/faulty-fs.ts';
import { makeBench, type RouterBench } from '../helpers/router-bench.ts';
import { makeRealHive, until } from './real-hive.ts';

const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;

interface Scene {
  bench: RouterBench;
  history: {
    ok: boolean;
    behind: number;
    lacks: Set<string>;
    opened: number;
    broken: boolean;
  };
  /** Lets retention come to every directory, more than once. */
  clean(): Promise<void>;
  done(agent?: string): string[];
  sent(agent?: string): string[];
}

/** A hive in which planner has sent some letters to coder, who has handled them. */
async function makeScene(letters = 3, retention: object = { handledLetters: 0 }): Promise<Scene> {
  const bench = await makeBench({ settings: { retention } });
  await bench.start();
  const history = {
    ok: true,
    behind: 0,
    lacks: new Set<string>(),
    opened: 0,
    broken: false,
    onOpen: () => {},
  };
  const source: RetentionHistory = { state: () => history, open: async () => open() };
  const open = () => {
    history.opened++;
    if (history.broken) throw Object.assign(new Error('git'), { code: 'git' });
    const records = bench.queue().flatMap((plan) => plan.records);
    const find = (id: string) =>
      history.lacks.has(id) ? undefined : records.find((record) => record.id === id);
    return {
      async *messages(ids: Iterable<MessageId>) {
        for (const id of ids) yield find(id)?.message;
      },
      original: async (id: MessageId) => {
        const original = find(id)?.original;
        return original === undefined ? undefined : Buffer.from(original, 'base64');
      },
      [Symbol.asyncDispose]: async () => {},
    };
  };
  for (let n = 0; n < letters; n++) {
    const letter = { to: 'coder', act: 'inform', subject: `s${n}`, body: 'b' };
    bench.write('planner', `${n}.json`, letter);
  }
  while (bench.inbox('coder').length < letters) await bench.pass();
  bench.handle('ack');
  await bench.passes(3);
  const retain = new Retention(bench.router, source);
  const clean = async (): Promise<void> => {
    for (let step = 0; step < 60; step++) {
      await retain.stepIfDue();
      bench.passTime(HOUR_MS / 4);
    }
    await bench.pass();
  };
  const names = (...place: string[]) =>
    bench.list('agents', ...place).filter((name) => !name.startsWith('.'));
  return {
    ...{ bench, history, clean },
    done: (agent = 'coder') => names(agent, 'inbox', '.done'),
    sent: (agent = 'planner') => names(agent, 'outbox', '.sent'),
  };
}

const told = (bench: RouterBench): string[] =>
  bench.rows().flatMap(({ code, note }) => (code === 'retention' ? [note ?? ''] : []));

describe('letters that are handled or sent, old, and in the history', () => {
  it('go after thirty days, and the log says how many', async () => {
    const { bench, clean, done, sent } = await makeScene();
    bench.passTime(28 * DAY_MS);
    await clean();
    expect([done().length, sent().length]).toEqual([3, 3]);
    bench.passTime(3 * DAY_MS);
    await clean();
    expect([done(), sent()]).toEqual([[], []]);
    expect(told(bench).sort()).toEqual([
      expect.stringContaining('3 letters that coder had handled'),
      expect.stringContaining('3 letters that planner had sent'),
    ]);
  });

  it('stay while they are among the latest of their agent', async () => {
    const { bench, clean, done, sent } = await makeScene(5, { handledLetters: 2 });
    const latest = done().slice(-2);
    bench.passTime(40 * DAY_MS);
    await clean();
    expect(done()).toEqual(latest);
    expect(sent()).toHaveLength(2);
  });

  it('all go, however many there are', async () => {
    const { bench, clean, done, sent } = await makeScene(450);
    bench.passTime(40 * DAY_MS);
    await clean();
    await clean();
    expect([done(), sent()]).toEqual([[], []]);
  });

  it('go on the next turn when those before them have to stay', async () => {
    const { bench, history, clean, done } = await makeScene(450);
    for (const name of done().slice(0, 300)) history.lacks.add(name.replace('.json', ''));
    bench.passTime(40 * DAY_MS);
    await clean();
    expect(done()).toHaveLength(300);
  });

  it('stay for ever when the settings say so', async () => {
    const { bench, history, clean, done } = await makeScene(3, { handledMs: 0, handledLetters: 0 });
    bench.passTime(4000 * DAY_MS);
    await clean();
    expect(done()).toHaveLength(3);
    expect(history.opened).toBe(0);
  });
});

describe('retention removes nothing', () => {
  const keeps = async (scene: Scene, counts: [number, number] = [3, 3]): Promise<void> => {
    scene.bench.passTime(40 * DAY_MS);
    await scene.clean();
    expect([scene.done().length, scene.sent().length]).toEqual(counts);
  };

  it('while the history is in trouble, behind, or can not be opened', async () => {
    const scene = await makeScene();
    Object.assign(scene.history, { ok: false });
    await keeps(scene);
    Object.assign(scene.history, { ok: true, behind: 1 });
    await keeps(scene);
    expect(scene.history.opened).toBe(0);
    Object.assign(scene.history, { behind: 0, broken: true });
    await keeps(scene);
    expect(scene.history.opened).toBeGreaterThan(0);
    scene.history.broken = false;
    await keeps(scene, [0, 0]);
  });

  it('that the history lacks', async () => {
    const scene = await makeScene();
    const [lacking = ''] = scene.done();
    scene.history.lacks.add(lacking.replace('.json', ''));
    await keeps(scene, [1, 1]);
    expect(scene.done()).toEqual([lacking]);
  });

  it('that is unread, however old', async () => {
    const scene = await makeScene(0);
    scene.bench.write('planner', 'a.json', { to: 'coder', act: 'inform', subject: 's', body: 'b' });
    await scene.bench.passes(2);
    await keeps(scene, [0, 0]);
    expect(scene.bench.inbox('coder')).toHaveLength(1);
  });

  it('that its owner has changed, or put there itself', async () => {
    const scene = await makeScene();
    const { done } = scene.bench.layout.agent('coder' as AgentId);
    const { sent } = scene.bench.layout.agent('planner' as AgentId);
    const [first = ''] = scene.done();
    const text = scene.bench.files.text(join(done, first)) ?? '';
    scene.bench.files.write(join(done, first), text.replace('"b"', '"b, and my notes"'));
    scene.bench.files.write(join(done, 'notes.json'), '{}');
    scene.bench.files.write(join(done, '1m8pqferk000-aaaaaaaa.json'), '{}');
    scene.bench.files.write(join(sent, 'keep.txt'), 'mine');
    await keeps(scene, [3, 1]);
    expect(scene.done()).toContain(first);
  });

  it('of an original that git keeps, and that was changed', async () => {
    const scene = await makeScene(0);
    const { bench } = scene;
    const { sent } = bench.layout.agent('planner' as AgentId);
    const letter = { to: 'nobody-here', act: 'inform', subject: 's', body: 'b' };
    for (const name of ['a.json', 'b.json']) bench.write('planner', name, letter);
    await bench.passes(2);
    const [first = '', second] = scene.sent();
    bench.files.write(join(sent, first), '{"changed":true}');
    await keeps(scene, [0, 1]);
    expect(scene.sent()).toEqual([first]);
    expect(second).toMatch(/^bounced-/);
  });

  it('that was moved to where it lies, or changed, a short while ago', async () => {
    const { bench, done } = await makeScene(1);
    const [record] = bench.queue().flatMap((plan) => plan.records);
    const [name = ''] = done();
    const agent = 'coder' as AgentId;
    const dir = bench.layout.agent(agent).done;
    const letter = { id: name.replace('.json', '') as MessageId, name };
    const recorded = { message: record?.message, original: undefined };
    const at = (sinceMs: number) => ({ dir, place: 'done' as const, agent, sinceMs });
    expect(isRecorded(bench.fs, letter, at(Number.MAX_SAFE_INTEGER), recorded)).toBe(true);
    expect(isRecorded(bench.fs, letter, at(0), recorded)).toBe(false);
  });

  it('that an answer is still owed to', async () => {
    const scene = await makeScene(0);
    scene.bench.write('planner', 'a.json', { to: 'coder', act: 'request', body: 'b' });
    await scene.bench.passes(2);
    const [asked] = scene.bench.inbox('coder');
    scene.bench.handle('ack');
    await keeps(scene, [1, 1]);
    scene.bench.write('coder', 'b.json', { in_reply_to: asked?.id, act: 'done', body: 'b' });
    await scene.bench.passes(2);
    await keeps(scene, [0, 0]);
  });

  it('whose copy is held, or owed to an inbox in trouble', async () => {
    const scene = await makeScene(0);
    const { bench } = scene;
    bench.setAgent('tester', { onHold: true });
    await bench.pass();
    const letter = { act: 'inform', subject: 's', body: 'b' };
    bench.write('planner', 'a.json', { ...letter, to: 'tester' });
    await bench.passes(2);
    expect(bench.held('tester')).toHaveLength(1);
    await keeps(scene, [0, 1]);
  });

  it('from a directory that its owner has swapped for a link', async () => {
    const scene = await makeScene();
    const { bench } = scene;
    const { done } = bench.layout.agent('coder' as AgentId);
    bench.files.rename(done, '/hive/elsewhere');
    bench.files.link(done, '/hive/elsewhere');
    bench.passTime(40 * DAY_MS);
    await scene.clean();
    expect(bench.list('elsewhere')).toHaveLength(3);
  });

  it('from one that is swapped while git is asked', async () => {
    const hive = await makeRealHive({ retention: { handledMs: 1, handledLetters: 0 } });
    const clock = { now: () => systemClock.now() + DAY_MS, monotonic: systemClock.monotonic };
    hive.write('planner', 'a.json', { to: 'coder', act: 'inform', body: 'b' });
    await runOnce({ dir: hive.dir, clock: systemClock });
    const { inbox, done } = hive.layout.agent('coder' as AgentId);
    const [name = ''] = readdirSync(inbox).filter((each) => each.endsWith('.json'));
    renameSync(join(inbox, name), join(done, name));
    await using open = await openRouter({ dir: hive.dir, clock });
    await runPass(open.router, { takeIn: true });
    let [passedMs, opened] = [0, 0];
    Object.assign(clock, { monotonic: () => passedMs });
    const elsewhere = join(hive.dir, 'elsewhere');
    const retain = new Retention(open.router, {
      state: () => ({ ok: true, behind: 0 }),
      open: async () => {
        // First for what planner has sent.
        if (++opened === 2) {
          renameSync(done, elsewhere);
          symlinkSync(elsewhere, done);
        }
        return await openHistoryReader({ layout: hive.layout });
      },
    });
    while (!existsSync(elsewhere)) {
      await retain.stepIfDue();
      passedMs += HOUR_MS / 4;
    }
    expect(readdirSync(elsewhere)).toEqual([name]);
  });

  it('when the machine refuses, and goes on when it does so no more', async () => {
    const scene = await makeScene();
    const { fs } = scene.bench;
    fs.plan = failWhere(({ kind }) => kind === 'unlink', 'EIO');
    await keeps(scene);
    fs.restart();
    fs.plan = undefined;
    await keeps(scene, [0, 0]);
  });
});

describe('a mailbox that is looked through', () => {
  const at = (n: number): string => `1m8pqferk${String(n).padStart(3, '0')}-aaaaaaaa`;

  it('gives the oldest beyond what stays, by whatever name they are kept', () => {
    const sent = [`bad-${at(1)}.x.json`, `refused-${at(3)}.y.json`, `${at(2)}.z.json`, 'x.json'];
    const kept = { letters: 1, sinceMs: Number.POSITIVE_INFINITY };
    expect(pickOld(sent, 'sent', kept).map(({ id }) => id)).toEqual([at(1), at(2)]);
    expect(pickOld([`${at(1)}.json`, `${at(2)}.json`], 'done', kept)).toHaveLength(1);
    expect(pickOld([`${at(1)}.txt`, `x-${at(2)}.json`], 'done', { ...kept, letters: 0 })).toEqual(
      [],
    );
    expect(pickOld(sent, 'sent', { letters: 0, sinceMs: 0 })).toEqual([]);
  });
});

it('a letter that a running router has taken away is still found in the history', async () => {
  const hive = await makeRealHive({ retention: { handledMs: 1, handledLetters: 0 } });
  const clock = { now: systemClock.now, monotonic: () => systemClock.monotonic() * 3600 };
  hive.write('planner', 'a.json', {
    to: 'coder',
    act: 'inform',
    subject: 'Kept',
    body: 'For ever.',
  });
  await using _router = await startRouter({ dir: hive.dir, clock, pollMs: 20, watch: false });
  await until(() => hive.inbox('coder').length === 1);
  const { inbox, done } = hive.layout.agent('coder' as AgentId);
  const [name = ''] = readdirSync(inbox).filter((each) => each.endsWith('.json'));
  renameSync(join(inbox, name), join(done, name));
  await until(() => !existsSync(join(done, name)));
  const { sent } = hive.layout.agent('planner' as AgentId);
  await until(() => readdirSync(sent).length === 0);
  const id = name.replace('.json', '');
  const trace = await openHive(hive.dir).trace(id);
  expect(trace.message?.body).toBe('For ever.');
  const shown = execFileSync('git', ['log', '--format=%s', `--grep=Message-Id: ${id}`], {
    cwd: hive.dir,
    encoding: 'utf8',
  });
  expect(shown).toContain('Kept');
});
