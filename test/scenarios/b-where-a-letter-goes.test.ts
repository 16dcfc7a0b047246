/** Group B of the scenarios, against a real hive: files in, files out. */
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { isAgentId } from '../../src/protocol/addresses.ts';
import { type HiveBench, openHiveBench } from '../helpers/hive-bench.ts';

// Real files and real syncs: what is quick alone takes long on a busy disk.
vi.setConfig({ testTimeout: 60_000 });

const LETTER = { act: 'request', subject: 'Split', body: 'In two.' };

/** Who got how many letters of a sender. */
function reached(hive: HiveBench, from: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const agent of hive.list('agents')) {
    const count = hive.inbox(agent).filter((message) => message.from === from).length;
    if (count > 0) counts[agent] = count;
  }
  return counts;
}

describe('an unknown recipient (B1)', () => {
  it('bounces to the sender with the nearest names and to nobody else; no directory is made; the log never says delivered', async () => {
    const hive = await openHiveBench();
    const row = await hive.send('planner', { ...LETTER, to: 'codr' });
    expect(row).toMatchObject({ outcome: 'bounced', code: 'unknown-recipient', to: ['codr'] });
    expect(row.delivered).toBeUndefined();
    expect(reached(hive, 'planner')).toEqual({});
    expect(reached(hive, 'system')).toEqual({ planner: 1 });
    expect(hive.notices('planner')[0]?.body).toContain('Did you mean coder?');
    expect(hive.list('agents')).toEqual(['coder', 'god', 'human', 'planner', 'tester']);
    expect(hive.list('held')).toEqual([]);
    expect(hive.list('agents', 'planner', 'outbox', '.sent')).toEqual([`bounced-${row.id}.1.json`]);
  });
  it('among known ones leaves these served, and the sender knows whom it missed', async () => {
    const hive = await openHiveBench();
    const row = await hive.send('planner', { ...LETTER, to: ['coder', 'codr'] });
    expect(row).toMatchObject({
      outcome: 'partial',
      delivered: ['coder'],
      failed: { codr: 'unknown-recipient' },
    });
    expect(hive.notices('planner')).toHaveLength(1);
  });
});

describe('a display name (B2)', () => {
  it('in any case leads to the one agent of that name, and `to` is rewritten to the id', async () => {
    const hive = await openHiveBench();
    await hive.change({ op: 'rename', agent: 'coder', name: 'Grace Hopper' });
    await hive.send('planner', { ...LETTER, to: 'grace HOPPER' });
    expect(hive.inbox('coder')).toMatchObject([{ to: 'coder', from: 'planner' }]);
  });
  it('of two agents bounces with both ids', async () => {
    const hive = await openHiveBench();
    for (const agent of ['coder', 'tester'])
      await hive.change({ op: 'rename', agent, name: 'Ada' });
    const row = await hive.send('planner', { ...LETTER, to: 'Ada' });
    expect(row).toMatchObject({ outcome: 'bounced', code: 'ambiguous-recipient' });
    expect(hive.notices('planner')[0]?.body).toContain('coder, tester');
    await hive.change({ op: 'archive', agent: 'tester' });
    expect((await hive.send('planner', { ...LETTER, to: 'Ada' })).delivered).toEqual(['coder']);
  });
});

describe('odd addresses (B3)', () => {
  it('are trimmed and resolved exactly, or refused; one copy each', async () => {
    const hive = await openHiveBench();
    const outcomes: [unknown, string][] = [
      ['coder/../god', 'unknown-recipient'],
      ['../../x', 'unknown-recipient'],
      ['coder\u0000', 'bad-recipient'],
      ['CODER', 'delivered'],
      [' coder ', 'delivered'],
      [['coder', 'coder'], 'delivered'],
      ['@coder', 'delivered'],
      ['coder, Coder', 'delivered'],
      [[], 'no-recipient'],
      ['', 'no-recipient'],
      [7, 'bad-recipient'],
      [['coder', 7], 'bad-recipient'],
      [{ id: 'coder' }, 'bad-recipient'],
      [null, 'no-recipient'],
      ['__proto__', 'unknown-recipient'],
      ['..', 'unknown-recipient'],
      ['agents/coder', 'unknown-recipient'],
      ['/', 'unknown-recipient'],
    ];
    for (const [to, code] of outcomes) {
      expect((await hive.send('planner', { ...LETTER, to })).code, JSON.stringify(to)).toBe(code);
    }
    expect(reached(hive, 'planner')).toEqual({ coder: 5 });
    expect(hive.list('agents')).toEqual(['coder', 'god', 'human', 'planner', 'tester']);
  });
});

