import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NO_STATE } from '../../src/doorbell/state.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import { Health } from '../../src/router/health.ts';
import { StatusWriter } from '../../src/router/status-files.ts';
import { writePendingEvents } from '../../src/router/write-events.ts';
import { failWhere } from '../helpers/faulty-fs.ts';
import { makeBench, type RouterBench } from '../helpers/router-bench.ts';

const well = { state: () => ({ ok: true, behind: 3 }) };

async function makeRunning() {
  const bench = await makeBench();
  await bench.start();
  await bench.pass();
  const read = (path: string) => JSON.parse(bench.files.text(path) ?? 'null');
  const health = () => read(bench.layout.health);
  const fleet = () => read(bench.layout.fleet);
  return { bench, health, fleet };
}

const warnings = (bench: RouterBench) =>
  bench.rows().flatMap(({ kind, code }) => (kind === 'warning' ? [code] : []));

describe('health', () => {
  const clock = { now: () => 0, monotonic: () => 0 };

  it('is red while a promise is at risk, yellow while anything else is amiss', () => {
    const health = new Health(clock, () => undefined);
    expect(health.state).toBe('green');
    health.report('a', { red: false, message: 'm' });
    expect(health.state).toBe('yellow');
    health.report('b', { red: true, message: 'm' });
    expect(health.state).toBe('red');
    health.clear('b');
    expect(health.state).toBe('yellow');
  });
  it('tells of each problem once when it begins and once when it ends', () => {
    const told: string[] = [];
    const health = new Health(clock, ({ key }, state) => told.push(`${key} ${state}`));
    for (const message of ['first', 'second']) health.report('a', { red: true, message });
    expect(health.problems).toMatchObject([{ key: 'a', message: 'second' }]);
    health.clear('a');
    health.clear('a');
    expect(told).toEqual(['a begins', 'a ends']);
  });
  it('ends all problems of a kind but those that are named', () => {
    const health = new Health(clock, () => undefined);
    for (const key of ['x/1', 'x/2', 'y/1']) health.report(key, { red: true, message: 'm' });
    health.keepOnly('x/', new Set(['x/2']));
    expect(health.problems.map(({ key }) => key)).toEqual(['x/2', 'y/1']);
  });
});

