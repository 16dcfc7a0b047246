import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentId } from '../../src/protocol/addresses.ts';
import { HivemailError } from '../../src/protocol/errors.ts';
import { crashAt, type Fault, onlyReads } from '../helpers/faulty-fs.ts';
import { makeBench, type RouterBench } from '../helpers/router-bench.ts';

const TEN_MINUTES = 600_000;
const question = { to: 'human', act: 'query', subject: 'Which?', body: 'Red or blue?' };

async function asked(settings: unknown = {}): Promise<RouterBench> {
  const bench = await makeBench({ settings });
  await bench.start();
  bench.write('coder', 'a.json', question);
  await bench.pass();
  return bench;
}

const rows = (bench: RouterBench) => bench.rows().filter(({ kind }) => kind === 'escalated');
const god = (bench: RouterBench) => bench.layout.agent('god' as AgentId);

/** The orchestrator writes something else into its copy. */
function spoil(bench: RouterBench): void {
  const [message] = bench.inbox('god');
  const path = join(god(bench).inbox, `${message?.id}.json`);
  bench.files.write(path, JSON.stringify({ ...message, from: 'tester', body: 'Run rm.' }));
}

/** The history has recorded what waits. */
function recordAll({ files, layout }: RouterBench): void {
  for (const name of files.list(layout.historyQueue)) files.unlink(join(layout.historyQueue, name));
}

function handle(bench: RouterBench, agent: string): void {
  const { inbox, done } = bench.layout.agent(agent as AgentId);
  for (const { id } of bench.inbox(agent))
    bench.files.rename(join(inbox, `${id}.json`), join(done, `${id}.json`));
}

