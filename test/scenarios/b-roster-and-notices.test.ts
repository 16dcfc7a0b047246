/** Group B of the scenarios, from B7: what the roster and the notices have to do with it. */
import { rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { openHiveBench } from '../helpers/hive-bench.ts';

// Real files and real syncs: what is quick alone takes long on a busy disk.
vi.setConfig({ testTimeout: 60_000 });

const LETTER = { act: 'request', subject: 'Split', body: 'In two.' };

describe('agents that are archived, on hold or send-only (B7)', () => {
  it('archived: the letter is filed, and if a reply was due the sender is told once that nobody is there', async () => {
    const hive = await openHiveBench();
    await hive.change({ op: 'archive', agent: 'coder' });
    const row = await hive.send('planner', { ...LETTER, to: 'coder' });
    expect(row).toMatchObject({ outcome: 'delivered', code: 'filed', delivered: ['coder'] });
    expect(hive.notices('planner')[0]?.body).toContain('nobody works there now');
    await hive.send('planner', { ...LETTER, act: 'inform', to: 'coder' });
    expect(hive.notices('planner')).toHaveLength(1);
    expect(hive.inbox('coder')).toHaveLength(2);
  });
  it('send-only: it bounces', async () => {
    const hive = await openHiveBench();
    await hive.change({ op: 'set', agent: 'coder', fields: { isAssistant: true } });
    const row = await hive.send('planner', { ...LETTER, to: 'coder' });
    expect(row).toMatchObject({ outcome: 'bounced', code: 'send-only' });
    expect(hive.inbox('coder')).toEqual([]);
    expect((await hive.send('coder', { ...LETTER, to: 'planner' })).code).toBe('delivered');
  });
  it('on hold: it lies in held/, and is delivered under its id when the hold ends', async () => {
    const hive = await openHiveBench();
    await hive.change({ op: 'hold', agent: 'coder' });
    const row = await hive.send('planner', { ...LETTER, to: 'coder' });
    expect(row).toMatchObject({ outcome: 'held', code: 'on-hold', held: ['coder'] });
    expect([hive.inbox('coder').length, hive.held('coder').length]).toEqual([0, 1]);
    await hive.restart();
    await hive.run();
    expect(hive.held('coder')).toHaveLength(1);
    await hive.change({ op: 'unhold', agent: 'coder' });
    expect(hive.inbox('coder')).toMatchObject([{ id: row.id, from: 'planner', hops: 0 }]);
    expect(hive.inbox('coder')[0]?.held).toBeUndefined();
    expect(hive.held('coder')).toEqual([]);
    expect(hive.letterRows().filter(({ id }) => id === row.id)).toHaveLength(1);
    const reply = await hive.send('coder', { act: 'done', body: 'x', in_reply_to: row.id });
    expect(reply).toMatchObject({ code: 'delivered', hops: 1, to: ['planner'] });
  });
  it('a person may release what waits for a hold to end, and it comes once', async () => {
    const hive = await openHiveBench();
    await hive.change({ op: 'hold', agent: 'coder' });
    const row = await hive.send('planner', { ...LETTER, to: 'coder' });
    expect(await hive.release(row.id as string)).toContain('is delivered to coder');
    expect(await hive.release('1m8p570ga000-aaaaaaaa')).toContain('not-found');
    await hive.release(row.id as string);
    await hive.change({ op: 'unhold', agent: 'coder' });
    expect(hive.inbox('coder')).toHaveLength(1);
  });
  it('restored: ordinary again, and nothing old is announced again', async () => {
    const hive = await openHiveBench();
    await hive.change({ op: 'archive', agent: 'coder' });
    await hive.send('planner', { ...LETTER, to: 'coder' });
    const rows = hive.letterRows().length;
    await hive.change({ op: 'restore', agent: 'coder' });
    expect(hive.inbox('coder')).toHaveLength(1);
    expect(hive.letterRows()).toHaveLength(rows);
    const row = await hive.send('planner', { ...LETTER, to: 'coder' });
    expect(row.code).toBe('delivered');
    expect(hive.notices('planner')).toHaveLength(1);
  });
});

describe('a registry that can not be read (B8)', () => {
  it.each(['', '{"agents": {"god"', 'null', '{"agents": []}'])(
    'leaves the last good copy in force: %j',
    async (broken) => {
      const hive = await openHiveBench();
      await hive.run();
      hive.overwrite('registry.json', broken);
      const row = await hive.send('planner', { ...LETTER, to: 'coder' });
      expect(row.code).toBe('delivered');
      expect(hive.router.health.state).toBe('red');
      expect(hive.notices('planner')).toEqual([]);
    },
  );
  it('with no good copy, nothing is claimed, health is red, and nobody is told the recipient is unknown', async () => {
    const hive = await openHiveBench();
    const good = hive.read('registry.json');
    await hive.close();
    hive.overwrite('registry.json', '{"agents": {"god"');
    await hive.open();
    hive.write('planner', { ...LETTER, to: 'coder' }, 'task.json');
    await hive.settle();
    expect(hive.list('agents', 'planner', 'outbox')).toEqual(['.sent', 'task.json']);
    expect(hive.router.health.state).toBe('red');
    expect(hive.notices('planner')).toEqual([]);
    hive.overwrite('registry.json', good);
    await hive.run();
    expect(hive.inbox('coder')).toHaveLength(1);
    expect(hive.router.health.state).not.toBe('red');
  });
});

describe('a hive without an orchestrator (B9)', () => {
  it('brings mail for the person to the desk, and mail for the orchestrator back', async () => {
    const hive = await openHiveBench({ agents: ['coder', 'tester'], orchestrator: null });
    const row = await hive.send('coder', { ...LETTER, act: 'query', to: 'human' });
    expect(row.delivered).toEqual(['human']);
    expect(hive.inbox('human')).toMatchObject([{ from: 'coder', needs_human: true }]);
    for (const to of ['orchestrator', 'god']) {
      expect((await hive.send('coder', { ...LETTER, to })).code).toBe('no-orchestrator');
    }
    await hive.send('human', { act: 'inform', body: 'Yes.', in_reply_to: row.id });
    const [answer] = hive.inbox('coder').filter(({ from }) => from === 'human');
    await hive.send('coder', { act: 'inform', body: 'Done so.', in_reply_to: answer?.id });
    expect(hive.inbox('human').map(({ body }) => body)).toEqual(['In two.', 'Done so.']);
  });
  it('is also one whose orchestrator is archived', async () => {
    const hive = await openHiveBench();
    await hive.change({ op: 'archive', agent: 'god' });
    expect((await hive.send('coder', { ...LETTER, to: 'human' })).delivered).toEqual(['human']);
    expect((await hive.send('coder', { ...LETTER, to: 'orchestrator' })).code).toBe(
      'no-orchestrator',
    );
  });
});

describe('notices (B10)', () => {
  it('that are answered: refused, told once, no loop', async () => {
    const hive = await openHiveBench();
    await hive.send('coder', { ...LETTER, to: 'nobody' });
    const written = await hive.converse(['coder', 'god'], (_, { id }) => ({
      act: 'agree',
      body: 'Thanks!',
      in_reply_to: id,
    }));
    expect(written).toBe(2);
    expect(
      hive
        .letterRows()
        .slice(1)
        .map(({ code }) => code),
    ).toEqual(['reply-to-system', 'reply-to-system']);
    await hive.send('coder', { ...LETTER, to: 'system' });
    expect(hive.notices('coder')).toEqual([]);
  });
  it('are never bounced: one for an inbox that is broken waits until it is whole', async () => {
    const hive = await openHiveBench();
    const inbox = join(hive.dir, 'agents', 'coder', 'inbox');
    rmdirSync(join(inbox, '.done'));
    rmdirSync(inbox);
    writeFileSync(inbox, 'x');
    await hive.send('coder', { ...LETTER, to: 'nobody' });
    hive.fs.unlink(inbox);
    hive.wait(60_000);
    await hive.run();
    expect(hive.notices('coder')).toHaveLength(1);
    expect(hive.rows().filter(({ kind }) => kind === 'notice')).toHaveLength(1);
  });
  it('of a letter that fails for three names tell these apart', async () => {
    const hive = await openHiveBench();
    await hive.send('coder', { ...LETTER, to: ['xavier', 'yvonne', 'zacharias'] });
    const [notice, ...others] = hive.notices('coder');
    expect(others).toEqual([]);
    for (const name of ['xavier', 'yvonne', 'zacharias'])
      expect(notice?.body).toContain(`"${name}"`);
  });
  it('of a broadcast that could not be delivered to three agents are three', async () => {
    const hive = await openHiveBench({ settings: { owed: { expireMs: 1000 } } });
    for (const agent of ['god', 'coder', 'tester']) {
      const inbox = join(hive.dir, 'agents', agent, 'inbox');
      rmdirSync(join(inbox, '.done'));
      rmdirSync(inbox);
      writeFileSync(inbox, 'x');
    }
    const row = await hive.send('planner', { ...LETTER, act: 'inform', to: 'broadcast' });
    expect(row).toMatchObject({ outcome: 'held', code: 'owed', owed: ['god', 'coder', 'tester'] });
    for (let left = 4; left > 0; left--) {
      hive.wait(60_000);
      await hive.run();
    }
    expect(
      hive
        .notices('planner')
        .map(({ subject }) => subject)
        .sort(),
    ).toEqual(['coder', 'god', 'tester'].map((to) => `held: undeliverable: to ${to}: Split`));
    expect(hive.held('tester')).toMatchObject([{ id: row.id, held: { code: 'undeliverable' } }]);
  });
});

describe('an outbox in a directory that is not a registered agent (B11)', () => {
  it('is not routed, and is reported', async () => {
    const hive = await openHiveBench();
    hive.plant('agents/stranger/outbox', 'a.json', JSON.stringify({ ...LETTER, to: 'coder' }));
    await hive.settle();
    expect(hive.list('agents', 'stranger', 'outbox')).toEqual(['a.json']);
    expect(hive.inbox('coder')).toEqual([]);
    const [problem] = hive.router.health.problems;
    expect(problem).toMatchObject({ key: 'unregistered/stranger', red: false });
    expect(hive.rows()).toContainEqual(
      expect.objectContaining({
        kind: 'warning',
        note: expect.stringContaining('agent add stranger'),
      }),
    );
  });
  it('is routed once it is registered', async () => {
    const hive = await openHiveBench();
    hive.plant('agents/stranger/outbox', 'a.json', JSON.stringify({ ...LETTER, to: 'coder' }));
    await hive.run();
    await hive.change({ op: 'add', agent: 'stranger', fields: {} });
    expect(hive.inbox('coder')).toMatchObject([{ from: 'stranger' }]);
    expect(hive.router.health.problems).toEqual([]);
  });
});

describe('what was routed', () => {
  it('is in git in the end, with everyone it went to', async () => {
    const hive = await openHiveBench();
    await hive.send('planner', { ...LETTER, to: ['coder', 'tester'] });
    expect(await hive.recorded()).toBe(true);
    expect(hive.list('.router', 'history')).toEqual([]);
  });
});