describe('the files that tell of a router', () => {
  it('say how it is and what each agent looks like', async () => {
    const { bench, health, fleet } = await makeRunning();
    bench.setAgent('tester', { archived: true });
    bench.write('planner', 'a.json', { to: 'coder', act: 'inform', subject: 's', body: 'b' });
    await bench.pass();
    await new StatusWriter(bench.router, { history: well }).writeIfDue(true);
    expect(health()).toMatchObject({
      state: 'green',
      epoch: 1,
      pid: process.pid,
      lastPassAt: '2026-11-30T17:19:11.123Z',
      owedBatches: 0,
      deferredCopies: 0,
      historyBehind: 3,
      problems: [],
    });
    expect(fleet()).toMatchObject({
      godId: 'god',
      agents: { coder: { status: 'idle', unread: 1 }, tester: { status: 'gone', archived: true } },
    });
  });
  it('say who owes whom an answer, who was seen, and how much passes', async () => {
    const { bench, fleet } = await makeRunning();
    bench.setAgent('tester', { onHold: true });
    const letter = { to: 'coder', act: 'request', subject: 's', body: 'b' };
    bench.write('planner', 'a.json', letter);
    bench.write('planner', 'b.json', { ...letter, to: 'tester' });
    bench.write('coder', 'c.json', { ...letter, to: 'human', act: 'query' });
    await bench.pass();
    const [asked] = bench.inbox('coder');
    const began = '2026-11-30T17:19:11.123Z';
    bench.passTime(10_000);
    const later = '2026-11-30T17:19:21.123Z';
    const status = new StatusWriter(bench.router, { history: well });
    await status.write();
    expect(fleet()).toMatchObject({
      at: later,
      health: 'green',
      held: 1,
      deferred: 0,
      desk: 0,
      rates: { minute: { letters: 3, copies: 2 }, hour: { letters: 3, copies: 2 } },
      agents: {
        coder: { owes: 1, isOwed: 1, owesSince: began, oldestUnread: began, lastSent: began },
        planner: { owes: 0, isOwed: 1, unread: 1, lastSeen: began },
        god: { owes: 1, isOwed: 0 },
        tester: { owes: 0, unread: 0 },
      },
    });
    expect(fleet().agents.tester.lastSeen).toBeUndefined();
    bench.write('planner', 'e.json', letter);
    await bench.pass();
    await status.write();
    expect(fleet().agents.coder).toMatchObject({ owes: 2, owesSince: began, oldestUnread: began });
    bench.write('coder', 'd.json', { in_reply_to: asked?.id, act: 'done', body: 'b' });
    await bench.pass();
    await status.write();
    expect(fleet().agents.coder).toMatchObject({ owes: 1, lastSent: later, lastSeen: later });
    expect(fleet().agents.coder.owesSince).toBe(later);
    expect(fleet().agents.planner).toMatchObject({ isOwed: 1, unread: 2 });
  });
  it('list no inbox anew that was looked at for what was handled', async () => {
    const { bench, fleet } = await makeRunning();
    const letter = { to: 'coder', act: 'inform', subject: 's', body: 'b' };
    bench.write('planner', 'a.json', letter);
    await bench.passes(1);
    bench.passTime(5000);
    await bench.pass();
    const { inbox, done } = bench.layout.agent('coder' as AgentId);
    const byHand = '1m8pqferk000-00000000.json';
    bench.files.write(join(inbox, byHand), '{}');
    bench.passTime(5000);
    bench.write('planner', 'b.json', letter);
    await bench.pass();
    bench.fs.restart();
    await new StatusWriter(bench.router, { history: well }).write();
    expect(fleet().agents.coder.unread).toBe(3);
    expect(bench.fs.operations.filter(({ path }) => path.endsWith('/inbox'))).toEqual([]);
    bench.files.rename(join(inbox, byHand), join(done, byHand));
    bench.passTime(5000);
    await bench.passes(2);
    await new StatusWriter(bench.router, { history: well }).write();
    expect(fleet().agents.coder.unread).toBe(2);
  });
  it('say the same after a restart', async () => {
    const { bench, fleet } = await makeRunning();
    bench.write('planner', 'a.json', { to: 'coder', act: 'request', subject: 's', body: 'b' });
    await bench.passes(2);
    await new StatusWriter(bench.router, { history: well }).write();
    const { planner, coder } = fleet().agents;
    expect([planner.isOwed, coder.owes]).toEqual([1, 1]);
    await bench.start();
    await bench.pass();
    await new StatusWriter(bench.router, { history: well }).write();
    expect(fleet().agents).toMatchObject({ planner, coder });
    expect(fleet().rates.hour.letters).toBe(1);
  });
  it('tell how sessions stand, read again only where something has changed', async () => {
    const { bench, fleet } = await makeRunning();
    bench.write('planner', 'a.json', { to: 'coder', act: 'inform', body: 'x' });
    const { doorbellState } = bench.layout.agent('coder' as AgentId);
    const holder = { client: 'codex', session: 's', heardAt: 1, place: {} };
    const remember = (number: number, activity: string) =>
      bench.files.write(
        join(doorbellState, `000000000${number}.json`),
        JSON.stringify({ ...NO_STATE, holder, activity, activeAt: 1 }),
      );
    remember(1, 'busy');
    await bench.pass();
    const status = new StatusWriter(bench.router, { history: well });
    const reads = () =>
      bench.fs.operations.filter(
        ({ kind, path }) => kind === 'read' && /\/\d{10}\.json$/.test(path),
      ).length;
    await status.write();
    const unannounced = { letters: 1, why: 'at-work' };
    expect(fleet().agents.coder.doorbell).toMatchObject({
      session: { activity: 'busy' },
      unannounced,
    });
    expect(fleet().agents.planner.doorbell).toBeUndefined();
    bench.passTime(3000);
    await status.write();
    bench.fs.restart();
    await status.write();
    expect(reads()).toBe(0);
    remember(2, 'idle');
    await status.write();
    expect(fleet().agents.coder.doorbell.session.activity).toBe('idle');
  });
  it('are written at most every three seconds, and rarely while nothing changes', async () => {
    const { bench, health } = await makeRunning();
    const status = new StatusWriter(bench.router, { history: well });
    const times = new Set<string>();
    const run = async (seconds: number, change: boolean) => {
      times.clear();
      for (let second = 0; second < seconds; second++) {
        if (change) bench.router.health.report(`p${second}`, { red: false, message: 'm' });
        await status.writeIfDue(true);
        times.add(health().at);
        bench.passTime(1000);
      }
      return times.size;
    };
    expect(await run(60, true)).toBe(20);
    expect(await run(60, false)).toBeLessThanOrEqual(3);
  });
  it('say so when passes can not be finished, and since when they could not', async () => {
    const { bench, health } = await makeRunning();
    const status = new StatusWriter(bench.router, { history: well });
    await status.writeIfDue(true);
    bench.passTime(60_000);
    bench.router.health.report('pass', { red: true, message: 'm' });
    await status.writeIfDue(false);
    expect(health()).toMatchObject({ state: 'red', lastPassAt: '2026-11-30T17:19:11.123Z' });
  });
  it('make the router yellow and no more when they can not be written', async () => {
    const { bench, health } = await makeRunning();
    const status = new StatusWriter(bench.router, { history: well });
    bench.fs.plan = failWhere(({ kind }) => kind === 'create', 'ENOSPC');
    await status.writeIfDue(true);
    expect(bench.router.health.state).toBe('yellow');
    bench.fs.plan = undefined;
    bench.passTime(3000);
    await status.writeIfDue(true);
    expect(bench.router.health.state).toBe('green');
    expect(health().state).toBeDefined();
  });
  it('carry what the history says of itself', async () => {
    const { bench, health } = await makeRunning();
    const ill = { state: () => ({ ok: false, behind: 9, problem: 'No git.' }) };
    await new StatusWriter(bench.router, { history: ill }).write();
    expect(health()).toMatchObject({ state: 'yellow', historyBehind: 9 });
    expect(health().problems).toMatchObject([{ key: 'history', message: 'No git.' }]);
  });
});

