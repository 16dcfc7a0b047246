import { describe, expect, it } from 'vitest';
import { makeBench, type RouterBench } from '../helpers/router-bench.ts';

const rows = (bench: RouterBench, kind = 'letter') =>
  bench.rows().filter((row) => row.kind === kind);

async function makeRunning() {
  const bench = await makeBench();
  await bench.start();
  return bench;
}

/** Two agents that answer each other, by `in_reply_to` alone, for some turns. */
async function talk(bench: RouterBench, turns: number, first = 'planner'): Promise<void> {
  const other = (agent: string) => (agent === 'planner' ? 'coder' : 'planner');
  let writer = first;
  for (let turn = 0; turn < turns; turn++) {
    const last = bench.inbox(writer).at(-1);
    const reply = last === undefined ? { to: other(writer) } : { in_reply_to: last.id };
    bench.write(writer, `${turn}.json`, { ...reply, act: 'query', subject: 's', body: 'b' });
    await bench.passes(1);
    writer = other(writer);
  }
}

describe('a restart', () => {
  it('goes on with the hops of a conversation where they were', async () => {
    const bench = await makeRunning();
    await talk(bench, 6);
    for (const agent of ['planner', 'coder']) {
      for (const name of bench.list('agents', agent, 'inbox').filter((each) => each !== '.done')) {
        if (name !== `${bench.inbox(agent).at(-1)?.id}.json`) {
          bench.files.unlink(`/hive/agents/${agent}/inbox/${name}`);
        }
      }
    }
    await bench.start();
    await talk(bench, 1);
    expect(rows(bench).map(({ hops }) => hops)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
  it('takes the hops of a forgotten parent from the mailbox of the one who replies', async () => {
    const bench = await makeRunning();
    await talk(bench, 4);
    bench.files.unlink(bench.layout.log);
    await bench.start();
    await talk(bench, 1);
    expect(rows(bench).at(-1)).toMatchObject({ hops: 4 });
  });
  it('issues ids after all earlier ones, also when the clock went back', async () => {
    const bench = await makeRunning();
    bench.write('planner', 'a.json', { to: 'coder', act: 'query', subject: 'a', body: 'b' });
    await bench.pass();
    bench.passTime(-86_400_000);
    await bench.start();
    bench.write('planner', 'b.json', { to: 'nobody', act: 'query', subject: 'b', body: 'b' });
    await bench.pass();
    const ids = [...rows(bench), ...rows(bench, 'notice')].map(({ id }) => id ?? '');
    expect(ids).toHaveLength(3);
    expect([...ids].sort()).toEqual(ids);
  });
  it('issues ids after those of a batch that no row tells of yet', async () => {
    const bench = await makeRunning();
    bench.write('planner', 'a.json', { to: 'nobody', act: 'query', subject: 'a', body: 'b' });
    bench.fs.plan = ({ kind }) =>
      kind === 'append' ? { code: 'crash', when: 'before' } : undefined;
    await bench.pass().catch(() => undefined);
    const [notice] = bench.inbox('planner');
    bench.fs.restart();
    bench.passTime(-86_400_000);
    await bench.start();
    bench.write('planner', 'b.json', { to: 'coder', act: 'query', subject: 'b', body: 'b' });
    await bench.passes(2);
    const order = (id = '') => id.slice(0, 12);
    expect(order(bench.inbox('coder')[0]?.id) > order(notice?.id)).toBe(true);
    expect(order(notice?.id)).not.toBe('');
  });
  it('starts on a hive whose `.router` was taken away after a clean stop', async () => {
    const bench = await makeRunning();
    bench.write('planner', 'a.json', { to: 'coder', act: 'query', subject: 'a', body: 'b' });
    await bench.pass();
    bench.files.rename('/hive/.router', '/away');
    bench.files.mkdir('/hive/.router');
    await bench.start();
    bench.write('planner', 'b.json', { to: 'coder', act: 'query', subject: 'b', body: 'b' });
    await bench.passes(2);
    expect(bench.inbox('coder').map(({ subject }) => subject)).toEqual(['a', 'b']);
    expect(rows(bench)).toHaveLength(2);
  });
});

describe('a router that was taken over', () => {
  it('ends with its next pass and does nothing any more', async () => {
    const bench = await makeRunning();
    const first = bench.router;
    await bench.start();
    bench.write('planner', 'a.json', { to: 'coder', act: 'query', subject: 'a', body: 'b' });
    const { runPass } = await import('../../src/router/pass.ts');
    await expect(runPass(first, { takeIn: true })).rejects.toMatchObject({ code: 'fenced' });
    expect(bench.list('agents', 'planner', 'outbox')).toContain('a.json');
    await bench.pass();
    expect(bench.inbox('coder')).toHaveLength(1);
  });
  it.each([
    'rename /hive/agents/planner/outbox/a.json',
    'create /hive/.router/e1',
    'rename /hive/.router/e1-00000000/stage',
    'rename /hive/.router/e1-00000000/claim',
    'rename /hive/.router/e1-00000000/owed',
    'append',
  ])(
    'delivers and logs nothing twice when it is stopped in the middle of a pass: %s',
    async (at) => {
      const bench = await makeRunning();
      bench.write('planner', 'a.json', {
        to: 'coder, tester',
        act: 'query',
        subject: 'a',
        body: 'b',
      });
      const first = bench.router;
      const late = bench.copy();
      bench.fs.plan = ({ kind, path }) => {
        if (!`${kind} ${path}`.startsWith(at)) return undefined;
        // A stopped process: the successor does all of its work before this operation is carried out.
        bench.fs.plan = undefined;
        takeOverAtOnce(bench);
        return undefined;
      };
      await runQuietly(first);
      bench.fs.plan = undefined;
      await bench.start();
      await bench.passes(3);
      expect(late.rows()).toEqual([]);
      for (const agent of ['coder', 'tester']) expect(bench.inbox(agent)).toHaveLength(1);
      expect(rows(bench)).toHaveLength(1);
      expect(bench.queue()).toHaveLength(1);
    },
  );
});

/** Fences the running epoch as a successor does, in one go. */
function takeOverAtOnce(bench: RouterBench): void {
  const { dir } = bench.router.epoch;
  bench.files.rename(dir, `${dir}.f`);
  const log = bench.files.text(bench.layout.log);
  if (log === undefined) return;
  bench.files.write('/hive/new-log', log);
  bench.files.rename('/hive/new-log', bench.layout.log);
}

async function runQuietly(router: RouterBench['router']): Promise<void> {
  const { runPass } = await import('../../src/router/pass.ts');
  try {
    for (let passes = 0; passes < 3; passes++) await runPass(router, { takeIn: true });
  } catch {
    // Fenced in the middle, by an error of whatever kind.
    return;
  }
  throw new Error('The router did not notice that it was taken over.');
}
