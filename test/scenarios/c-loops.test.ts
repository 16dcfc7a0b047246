/** Group C of the scenarios, against a real hive; what many agents do together is in test/routing. */
import { renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { runPass } from '../../src/router/pass.ts';
import { type HiveBench, openHiveBench } from '../helpers/hive-bench.ts';

// Real files and real syncs: what is quick alone takes long on a busy disk.
vi.setConfig({ testTimeout: 60_000 });

/** So few turns that a loop is over soon; that the default is 40 is for test/routing. */
const FEW_TURNS = { settings: { loops: { pairTurns: 12 } } };

const LETTER = { act: 'request', subject: 'Split', body: 'In two.' };

/** How many notices the orchestrator got that tell of others. */
const told = (hive: HiveBench, by = 'god') =>
  [...hive.inbox(by), ...hive.done(by)].filter(({ from, hops }) => from === 'system' && hops === 0);

/** A chain of queries between coder and tester, up to hops; returns the id of its last letter. */
async function chain(hive: HiveBench, hops: number): Promise<string> {
  let row = await hive.send('coder', {
    ...LETTER,
    act: 'query',
    to: 'tester',
    conversation: 'deep',
  });
  for (let depth = 1; depth <= hops; depth++) {
    const sender = depth % 2 === 0 ? 'coder' : 'tester';
    row = await hive.send(sender, { act: 'query', body: 'x', in_reply_to: row.id });
    expect(row).toMatchObject({ code: 'delivered', hops: depth });
  }
  return row.id as string;
}

describe('two agents answering everything (C1)', () => {
  const styles = {
    'with in_reply_to': (id: string) => ({ in_reply_to: id }),
    'with only conversation': (_: string, conversation: string) => ({ conversation }),
    'with neither': () => ({}),
    'with in_reply_to of the first letter': (_: string, __: string, first: string) => ({
      in_reply_to: first,
    }),
    'with in_reply_to and ever new conversations': (id: string) => ({
      in_reply_to: id,
      conversation: `about-${id}`,
    }),
  };
  for (const [style, fields] of Object.entries(styles)) {
    for (const act of ['inform', 'query']) {
      it(`${style}, ${act}: it stops by itself, and the orchestrator is told once at most`, async () => {
        const hive = await openHiveBench(FEW_TURNS);
        const first = await hive.send('coder', { ...LETTER, to: 'tester', conversation: 'c' });
        await hive.converse(['coder', 'tester'], (_, { id, from, conversation }) => ({
          to: from,
          act,
          body: 'Thank you!',
          ...fields(id, conversation, first.id as string),
        }));
        const delivered = hive.letterRows().filter(({ code }) => code === 'delivered');
        expect(delivered.length).toBeLessThanOrEqual(14);
        expect(told(hive).length).toBeLessThanOrEqual(1);
        if (delivered.length > 12) expect(told(hive)).toHaveLength(1);
      });
    }
  }
  it('is the same after a restart in the middle', async () => {
    const hive = await openHiveBench(FEW_TURNS);
    await hive.send('coder', { ...LETTER, to: 'tester' });
    let answers = 0;
    await hive.converse(['coder', 'tester'], (_, { from }) => {
      answers += 1;
      return answers > 6 ? undefined : { to: from, act: 'inform', body: 'x' };
    });
    await hive.restart();
    await hive.send('coder', { ...LETTER, to: 'tester' });
    await hive.converse(['coder', 'tester'], (_, { from }) => ({
      to: from,
      act: 'inform',
      body: 'x',
    }));
    const delivered = hive.letterRows().filter(({ code }) => code === 'delivered');
    expect(delivered.length).toBeLessThanOrEqual(15);
    expect(told(hive)).toHaveLength(1);
  });
});

describe('three agents in a ring (C2)', () => {
  for (const act of ['inform', 'agree'] as const) {
    it(`stop, with ${act} alone`, async () => {
      const hive = await openHiveBench(FEW_TURNS);
      const next: Record<string, string> = { planner: 'coder', coder: 'tester', tester: 'planner' };
      await hive.send('planner', { ...LETTER, act, to: 'coder' });
      await hive.converse(Object.keys(next), (agent) => ({ to: next[agent], act, body: 'Fine.' }));
      const delivered = hive.letterRows().filter(({ code }) => code === 'delivered');
      // The ring itself, and what each wrote to the next because of a notice.
      expect(delivered.length).toBeLessThanOrEqual(13 + 3 * 12);
      expect(told(hive)).toHaveLength(1);
    });
  }
});

describe('a reply to an inform (C3)', () => {
  it('that is an inform is refused as reply-to-terminal; a query is delivered, hops counted', async () => {
    const hive = await openHiveBench();
    const said = await hive.send('planner', { ...LETTER, act: 'inform', to: 'coder' });
    const thanks = await hive.send('coder', {
      act: 'inform',
      body: 'Thanks',
      in_reply_to: said.id,
    });
    expect(thanks).toMatchObject({ outcome: 'refused', code: 'reply-to-terminal' });
    const [notice] = hive.notices('coder');
    const again = JSON.parse(notice?.body.match(/\{[\s\S]*\}/)?.[0] ?? '');
    expect(again).toMatchObject({ act: 'query', body: 'Thanks', in_reply_to: said.id });
    expect(await hive.send('coder', again)).toMatchObject({ code: 'delivered', hops: 1 });
    expect(hive.inbox('planner')).toMatchObject([{ act: 'query', in_reply_to: said.id, hops: 1 }]);
  });
});

describe('in_reply_to of a message never delivered to the replier (C4)', () => {
  it('is delivered as a new exchange, and the log says unknown-parent', async () => {
    const hive = await openHiveBench();
    const secret = await hive.send('planner', { ...LETTER, to: 'god', conversation: 'secret' });
    for (const id of [secret.id, 'no-such-id', '../../registry', 'x'.repeat(200)]) {
      const row = await hive.send('coder', { ...LETTER, to: 'planner', in_reply_to: id });
      expect(row).toMatchObject({ code: 'delivered', hops: 0, repairs: ['unknown-parent'] });
      expect(row.conversation).toBe(row.id);
    }
  });
});

describe('a chain of replies (C5)', () => {
  it('is delivered to letter 13 (hops 12); letter 14 (hops 13) is held; release delivers it', async () => {
    const hive = await openHiveBench();
    const last = await chain(hive, 12);
    const held = await hive.send('tester', { act: 'query', body: 'x', in_reply_to: last });
    expect(held).toMatchObject({ outcome: 'held', code: 'hop-cap', hops: 13, held: ['coder'] });
    expect(hive.held('coder')).toMatchObject([{ id: held.id, held: { code: 'hop-cap' } }]);
    expect(hive.notices('tester')[0]?.body).toContain(`hivemail release ${held.id}`);
    expect(told(hive)).toHaveLength(1);
    expect(await hive.release(held.id as string)).toContain('is delivered to coder');
    expect(hive.held('coder')).toEqual([]);
    expect(hive.inbox('coder').at(-1)).toMatchObject({ id: held.id, hops: 0 });
    const on = await hive.send('coder', { act: 'done', body: 'x', in_reply_to: held.id });
    expect(on).toMatchObject({ code: 'delivered', hops: 1 });
  });
  it('is as deep after a restart, and with the conversation alone', async () => {
    const hive = await openHiveBench();
    const last = await chain(hive, 12);
    await hive.restart();
    const letter = { to: 'coder', act: 'query', body: 'x' };
    const named = await hive.send('tester', { ...letter, in_reply_to: last });
    const alone = await hive.send('tester', { ...letter, conversation: 'deep' });
    for (const row of [named, alone]) expect(row).toMatchObject({ code: 'hop-cap', hops: 13 });
  });
  it('can be shorter or longer by hive.json', async () => {
    const hive = await openHiveBench({ settings: { hopCap: 2 } });
    const last = await chain(hive, 2);
    const row = await hive.send('tester', { act: 'query', body: 'x', in_reply_to: last });
    expect(row.code).toBe('hop-cap');
  });
});

describe('agents that answer every notice (C6)', () => {
  const answers = {
    'with broken JSON': () => '{"to": "god", "act": inform}',
    'with letters to nobody': () => ({ to: 'nobody', act: 'inform', body: 'x' }),
    'with letters to nobody, in reply': (id: string) => ({
      to: 'nobody',
      act: 'inform',
      body: 'x',
      in_reply_to: id,
    }),
    'with thanks to system': (id: string) => ({ act: 'agree', body: 'x', in_reply_to: id }),
    'with letters to themselves': () => ({ to: 'coder', act: 'inform', body: 'x' }),
    'without an act': () => ({ to: 'god', body: 'x' }),
  };
  for (const [how, answer] of Object.entries(answers)) {
    it(`${how}: notices stop`, async () => {
      const hive = await openHiveBench();
      await hive.send('coder', { ...LETTER, to: 'nobody' });
      const written = await hive.converse(['coder'], (_, { id }) => {
        hive.wait(31_000);
        return answer(id);
      });
      expect(written).toBeLessThanOrEqual(5);
      expect(hive.inbox('coder')).toEqual([]);
      const silenced = told(hive).map(({ notice }) => notice?.code);
      expect(silenced).toEqual(written < 5 ? [] : ['notices-stopped']);
    });
  }
  it('with files that are no letters: notices stop, the orchestrator is told', async () => {
    const hive = await openHiveBench();
    await hive.send('coder', { ...LETTER, to: 'nobody' });
    for (let round = 0; round < 10; round++) {
      for (const { id } of hive.takeAll('coder')) hive.write('coder', 'Thanks!', `${id}.txt`);
      hive.wait(11_000);
      await hive.run();
      hive.wait(11_000);
      await hive.run();
    }
    expect(hive.inbox('coder')).toEqual([]);
    expect(hive.done('coder')).toHaveLength(5);
    expect(told(hive)).toMatchObject([{ notice: { code: 'notices-stopped' } }]);
  });
  it('and begin again once a letter arrives', async () => {
    const hive = await openHiveBench();
    for (let left = 8; left > 0; left--) await hive.send('coder', { ...LETTER, to: 'nobody' });
    expect(hive.notices('coder')).toHaveLength(5);
    await hive.send('coder', { ...LETTER, to: 'tester' });
    await hive.send('coder', { ...LETTER, to: 'nobody' });
    expect(hive.notices('coder')).toHaveLength(6);
  });
});

describe('long work (C7)', () => {
  it('in one conversation: the orchestrator assigns the twentieth job, and all are delivered', async () => {
    const hive = await openHiveBench();
    let done: string | undefined;
    for (let job = 1; job <= 20; job++) {
      const request = { ...LETTER, to: 'coder', conversation: 'work' };
      const asked = await hive.send(
        'god',
        done === undefined ? request : { ...request, in_reply_to: done },
      );
      expect(asked).toMatchObject({ code: 'delivered', hops: 0 });
      const row = await hive.send('coder', { act: 'done', body: 'x', in_reply_to: asked.id });
      expect(row).toMatchObject({ code: 'delivered', hops: 1 });
      done = row.id;
    }
  });
  it('of five agents that send 30 progress informs each in one shared conversation: all delivered', async () => {
    const workers = ['w1', 'w2', 'w3', 'w4', 'w5'];
    const hive = await openHiveBench({ agents: ['god', ...workers] });
    await hive.send('god', { ...LETTER, to: workers, conversation: 'work' });
    for (const worker of workers) {
      for (let report = 0; report < 30; report++) {
        hive.write(worker, { to: 'god', act: 'inform', body: `${report}`, conversation: 'work' });
      }
    }
    await hive.run();
    expect(hive.inbox('god')).toHaveLength(150);
  });
});

describe('replies that are no politeness (C8)', () => {
  it('refuse in reply to done; inform in reply to the person’s inform; done after one’s own agree: delivered', async () => {
    const hive = await openHiveBench();
    const asked = await hive.send('planner', { ...LETTER, to: 'coder' });
    const agreed = await hive.send('coder', { act: 'agree', body: 'x', in_reply_to: asked.id });
    const done = await hive.send('coder', { act: 'done', body: 'x', in_reply_to: asked.id });
    const own = { to: 'planner', act: 'done', body: 'x', in_reply_to: agreed.id };
    expect((await hive.send('coder', own)).code).toBe('delivered');
    expect(done.code).toBe('delivered');
    const refused = await hive.send('planner', { act: 'refuse', body: 'x', in_reply_to: done.id });
    expect(refused).toMatchObject({ code: 'delivered', hops: 2 });
    const word = await hive.send('human', { ...LETTER, act: 'inform', to: 'coder' });
    const answer = await hive.send('coder', { act: 'inform', body: 'x', in_reply_to: word.id });
    expect(answer).toMatchObject({ code: 'delivered', delivered: ['human', 'god'] });
  });
});

describe('a broadcast answered by broadcasts from 20 agents (C9)', () => {
  const agents = ['god', ...Array.from({ length: 20 }, (_, place) => `a${place}`)];
  it('is refused with the hint to write to its sender; no storm', async () => {
    const hive = await openHiveBench({ agents });
    const call = await hive.send('god', { ...LETTER, act: 'query', to: 'broadcast' });
    for (const agent of agents.slice(1)) {
      hive.write(agent, { to: 'all', act: 'inform', body: 'Here!', in_reply_to: call.id });
    }
    await hive.run();
    expect(hive.letterRows().filter(({ code }) => code === 'broadcast-reply')).toHaveLength(20);
    for (const agent of agents.slice(1)) {
      expect(hive.inbox(agent)).toHaveLength(2);
      expect(hive.notices(agent)[0]?.body).toContain('write the letter again without "to"');
    }
    expect(hive.inbox('god')).toEqual([]);
  });
  it('that name nothing: six of each agent in ten minutes', async () => {
    const hive = await openHiveBench({ agents: agents.slice(0, 6) });
    await hive.send('god', { ...LETTER, act: 'query', to: 'broadcast' });
    await hive.converse(agents.slice(1, 6), (_, { from }) =>
      from === 'system' ? undefined : { to: 'all', act: 'inform', body: 'Here!' },
    );
    const rows = hive.letterRows().filter(({ code }) => code === 'delivered');
    expect(rows.length).toBe(1 + 5 * 6);
  });
});

describe('the parent file edited, renamed or deleted by the replier (C10)', () => {
  const tampering: Record<string, (path: string) => void> = {
    edited: (path) =>
      writeFileSync(path, JSON.stringify({ hops: 0, act: 'request', from: 'human' })),
    renamed: (path) => renameSync(path, `${path}.old.json`),
    deleted: (path) => unlinkSync(path),
  };
  for (const [how, tamper] of Object.entries(tampering)) {
    it(`${how}: hops and reply rules are unchanged`, async () => {
      const hive = await openHiveBench();
      const asked = await hive.send('planner', { ...LETTER, act: 'query', to: 'coder' });
      const said = await hive.send('coder', { act: 'inform', body: 'x', in_reply_to: asked.id });
      tamper(join(hive.dir, 'agents', 'planner', 'inbox', `${said.id}.json`));
      await hive.restart();
      const reply = { act: 'inform', body: 'x', in_reply_to: said.id };
      expect((await hive.send('planner', reply)).code).toBe('reply-to-terminal');
      const query = await hive.send('planner', { ...reply, act: 'query' });
      expect(query).toMatchObject({ code: 'delivered', hops: 2, to: ['coder'] });
    });
  }
});

describe('a flood of 10 000 letters from one agent (C11)', () => {
  it('leaves others their latency: what they write meanwhile goes with the next pass', async () => {
    const hive = await openHiveBench();
    for (let letter = 0; letter < 10_000; letter++) {
      writeFileSync(
        join(hive.dir, 'agents', 'coder', 'outbox', `${letter}.json`),
        JSON.stringify({ to: 'tester', act: 'inform', body: `${letter}` }),
      );
    }
    for (let pass = 1; pass <= 3; pass++) {
      hive.write('planner', { ...LETTER, to: 'god' });
      hive.wait(10);
      const { letters, more } = await runPass(hive.router, { takeIn: true });
      expect(hive.inbox('god')).toHaveLength(pass);
      expect(letters).toBeLessThanOrEqual(101);
      expect(more).toBe(true);
    }
    // Of the flood as many as the others have, and ten at least; all that fit once nobody else writes.
    expect(hive.inbox('tester')).toHaveLength(30);
    await runPass(hive.router, { takeIn: true });
    expect(hive.inbox('tester').length).toBeGreaterThanOrEqual(50);
  });
});