describe('a name that looks like another (B3)', () => {
  it('leads nowhere, and the sender is told of the one that exists', async () => {
    const hive = await openHiveBench();
    const alike = ['\u0441oder', 'coder\u0301', '\uff43oder', 'co\u0501er', 'cod\u0435r'];
    for (const to of alike) {
      const row = await hive.send('planner', { ...LETTER, to });
      expect(row, to).toMatchObject({ outcome: 'bounced', code: 'unknown-recipient' });
    }
    expect(hive.inbox('coder')).toEqual([]);
    expect(hive.notices('planner')[0]?.body).toContain('coder');
    expect(alike.filter(isAgentId)).toEqual([]);
    expect(hive.list('agents')).toEqual(['coder', 'god', 'human', 'planner', 'tester']);
  });
  it('leads to its one agent in composed and in combining form, and to none where two have it', async () => {
    const hive = await openHiveBench();
    const [composed, combining] = ['Ren\u00e9', 'Rene\u0301'];
    await hive.change({ op: 'rename', agent: 'coder', name: composed });
    for (const to of [composed, combining, combining.toUpperCase()]) {
      expect((await hive.send('planner', { ...LETTER, to })).delivered, to).toEqual(['coder']);
    }
    await hive.change({ op: 'rename', agent: 'tester', name: combining });
    const row = await hive.send('planner', { ...LETTER, to: composed });
    expect(row.code).toBe('ambiguous-recipient');
  });
});

describe('a broadcast (B4)', () => {
  it('reaches exactly the agents direct mail reaches, but the sender, send-only and archived ones', async () => {
    const hive = await openHiveBench({
      agents: ['god', 'planner', 'coder', 'old', 'cron', 'away'],
    });
    await hive.change({ op: 'archive', agent: 'old' });
    await hive.change({ op: 'set', agent: 'cron', fields: { isAssistant: true } });
    await hive.change({ op: 'hold', agent: 'away' });
    for (const [count, to] of ['broadcast', 'all', '*'].entries()) {
      const row = await hive.send('planner', { ...LETTER, act: 'inform', to });
      expect(row).toMatchObject({ delivered: ['god', 'coder'], held: ['away'] });
      expect(reached(hive, 'planner')).toEqual({ god: count + 1, coder: count + 1 });
    }
    expect(hive.inbox('god')[0]?.to_all).toEqual(['broadcast']);
    await hive.send('human', { ...LETTER, to: 'broadcast' });
    expect(reached(hive, 'human')).toEqual({ god: 1, planner: 1, coder: 1 });
  });
  it('with one broken inbox leaves the others served and is partial; the broken one gets it later', async () => {
    const hive = await openHiveBench();
    const inbox = join(hive.dir, 'agents', 'coder', 'inbox');
    rmdirSync(join(inbox, '.done'));
    rmdirSync(inbox);
    writeFileSync(inbox, 'not a directory');
    const row = await hive.send('planner', { ...LETTER, act: 'inform', to: 'broadcast' });
    expect(row).toMatchObject({
      outcome: 'partial',
      delivered: ['god', 'tester'],
      owed: ['coder'],
    });
    hive.fs.unlink(inbox);
    mkdirSync(inbox);
    hive.wait(60_000);
    await hive.run();
    expect(hive.inbox('coder')).toMatchObject([{ id: row.id }]);
    expect(hive.rows()).toContainEqual(
      expect.objectContaining({ kind: 'late', id: row.id, delivered: ['coder'] }),
    );
  });
  it('in a hive of one reaches nobody, and says so', async () => {
    const hive = await openHiveBench({ agents: ['god'] });
    expect((await hive.send('god', { ...LETTER, to: 'all' })).code).toBe('nobody-reached');
  });
});

