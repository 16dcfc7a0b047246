import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import { systemClock } from '../../src/hive/system-clock.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import { type RunningRouter, type StartOptions, startRouter } from '../../src/router/daemon.ts';
import { openRouter } from '../../src/router/open-router.ts';
import { createFaultyFs, failWhere } from '../helpers/faulty-fs.ts';
import { makeRealHive, type RealHive, until } from './real-hive.ts';

const letter = (to: string, subject: string) => ({ to, act: 'inform', subject, body: 'b' });
/** No poll within a test: what moves then was brought forward by something else. */
const NEVER_MS = 3_600_000;

async function start(
  hive: RealHive,
  options: Partial<StartOptions> = {},
): Promise<RunningRouter & { ended: Promise<void> }> {
  const router = await startRouter({ dir: hive.dir, pollMs: 20, watch: false, ...options });
  onTestFinished(async () => void (await router.stop().catch(() => undefined)));
  return router;
}

/** Writes letters until one of them arrives: a watch takes a moment to stand, which nothing tells. */
async function writeUntilSeen(hive: RealHive, agent: string): Promise<void> {
  for (let n = 0; hive.inbox('coder').every(({ from }) => from !== agent); n++) {
    hive.write(agent, `${n}.json`, letter('coder', `${n}`));
    await pause(20);
  }
  await until(() => readdirSync(hive.layout.agent(agent as AgentId).outbox).length === 1);
}

describe('a router at work', () => {
  it('has run its first pass by the time it says that it has started', async () => {
    const hive = await makeRealHive();
    hive.write('planner', 'a.json', letter('coder', 'waiting'));
    await start(hive, { pollMs: NEVER_MS });
    expect(hive.inbox('coder')).toMatchObject([{ subject: 'waiting', from: 'planner' }]);
  });
  it('delivers by its poll alone', async () => {
    const hive = await makeRealHive();
    await start(hive);
    for (const subject of ['one', 'two', 'three']) {
      hive.write('planner', `${subject}.json`, letter('coder', subject));
      await until(() => hive.inbox('coder').at(-1)?.subject === subject);
    }
  });
  it('delivers at once when its watch sees a letter, long before the poll', async () => {
    const hive = await makeRealHive();
    await start(hive, { pollMs: NEVER_MS, watch: true });
    await writeUntilSeen(hive, 'planner');
    for (const subject of ['one', 'two', 'three']) {
      hive.write('planner', `${subject}.json`, letter('coder', subject));
      await until(() => hive.inbox('coder').at(-1)?.subject === subject);
    }
  });
  it('watches the outbox of an agent that is added while it runs', async () => {
    const hive = await makeRealHive();
    const router = await start(hive, { pollMs: NEVER_MS, watch: true });
    const registry = JSON.parse(readFileSync(hive.layout.registry, 'utf8'));
    registry.agents.writer = {};
    writeFileSync(hive.layout.registry, JSON.stringify(registry));
    router.nudge();
    await until(() => existsSync(join(hive.dir, 'agents', 'writer', 'outbox')));
    await writeUntilSeen(hive, 'writer');
  });
  it('runs its next pass at once when it is nudged', async () => {
    const hive = await makeRealHive();
    const router = await start(hive, { pollMs: NEVER_MS });
    hive.write('planner', 'a.json', letter('coder', 'x'));
    router.nudge();
    await until(() => hive.inbox('coder').length === 1);
  });
  it('takes a backlog in one go, pass after pass', async () => {
    const hive = await makeRealHive({ budget: { lettersPerPass: 10, lettersPerSender: 5 } });
    for (let n = 0; n < 40; n++) hive.write('planner', `${n}.json`, letter('coder', `${n}`));
    await start(hive, { pollMs: NEVER_MS });
    await until(() => hive.inbox('coder').length === 40);
    expect(hive.inbox('coder').map(({ subject }) => subject)).toEqual(
      Array.from({ length: 40 }, (_, n) => `${n}`),
    );
  });
  it('tells of each row, and is stopped by no listener that throws', async () => {
    const hive = await makeRealHive();
    const told: string[] = [];
    await start(hive, {
      onRow: ({ kind }) => {
        told.push(kind);
        throw new Error('from a listener');
      },
      onTrouble: () => {
        throw new Error('from the other one');
      },
    });
    for (const name of ['a', 'b']) {
      hive.write('planner', `${name}.json`, letter('coder', name));
      await until(() => hive.inbox('coder').at(-1)?.subject === name);
    }
    await until(() => told.filter((kind) => kind === 'letter').length === 2);
    expect(told[0]).toBe('router');
  });
});

