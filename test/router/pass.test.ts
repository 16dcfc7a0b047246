import { describe, expect, it } from 'vitest';
import type { AgentId } from '../../src/protocol/addresses.ts';
import { makeBench, type RouterBench } from '../helpers/router-bench.ts';

const letter = (to: string, subject: string) => ({ to, act: 'inform', subject, body: 'b' });

describe('a pass', () => {
  it('takes a letter from the outbox to the inbox, the archive, the log and the queue', async () => {
    const bench = await makeBench();
    const text = bench.write('planner', 'first.json', {
      to: 'coder',
      act: 'request',
      subject: 'Split the parser',
      body: 'In two.',
    });
    await bench.start();
    expect(await bench.pass()).toEqual({ letters: 1, more: false, waiting: false, refused: false });
    const [message] = bench.inbox('coder');
    expect(message).toMatchObject({
      from: 'planner',
      to: 'coder',
      act: 'request',
      subject: 'Split the parser',
      body: 'In two.',
      hops: 0,
      requires_reply: true,
      needs_human: false,
    });
    const id = message?.id;
    expect(bench.list('agents', 'planner', 'outbox')).toEqual(['.sent']);
    expect(bench.list('agents', 'planner', 'outbox', '.sent')).toEqual([`${id}.first.json`]);
    expect(bench.files.text(`/hive/agents/planner/outbox/.sent/${id}.first.json`)).toBe(text);
    const rows = bench.rows().filter(({ kind }) => kind === 'letter');
    expect(rows).toMatchObject([
      { id, from: 'planner', outcome: 'delivered', code: 'delivered', delivered: ['coder'] },
    ]);
    expect(bench.queue()).toMatchObject([{ records: [{ id, message: { to: ['coder'] } }] }]);
    for (const place of ['claim', 'stage', 'owed', 'deferred', 'trash'] as const) {
      expect(bench.place(place)).toEqual([]);
    }
    expect(bench.nudges).toBeGreaterThan(0);
  });
  it('delivers letters of one sender in the order they were written', async () => {
    const bench = await makeBench();
    for (const name of ['z', 'a', 'm'])
      bench.write('planner', `${name}.json`, letter('coder', name));
    await bench.start();
    await bench.pass();
    expect(bench.inbox('coder').map(({ subject }) => subject)).toEqual(['z', 'a', 'm']);
  });
  it('delivers a file name that is used again at once, and by two senders, each time', async () => {
    const bench = await makeBench();
    await bench.start();
    bench.write('planner', 'a.json', letter('coder', 'one'));
    bench.write('tester', 'a.json', letter('coder', 'two'));
    await bench.pass();
    bench.write('planner', 'a.json', letter('coder', 'three'));
    await bench.pass();
    expect(bench.inbox('coder').map(({ subject }) => subject)).toEqual(['one', 'two', 'three']);
    expect(bench.list('agents', 'planner', 'outbox', '.sent')).toHaveLength(2);
  });
  it('delivers the one letter of a quiet sender first of all, beside two thousand of another', async () => {
    const bench = await makeBench();
    for (let n = 0; n < 2000; n++) bench.write('planner', `${n}.json`, letter('coder', `${n}`));
    bench.write('tester', 'a.json', letter('coder', 'the one'));
    await bench.start();
    const report = await bench.pass();
    expect(report).toEqual({ letters: 11, more: true, waiting: true, refused: false });
    expect(bench.inbox('coder')[0]?.subject).toBe('the one');
    expect(bench.inbox('coder')).toHaveLength(11);
    expect(await bench.pass()).toMatchObject({ letters: 100, more: true });
  });
  it('serves the others of a broadcast when one inbox is broken, and says who', async () => {
    const bench = await makeBench();
    const { inbox } = bench.layout.agent('coder' as AgentId);
    bench.files.rename(inbox, '/away');
    bench.files.link(inbox, '/away');
    bench.write('planner', 'a.json', letter('all', 'everyone'));
    await bench.start();
    await bench.pass();
    const [row] = bench.rows().filter(({ kind }) => kind === 'letter');
    expect(row).toMatchObject({
      outcome: 'partial',
      delivered: ['god', 'tester'],
      owed: ['coder'],
    });
    expect(bench.list('..', 'away')).toEqual(['.done']);
  });
  it('keeps in its archive what was written, byte for byte, whatever becomes of the letter', async () => {
    const bench = await makeBench({ settings: { settle: { closedMs: 0, openMs: 0 } } });
    const texts = {
      'good.json': '\ufeff{"to":"coder","act":"inform","body":"x"}\n\n',
      'bad.json': '{"to":"coder",,,}',
      'lost.json': '{"to":"nobody","act":"inform","body":"x"}',
      'wrong.json': '{"to":"coder","act":"yell","body":"x"}',
    };
    for (const [name, text] of Object.entries(texts)) bench.write('planner', name, text);
    await bench.start();
    await bench.pass();
    const { sent } = bench.layout.agent('planner' as AgentId);
    const archived = bench.files.list(sent).map((name) => {
      const [, mark, file] = /^(|[a-z]+-)[0-9a-z]{12}-[0-9a-z]{8}\.(.*)$/.exec(name) ?? [];
      return [`${mark}${file}`, bench.files.text(`${sent}/${name}`)];
    });
    expect(Object.fromEntries(archived)).toEqual({
      'good.json': texts['good.json'],
      'bad-bad.json': texts['bad.json'],
      'bounced-lost.json': texts['lost.json'],
      'refused-wrong.json': texts['wrong.json'],
    });
  });
});

