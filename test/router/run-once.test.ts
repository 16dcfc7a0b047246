import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import { systemClock } from '../../src/hive/system-clock.ts';
import { requestControl } from '../../src/router/control-client.ts';
import { type StartOptions, startRouter } from '../../src/router/daemon.ts';
import { openRouter } from '../../src/router/open-router.ts';
import { runOnce } from '../../src/router/run-once.ts';
import { createFaultyFs, type FaultPlan, failWhere } from '../helpers/faulty-fs.ts';
import { makeRealHive, type RealHive, until } from './real-hive.ts';

const letter = (to: string, subject: string) => ({ to, act: 'inform', subject, body: 'b' });
const once = (hive: RealHive, options: object = {}) =>
  runOnce({ dir: hive.dir, clock: systemClock, ...options });

async function start(hive: RealHive, options: Partial<StartOptions> = {}) {
  const router = await startRouter({ dir: hive.dir, pollMs: 20, watch: false, ...options });
  onTestFinished(async () => void (await router.stop().catch(() => undefined)));
  return router;
}

describe('running once', () => {
  it('delivers what is there, records it, and leaves the hive to the next', async () => {
    const hive = await makeRealHive({ budget: { lettersPerPass: 3, lettersPerSender: 2 } });
    for (let n = 0; n < 7; n++) hive.write('planner', `${n}.json`, letter('coder', `${n}`));
    const report = { letters: 7, waiting: false, recorded: true, left: [], unhealthy: false };
    expect(await once(hive)).toEqual(report);
    expect(hive.inbox('coder')).toHaveLength(7);
    const log = execFileSync('git', ['log', '--format=%s'], { cwd: hive.dir, encoding: 'utf8' });
    expect(log).not.toBe('');
    expect(await once(hive)).toMatchObject({ letters: 0 });
  });
  it('waits for files that may still be written, until they are judged', async () => {
    const hive = await makeRealHive({ settle: { openMs: 300, closedMs: 300, strayMs: 300 } });
    const { outbox } = hive.layout.agent('planner' as never);
    writeFileSync(join(outbox, 'half.json'), '{"to":"coder","bo');
    writeFileSync(join(outbox, 'notes.txt'), 'x');
    expect(await once(hive)).toMatchObject({ letters: 1, waiting: false });
    expect(hive.rows()).toMatchObject([{ outcome: 'quarantined', code: 'cut-off' }]);
    const codes = hive.inbox('planner').map(({ notice }) => notice?.code);
    expect(new Set(codes)).toEqual(new Set(['cut-off', 'stray']));
  });
  it.each<[string, (hive: RealHive) => FaultPlan, RegExp]>([
    [
      'a letter that can never be read',
      () => failWhere(({ kind, path }) => kind === 'read' && path.endsWith('/a.json'), 'EACCES'),
      /"a.json" \(EACCES\) of planner can't be taken in/,
    ],
    [
      'an inbox that takes nothing',
      (hive) => {
        const { inbox } = hive.layout.agent('coder' as never);
        rmSync(inbox, { recursive: true });
        writeFileSync(inbox, 'no directory');
        return () => undefined;
      },
      /^1 message for coder can't be put into agents\/coder\/inbox \(ENOTDIR\)\.$/,
    ],
    [
      'no roster',
      (hive) => {
        rmSync(hive.layout.registry);
        return () => undefined;
      },
      /^registry\.json is missing/,
    ],
  ])('ends soon although there is %s, and says what is left', async (_, breakIt, told) => {
    const hive = await makeRealHive();
    hive.write('planner', 'a.json', letter('coder', 'a'));
    const fs = createFaultyFs(createNodeFs());
    fs.plan = breakIt(hive);
    const startedMs = performance.now();
    const { left, waiting } = await once(hive, { fs });
    expect(performance.now() - startedMs).toBeLessThan(20_000);
    expect(waiting).toBe(false);
    expect(left.filter((sentence) => told.test(sentence))).toHaveLength(1);
    expect(hive.rows('router').at(-1)?.note).toContain('stopped');
  });
  it.each([
    ['a claim that can never be read', '~planner~a.json', "of planner can't be decided on (EIO)"],
    ['a file there that no router has put there', 'letter.json', "of nobody can't be decided on"],
  ])('ends soon although there is %s', async (_, name, told) => {
    const hive = await makeRealHive();
    const open = await openRouter({ dir: hive.dir, clock: systemClock });
    const { epoch, ids } = open.router;
    const prefix = name.startsWith('~') ? ids.next() : '';
    writeFileSync(join(epoch.claim, `${prefix}${name}`), '{}');
    await open.close();
    const fs = createFaultyFs(createNodeFs());
    fs.plan = failWhere(({ kind, path }) => kind === 'read' && path.includes('/claim/'), 'EIO');
    const startedMs = performance.now();
    expect((await once(hive, { fs })).left.join(' ')).toContain(told);
    expect(performance.now() - startedMs).toBeLessThan(20_000);
  });
  it('is refused while a router is up', async () => {
    const hive = await makeRealHive();
    await start(hive);
    await expect(once(hive)).rejects.toMatchObject({ code: 'locked' });
  });
  it('bears a bad moment of the machine, and says what it is when that lasts', async () => {
    const hive = await makeRealHive();
    const fs = createFaultyFs(createNodeFs());
    let faults = 0;
    fs.plan = ({ kind, path }) => {
      if (kind !== 'mkdir' || !path.includes('/stage/')) return undefined;
      faults += 1;
      return faults <= 2 ? { code: 'EIO', when: 'before' } : undefined;
    };
    hive.write('planner', 'a.json', letter('coder', 'a'));
    expect(await once(hive, { fs })).toMatchObject({ letters: 1 });
    fs.plan = failWhere(({ path }) => path.includes('/stage/'), 'ENOSPC');
    hive.write('planner', 'b.json', letter('coder', 'b'));
    await expect(once(hive, { fs })).rejects.toMatchObject({
      code: 'io',
      message: expect.stringContaining('ENOSPC'),
    });
    expect(await once(hive)).toMatchObject({ letters: 1 });
    expect(hive.inbox('coder')).toHaveLength(2);
  });
});