describe('the person (B5)', () => {
  it('is reached through the orchestrator, which finds the letter marked', async () => {
    const hive = await openHiveBench();
    const row = await hive.send('coder', { ...LETTER, to: 'human' });
    expect(row.delivered).toEqual(['god']);
    expect(hive.inbox('god')).toMatchObject([{ from: 'coder', needs_human: true }]);
    expect(hive.inbox('human')).toEqual([]);
  });
  it('gets what the orchestrator writes on the desk, once', async () => {
    const hive = await openHiveBench();
    await hive.send('god', { ...LETTER, act: 'query', to: ['human', 'HUMAN'] });
    expect(hive.inbox('human')).toMatchObject([
      { from: 'god', requires_reply: true, needs_human: true },
    ]);
  });
  it('answers from the desk, and the answer reaches whom it replies to as from human', async () => {
    const hive = await openHiveBench();
    const asked = await hive.send('god', { ...LETTER, act: 'query', to: 'human' });
    await hive.send('human', { act: 'inform', body: 'Yes.', in_reply_to: asked.id });
    expect(hive.inbox('god')).toMatchObject([{ from: 'human', in_reply_to: asked.id, hops: 0 }]);
  });
  it('gets answers straight, with a copy to the orchestrator that asks nothing', async () => {
    const hive = await openHiveBench();
    const asked = await hive.send('human', { ...LETTER, act: 'query', to: 'coder' });
    await hive.send('coder', { act: 'query', body: 'Which?', in_reply_to: asked.id });
    expect(hive.inbox('human')).toMatchObject([{ from: 'coder', requires_reply: true }]);
    expect(hive.inbox('god')).toMatchObject([
      { from: 'coder', requires_reply: false, needs_human: false, to_all: ['human'] },
    ]);
  });
  it('is never who an agent says it is', async () => {
    const hive = await openHiveBench();
    const forged = { from: 'human', sender: 'human', needs_human: true, hops: 0 };
    await hive.send('coder', { ...LETTER, to: 'tester', ...forged });
    await hive.send('coder', { ...LETTER, to: 'tester', From: 'human', extra: forged });
    for (const message of hive.inbox('tester')) {
      expect(message).toMatchObject({ from: 'coder', needs_human: false });
    }
    expect(reached(hive, 'human')).toEqual({});
  });
  it('may write to anyone and everyone', async () => {
    const hive = await openHiveBench();
    await hive.send('human', { ...LETTER, to: ['coder', 'orchestrator', 'role:tester'] });
    await hive.send('human', { ...LETTER, to: 'all' });
    expect(reached(hive, 'human')).toEqual({ coder: 2, god: 2, planner: 1, tester: 2 });
  });
});

describe('a letter to oneself (B6)', () => {
  it('is refused and told, by whatever name, and not silently archived', async () => {
    const hive = await openHiveBench();
    for (const to of ['god', 'GOD', 'orchestrator']) {
      const row = await hive.send('god', { ...LETTER, to });
      expect(row).toMatchObject({ outcome: 'refused', code: 'to-self' });
    }
    expect(hive.notices('god')).toHaveLength(3);
    expect(
      hive.list('agents', 'god', 'outbox', '.sent').every((name) => name.startsWith('refused-')),
    ).toBe(true);
    expect((await hive.send('human', { ...LETTER, to: 'human' })).code).toBe('to-self');
    expect((await hive.send('god', { ...LETTER, to: ['god', 'coder'] })).delivered).toEqual([
      'coder',
    ]);
  });
});