it('leaves the letters of a sender whose last was slow to read where they are, while others have mail', async () => {
  const bench = await makeBench();
  await bench.start();
  const { read } = bench.fs;
  bench.fs.read = (path, ...bounds) => {
    if (path.endsWith('slow.json')) bench.passTime(300);
    return read(path, ...bounds);
  };
  bench.write('planner', 'slow.json', letter('coder', 'x'));
  bench.write('tester', 'a.json', letter('coder', 'x'));
  while ((await bench.pass()).more);
  bench.write('planner', 'next.json', letter('coder', 'x'));
  bench.write('tester', 'b.json', letter('coder', 'x'));
  expect(await bench.pass()).toMatchObject({ letters: 1, more: false, waiting: true });
  expect(bench.list('agents', 'planner', 'outbox')).toEqual(['.sent', 'next.json']);
  bench.passTime(1200);
  expect(await bench.pass()).toMatchObject({ letters: 1, waiting: false });
});

describe('the cost of a pass', () => {
  async function operationsOfPass(bench: RouterBench, prepare = () => {}): Promise<string[]> {
    for (let passes = 0; passes < 3; passes++) {
      await bench.pass();
      bench.passTime(5000);
    }
    prepare();
    bench.fs.restart();
    await bench.pass();
    return bench.fs.operations.map(({ kind }) => kind);
  }

  async function makeAged(): Promise<RouterBench> {
    const bench = await makeBench();
    for (const agent of ['planner', 'coder']) {
      const { sent, done } = bench.layout.agent(agent as AgentId);
      for (let n = 0; n < 3000; n++) {
        bench.files.write(`${sent}/${n}.json`, '{}');
        bench.files.write(`${done}/${n}.json`, '{}');
      }
    }
    const row = '{"seq":1,"ts":"2026-11-30T12:00:00.000Z","epoch":1,"kind":"warning"}\n';
    bench.files.write(bench.layout.log, row.repeat(50_000));
    return bench;
  }

  it('is the same in a hive of any age, with letters and without', async () => {
    const [young, old] = [await makeBench(), await makeAged()];
    for (const bench of [young, old]) {
      bench.write('tester', 'a.json', letter('coder', 'first'));
      await bench.start();
    }
    const idle = await operationsOfPass(young);
    expect(await operationsOfPass(old)).toEqual(idle);
    const send = (bench: RouterBench) => () =>
      void bench.write('planner', 'a.json', letter('coder', 'x'));
    const busy = await operationsOfPass(young, send(young));
    expect(await operationsOfPass(old, send(old))).toEqual(busy);
    expect(busy.length).toBeGreaterThan(idle.length);
  });
  it('is one look for each outbox, one for each inbox in five seconds, and a fixed rest while nothing happens', async () => {
    const agents = Array.from({ length: 100 }, (_, n) => `a${n}`);
    const few = await makeBench({ agents: agents.slice(0, 10) });
    const many = await makeBench({ agents });
    for (const bench of [few, many]) await bench.start();
    const counts = [await operationsOfPass(few), await operationsOfPass(many)];
    expect((counts[1]?.length ?? 0) - (counts[0]?.length ?? 0)).toBe(2 * 90);
    expect(counts[0]?.length).toBeLessThan(36 + 11);
  });
});