describe('a router whose machine is in trouble', () => {
  it('says so in its health file, and goes on by itself when it is over', async () => {
    const hive = await makeRealHive();
    const fs = createFaultyFs(createNodeFs());
    let shift = 0;
    const clock = {
      now: () => systemClock.now(),
      monotonic: () => systemClock.monotonic() + shift,
    };
    const troubles: unknown[] = [];
    await start(hive, { fs, clock, onTrouble: (error) => troubles.push(error) });
    fs.plan = failWhere(({ path }) => path.includes('/stage/'), 'ENOSPC');
    hive.write('planner', 'a.json', letter('coder', 'x'));
    await until(() => troubles.length > 0);
    const health = () => JSON.parse(readFileSync(hive.layout.health, 'utf8'));
    shift += 5000;
    await until(() => health().state === 'red');
    expect(health().problems).toMatchObject([{ key: 'pass', red: true }]);
    fs.plan = undefined;
    await until(() => hive.inbox('coder').length === 1);
    shift += 5000;
    await until(() => health().state === 'green');
  });
});

describe('a disk that is slow with what tells of the router', () => {
  it('holds up no letter, nor the next time to tell', async () => {
    const hive = await makeRealHive();
    let shift = 0;
    const clock = {
      now: () => systemClock.now(),
      monotonic: () => systemClock.monotonic() + shift,
    };
    const fs = createNodeFs();
    const { create } = fs;
    await start(hive, { fs, clock, pollMs: 20 });
    const before = readFileSync(hive.layout.health, 'utf8');
    let write: (() => void) | undefined;
    fs.create = async (path, content) => {
      if (path.startsWith(join(hive.layout.router, '.tmp-')) && write === undefined) {
        await new Promise<void>((resolve) => {
          write = resolve;
        });
      }
      await create(path, content);
    };
    hive.write('planner', 'a.json', letter('coder', 'one'));
    await until(() => hive.inbox('coder').length === 1);
    shift += 5000;
    await until(() => write !== undefined);
    hive.write('planner', 'b.json', letter('coder', 'two'));
    await until(() => hive.inbox('coder').length === 2);
    expect(readFileSync(hive.layout.health, 'utf8')).toBe(before);
    write?.();
    await until(() => readFileSync(hive.layout.health, 'utf8') !== before);
  });
});

describe('stopping a router', () => {
  it('ends the pass that is under way, and leaves nothing behind that runs or is owed', async () => {
    const hive = await makeRealHive();
    const router = await start(hive);
    for (let n = 0; n < 20; n++) hive.write('planner', `${n}.json`, letter('coder', `${n}`));
    router.nudge();
    await router.stop();
    await expect(router.ended).resolves.toBeUndefined();
    const left = readdirSync(hive.layout.router);
    expect(left.filter((name) => /^e\d/.test(name))).toEqual([]);
    expect(readdirSync(hive.layout.historyQueue)).toEqual([]);
    const sent = readdirSync(join(hive.dir, 'agents/planner/outbox/.sent')).length;
    const waiting = readdirSync(join(hive.dir, 'agents/planner/outbox')).length - 1;
    expect(sent + waiting).toBe(20);
    expect(hive.inbox('coder')).toHaveLength(sent);
    expect(hive.rows('router').map(({ code }) => code)).toEqual(['start', 'stop']);
  });
  it('is harmless twice, and gives the hive to the next', async () => {
    const hive = await makeRealHive();
    const router = await start(hive);
    await Promise.all([router.stop(), router.stop()]);
    const next = await start(hive);
    await next[Symbol.asyncDispose]();
    expect(hive.rows('router').map(({ epoch }) => epoch)).toEqual([1, 1, 2, 2]);
  });
  it('succeeds on a machine that can not write any more', async () => {
    const hive = await makeRealHive();
    const fs = createFaultyFs(createNodeFs());
    const router = await start(hive, { fs });
    fs.plan = failWhere(({ kind }) => kind === 'append', 'ENOSPC');
    expect(await router.stop()).toEqual({ remains: [] });
    const next = await start(hive);
    await next.stop();
  });
});