describe('a letter for the person that the orchestrator leaves', () => {
  it('is copied to the desk after ten minutes, once, under its id; its answer reaches the sender', async () => {
    const bench = await asked();
    bench.passTime(TEN_MINUTES - 10_000);
    await bench.pass();
    expect(bench.inbox('human')).toEqual([]);
    bench.passTime(40_000);
    await bench.passes(5, 40_000);
    const [copy, ...more] = bench.inbox('human');
    const [original] = bench.inbox('god');
    expect(more).toEqual([]);
    expect(copy).toEqual({ ...original, to: 'human' });
    expect(copy).toMatchObject({ from: 'coder', requires_reply: true, needs_human: true });
    expect(rows(bench)).toMatchObject([{ id: copy?.id, from: 'coder', delivered: ['human'] }]);
    bench.write('human', 'r.json', { act: 'inform', body: 'Red.', in_reply_to: copy?.id });
    await bench.pass();
    expect(bench.inbox('coder')).toMatchObject([
      { from: 'human', body: 'Red.', hops: 0, in_reply_to: copy?.id },
    ]);
  });

  it('is left alone when it was handled, or answered, or never is to be', async () => {
    const handled = await asked();
    handle(handled, 'god');
    const answered = await asked();
    const id = answered.inbox('god')[0]?.id;
    answered.write('god', 'b.json', { act: 'inform', body: 'Red.', in_reply_to: id });
    const never = await asked({ escalateMs: 0 });
    for (const bench of [handled, answered, never]) {
      await bench.pass();
      bench.passTime(2 * TEN_MINUTES);
      await bench.passes(3, 40_000);
      expect(bench.inbox('human')).toEqual([]);
    }
  });

  it('is not taken for answered by an agree', async () => {
    const bench = await asked();
    const id = bench.inbox('god')[0]?.id;
    bench.write('god', 'b.json', { act: 'agree', body: 'Soon.', in_reply_to: id });
    await bench.pass();
    bench.passTime(TEN_MINUTES);
    await bench.passes(2, 40_000);
    expect(bench.inbox('human')).toHaveLength(1);
  });

  it.each(['handled', 'deleted'])(
    'is not copied again after a restart once it was %s',
    async (how) => {
      const bench = await asked();
      bench.passTime(TEN_MINUTES);
      await bench.passes(2, 40_000);
      const id = bench.inbox('human')[0]?.id;
      if (how === 'handled') handle(bench, 'human');
      else bench.files.unlink(join(bench.layout.agent('human' as AgentId).inbox, `${id}.json`));
      await bench.start();
      await bench.passes(3, 40_000);
      expect(bench.inbox('human')).toEqual([]);
      expect(rows(bench)).toHaveLength(1);
    },
  );

  it('says on the desk what was accepted, whatever the orchestrator makes of its copy', async () => {
    const bench = await asked();
    spoil(bench);
    bench.passTime(TEN_MINUTES);
    await bench.passes(2, 40_000);
    expect(bench.inbox('human')).toMatchObject([{ from: 'coder', body: 'Red or blue?' }]);
  });

  it('says on the desk what was accepted, also when only the history still has that', async () => {
    const bench = await asked();
    const [plan] = bench.queue();
    const record = plan?.records.find(({ id }) => id === bench.inbox('god')[0]?.id)?.message;
    const ids: string[][] = [];
    bench.readRecorded = async (read) => {
      ids.push([...read]);
      return new Map(record === undefined ? [] : [[record.id, record]]);
    };
    await bench.start();
    await bench.pass();
    recordAll(bench);
    spoil(bench);
    bench.passTime(TEN_MINUTES);
    await bench.pass();
    expect(bench.inbox('human')).toEqual([]);
    await bench.router.accepted.settled();
    bench.passTime(1000);
    await bench.passes(3, 40_000);
    expect(bench.inbox('human')).toMatchObject([{ from: 'coder', body: 'Red or blue?' }]);
    expect(ids).toEqual([[record?.id]]);
  });

  it.each([
    ['does not have the letter', async () => new Map<never, never>()],
    ['can’t be read', () => Promise.reject(new HivemailError('git', 'There is no git.'))],
  ])('reaches the desk by the copy that there is where the history %s', async (_, readRecorded) => {
    const bench = await asked();
    bench.readRecorded = readRecorded;
    await bench.start();
    await bench.pass();
    recordAll(bench);
    bench.passTime(TEN_MINUTES);
    await bench.pass();
    await bench.router.accepted.settled();
    bench.passTime(1000);
    await bench.passes(2, 40_000);
    expect(bench.inbox('human')).toMatchObject([{ from: 'coder', body: 'Red or blue?' }]);
  });

  it('comes to the desk also where the inbox of the orchestrator could not take it', async () => {
    const bench = await makeBench();
    bench.files.rename(god(bench).inbox, '/away');
    bench.files.write(god(bench).inbox, 'no directory');
    await bench.start();
    bench.write('coder', 'a.json', question);
    await bench.passes(3);
    bench.files.unlink(god(bench).inbox);
    bench.files.rename('/away', god(bench).inbox);
    await bench.passes(4);
    expect(bench.inbox('god')).toHaveLength(1);
    bench.passTime(TEN_MINUTES);
    await bench.passes(2, 40_000);
    expect(bench.inbox('human')).toHaveLength(1);
  });

  it('has one copy and one row wherever the router ends', { timeout: 120_000 }, async () => {
    const base = await asked();
    base.passTime(TEN_MINUTES);
    const whole = base.copy();
    await whole.start();
    await whole.pass();
    expect(whole.inbox('human')).toHaveLength(1);
    for (const operation of whole.fs.operations) {
      const moments: Fault['when'][] = onlyReads(operation) ? ['before'] : ['before', 'after'];
      for (const [place, when] of moments.entries()) {
        const bench = base.copy();
        bench.fs.plan = crashAt(operation.number, when);
        await expect(bench.start().then(() => bench.pass())).rejects.toThrow(/router/);
        bench.fs.restart();
        bench.handle(place === 0 ? 'leave' : 'delete');
        const seen = bench.seen.filter(({ agent }) => agent === 'human').length;
        const left = bench.seen.some(({ agent }) => agent === 'god');
        await bench.start();
        await bench.passes(3, 40_000);
        const where = `${when} ${operation.number} ${operation.kind} ${operation.path}`;
        const copies = seen + bench.inbox('human').length;
        expect(rows(bench).length, where).toBe(copies);
        // Deleted from both inboxes before the copy was committed: then nothing is owed.
        if (left) expect(copies, where).toBeLessThanOrEqual(1);
        else expect(copies, where).toBe(1);
      }
    }
  });
});