describe('rows of what is not a letter', () => {
  it('wait for a log that can not be written, and the health says so while it lasts', async () => {
    const { bench } = await makeRunning();
    bench.fs.plan = failWhere(({ kind }) => kind === 'append', 'ENOSPC');
    bench.router.pendingEvents.push({ kind: 'warning', code: 'one' });
    await bench.passes(2);
    expect(bench.router.health.state).toBe('red');
    bench.fs.plan = undefined;
    await bench.passes(2);
    expect(warnings(bench)).toEqual(['one', 'log', 'log over']);
    expect(bench.router.health.state).toBe('green');
  });
  it('are given up beyond a thousand, the oldest first, and the log says how many', async () => {
    const { bench } = await makeRunning();
    const { router } = bench;
    bench.fs.plan = failWhere(({ kind }) => kind === 'append', 'ENOSPC');
    for (let n = 0; n < 1100; n++) router.pendingEvents.push({ kind: 'warning', code: `w${n}` });
    await writePendingEvents(router);
    await writePendingEvents(router);
    expect(router.pendingEvents).toHaveLength(1000);
    bench.fs.plan = undefined;
    await writePendingEvents(router);
    const codes = warnings(bench);
    expect(codes.slice(0, 2)).toEqual(['rows-lost', 'w101']);
    const [lost] = bench.rows().filter(({ code }) => code === 'rows-lost');
    expect(lost?.note).toContain('101 rows');
    await writePendingEvents(router);
    expect(warnings(bench).filter((code) => code === 'rows-lost')).toHaveLength(1);
  });
  it('are given up in the same way while no pass comes to its end, and told of with the next', async () => {
    const { bench } = await makeRunning();
    const { router } = bench;
    bench.fs.plan = failWhere(({ path }) => path.includes('/stage/'), 'ENOSPC');
    bench.write('planner', 'a.json', { to: 'coder', act: 'inform', body: 'x' });
    for (let n = 0; n < 600; n++) {
      router.health.report(`flickering/${n}`, { red: false, message: 'x' });
      router.health.clear(`flickering/${n}`);
      if (n % 100 === 0) await expect(bench.pass()).rejects.toThrow('ENOSPC');
    }
    expect(router.pendingEvents).toHaveLength(1000);
    expect(router.pendingEvents.lost).toBe(200);
    bench.fs.plan = undefined;
    await bench.pass();
    expect(warnings(bench)).toHaveLength(1001);
    const [lost] = bench.rows().filter(({ code }) => code === 'rows-lost');
    expect(lost?.note).toContain('200 rows');
    expect(bench.inbox('coder')).toHaveLength(1);
  });
  it('are not lost when more of them come while some are being written', async () => {
    const { bench } = await makeRunning();
    const { router } = bench;
    router.pendingEvents.push({ kind: 'warning', code: 'one' });
    const writing = writePendingEvents(router);
    router.pendingEvents.push({ kind: 'warning', code: 'two' });
    await writing;
    await writePendingEvents(router);
    expect(warnings(bench)).toEqual(['one', 'two']);
  });
});