describe('a request from outside', () => {
  const hold = { kind: 'roster', change: { op: 'hold', agent: 'coder' } } as const;
  const add = (agent: string) =>
    ({ kind: 'roster', change: { op: 'add', agent, fields: {} } }) as const;
  const ask = (hive: RealHive, request: Parameters<typeof requestControl>[1]) =>
    requestControl(hive.dir, request, systemClock);

  it('is carried out on the spot when no router is up, without taking in letters', async () => {
    const hive = await makeRealHive();
    hive.write('planner', 'a.json', letter('tester', 'a'));
    expect(await ask(hive, hold)).toContain('on hold');
    expect(hive.inbox('tester')).toEqual([]);
    expect(hive.rows('roster')).toMatchObject([{ to: ['coder'], code: 'hold' }]);
  });
  it('is carried out by the router that is up', async () => {
    const hive = await makeRealHive();
    await start(hive);
    expect(await ask(hive, hold)).toContain('on hold');
    await until(() => hive.rows('roster').length > 0);
    expect(hive.rows('roster')).toMatchObject([{ epoch: 1 }]);
  });
  it('is refused with its code and sentence, either way', async () => {
    const hive = await makeRealHive();
    const wrong = { kind: 'release', id: 'none' } as const;
    await expect(ask(hive, wrong)).rejects.toMatchObject({ code: 'not-found' });
    await start(hive);
    await expect(ask(hive, wrong)).rejects.toMatchObject({ code: 'not-found' });
    await expect(ask(hive, add('coder'))).rejects.toMatchObject({ code: 'refused' });
  });
  it('is carried out beside others at the same moment, each of them', async () => {
    const hive = await makeRealHive();
    const names = ['a1', 'a2', 'a3', 'a4'];
    const said = await Promise.all(names.map((name) => ask(hive, add(name))));
    expect(said).toEqual(names.map((name) => expect.stringContaining(name)));
    expect(new Set(hive.rows('roster').flatMap(({ to }) => to))).toEqual(new Set(names));
  });
});