describe('two routers on one hive', () => {
  it('are never: the second is refused, and told who the first is', async () => {
    const hive = await makeRealHive();
    await start(hive);
    const refused = startRouter({ dir: hive.dir });
    await expect(refused).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining(String(process.pid)),
    });
  });
  it('are one after a takeover: the first ends by itself, and no letter goes twice', async () => {
    const hive = await makeRealHive();
    const first = await start(hive);
    hive.write('planner', 'a.json', letter('coder', 'before'));
    await until(() => hive.inbox('coder').length === 1);
    await start(hive, { takeover: true });
    await expect(first.ended).rejects.toMatchObject({ code: 'fenced' });
    hive.write('planner', 'b.json', letter('coder', 'after'));
    await until(() => hive.rows().length === 2);
    expect(hive.inbox('coder').map(({ subject }) => subject)).toEqual(['before', 'after']);
    expect(
      hive
        .rows('router')
        .map(({ note }) => note)
        .join(' '),
    ).toContain('taken over from process');
  });
  it('leave nothing open when the start fails half way', async () => {
    const hive = await makeRealHive();
    rmSync(hive.layout.log, { force: true });
    symlinkSync('/nowhere', hive.layout.log);
    await expect(startRouter({ dir: hive.dir })).rejects.toMatchObject({ code: 'ELOOP' });
    rmSync(hive.layout.log);
    const router = await start(hive);
    await router.stop();
  });
});

describe('a router in a real folder', () => {
  it('goes on with what the last one knew and owed', async () => {
    const hive = await makeRealHive();
    const first = await start(hive);
    const { inbox } = hive.layout.agent('tester' as never);
    rmSync(inbox, { recursive: true });
    writeFileSync(inbox, 'no directory');
    hive.write('planner', 'a.json', { to: 'coder', act: 'query', subject: 'q', body: 'b' });
    hive.write('planner', 'b.json', letter('tester', 'owed'));
    await until(() => hive.rows().length === 2);
    await first.stop();
    rmSync(inbox);
    const second = await start(hive);
    const [query] = hive.inbox('coder');
    const reply = { in_reply_to: query?.id, act: 'query', subject: 'r', body: 'b' };
    hive.write('coder', 'c.json', reply);
    await until(() => hive.inbox('planner').some(({ subject }) => subject === 'r'));
    expect(hive.inbox('planner').find(({ subject }) => subject === 'r')?.hops).toBe(1);
    await until(() => hive.rows('late').length === 1);
    expect(hive.inbox('tester')).toMatchObject([{ subject: 'owed' }]);
    await second.stop();
  });
  it('says what it leaves in .router/ when it stops, and the log says so too', async () => {
    const hive = await makeRealHive();
    const router = await start(hive);
    for (const agent of ['tester', 'coder']) {
      const { inbox } = hive.layout.agent(agent as AgentId);
      rmSync(inbox, { recursive: true });
      writeFileSync(inbox, 'no directory');
    }
    hive.write('planner', 'a.json', letter('tester', 'a'));
    hive.write('planner', 'b.json', { ...letter('', 'b'), to: ['coder', 'tester'] });
    hive.write('planner', 'c.json', letter('god', 'c'));
    await until(() => hive.rows().length === 3);
    const { remains } = await router.stop();
    expect(remains.toSorted()).toEqual([
      "1 message for coder can't be put into agents/coder/inbox (ENOTDIR).",
      "2 messages for tester can't be put into agents/tester/inbox (ENOTDIR).",
      'Do not delete .router/: the next router brings them to their end.',
    ]);
    for (const sentence of remains) expect(hive.rows('router').at(-1)?.note).toContain(sentence);
    const second = await start(hive);
    for (const agent of ['tester', 'coder']) rmSync(hive.layout.agent(agent as AgentId).inbox);
    await until(() => hive.rows('late').length >= 3);
    expect(await second.stop()).toEqual({ remains: [] });
    expect(hive.rows('router').at(-1)?.note).toMatch(/^Router stopped, epoch \d+\.$/);
    expect(readdirSync(hive.layout.router).filter((name) => name.startsWith('e'))).toEqual([]);
  });
  it('refuses a folder that is no hive, and one that lies on two file systems', async () => {
    const hive = await makeRealHive();
    const dir = join(hive.dir, 'agents');
    await expect(openRouter({ dir, clock: systemClock })).rejects.toMatchObject({
      code: 'hive-not-found',
    });
    const fs = createNodeFs();
    const split = {
      ...fs,
      stat: (path: string) => {
        const stat = fs.stat(path);
        return stat && path.endsWith('/agents') ? { ...stat, device: 0n } : stat;
      },
    };
    await expect(
      openRouter({ dir: hive.dir, clock: systemClock, fs: split }),
    ).rejects.toMatchObject({
      code: 'io',
    });
  });
});
