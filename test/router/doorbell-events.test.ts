import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentId } from '../../src/protocol/addresses.ts';
import { crashAt, type Fault, failWhere, onlyReads } from '../helpers/faulty-fs.ts';
import { makeBench, type RouterBench } from '../helpers/router-bench.ts';

const AT = '2026-11-30T17:19:00.000Z';
const announced = (ids: unknown[], more: object = {}) => ({
  ...{ kind: 'announced', at: AT, client: 'codex', moment: 'tool', why: 'new', ids },
  ...more,
});
const needs = (what: string) => ({ kind: 'needs-human', at: AT, client: 'claude', what });

let left = 0;

function dirOf(bench: RouterBench, agent: string): string {
  return bench.layout.agent(agent as AgentId).doorbellEvents;
}

function leave(bench: RouterBench, agent: string, event: unknown, name?: string): string {
  left += 1;
  const path = join(
    dirOf(bench, agent),
    name ?? `${1000 + left}-${String(left).padStart(8, 'x')}.json`,
  );
  bench.files.write(path, typeof event === 'string' ? event : JSON.stringify(event));
  return path;
}

const rowsOf = (bench: RouterBench, ...kinds: string[]) =>
  bench.rows().filter(({ kind }) => kinds.includes(kind));

async function started(): Promise<RouterBench> {
  const bench = await makeBench();
  await bench.start();
  return bench;
}

describe('what a hook leaves in `.doorbell/events`', () => {
  it('becomes one row for each letter, with when, in which client and at which moment', async () => {
    const bench = await started();
    const path = leave(bench, 'coder', announced(['1m8pyqzvp000-jgvvao4d', 'other-system.7']));
    await bench.pass();
    const shared = { kind: 'announced', to: ['coder'], code: 'tool', at: AT, note: 'codex, new' };
    expect(rowsOf(bench, 'announced')).toMatchObject([
      { ...shared, id: '1m8pyqzvp000-jgvvao4d' },
      { ...shared, id: 'other-system.7' },
    ]);
    expect(bench.files.stat(path)).toBeUndefined();
    expect(bench.told.filter(({ kind }) => kind === 'announced')).toHaveLength(2);
  });

  it('says who needs a person, and for what, without secrets and cut', async () => {
    const bench = await started();
    leave(bench, 'coder', needs(`to allow Bash with sk-ant-api03-${'a'.repeat(30)} \u001b[31m`));
    leave(bench, 'planner', needs('x'.repeat(5000)));
    await bench.pass();
    const [second, first] = rowsOf(bench, 'needs-human');
    expect(first).toMatchObject({ from: 'coder', at: AT });
    expect(first?.note).toMatch(/^claude: to allow Bash with \[redacted:[a-z-]+\] /);
    expect(second?.note?.length).toBeLessThan(250);
    expect(bench.files.text(bench.layout.log)).not.toContain('\u001b');
  });

  it('is looked for again within five seconds, and in a doorbell that is new within a few passes', async () => {
    const bench = await started();
    await bench.pass();
    bench.passTime(1500);
    leave(bench, 'coder', announced(['a1']));
    await bench.pass();
    expect(rowsOf(bench, 'announced')).toHaveLength(1);
    leave(bench, 'coder', announced(['a2']));
    await bench.passes(5, 1100);
    expect(rowsOf(bench, 'announced')).toHaveLength(2);
  });

  it('is no id that the router then counts on from', async () => {
    const bench = await started();
    leave(bench, 'coder', announced(['y00000000000-aaaaaaaa']));
    await bench.pass();
    await bench.start();
    expect(bench.router.ids.next()).toMatch(/^1/);
  });

  it('tells of no letter that went to others', async () => {
    const bench = await started();
    bench.write('planner', 'a.json', { to: 'coder', act: 'inform', body: 'x' });
    await bench.pass();
    const id = bench.inbox('coder')[0]?.id;
    bench.passTime(5000);
    leave(bench, 'tester', announced([id]));
    leave(bench, 'coder', announced([id]));
    await bench.passes(2);
    expect(rowsOf(bench, 'announced')).toMatchObject([{ id, to: ['coder'] }]);
  });
});

describe('what is no event', () => {
  const bad: [string, unknown][] = [
    ['no JSON', '{'],
    ['another kind', { ...announced(['a']), kind: 'letter' }],
    ['an unknown client', announced(['a'], { client: 'emacs' })],
    ['an unknown moment', announced(['a'], { moment: 'whenever' })],
    ['no time', announced(['a'], { at: 'yesterday' })],
    ['an id that leads elsewhere', announced(['../../x'])],
    ['an id that is none', announced([7])],
    ['no ids', announced([])],
    [
      'more ids than an inbox is told of',
      announced(Array.from({ length: 2001 }, (_, n) => `a${n}`)),
    ],
    ['a need that is none', { ...needs(''), what: ' ' }],
    ['a file of a megabyte', JSON.stringify(announced(['a'])) + ' '.repeat(1024 * 1024)],
  ];

  it.each(bad)('is taken away, told once, and holds up nothing: %s', async (_, event) => {
    const bench = await started();
    leave(bench, 'coder', event);
    leave(bench, 'coder', event);
    leave(bench, 'coder', announced(['good']));
    await bench.pass();
    expect(rowsOf(bench, 'announced')).toMatchObject([{ id: 'good' }]);
    expect(rowsOf(bench, 'warning')).toMatchObject([{ code: 'doorbell-event', from: 'coder' }]);
    expect(bench.files.list(dirOf(bench, 'coder'))).toEqual([]);
  });

  it('is a link, a pipe or a directory, and a name that no hook gives', async () => {
    const bench = await started();
    const dir = dirOf(bench, 'coder');
    bench.files.write('/elsewhere.json', JSON.stringify(announced(['secret'])));
    leave(bench, 'coder', announced(['wrong-name']), 'event.json');
    bench.files.link(join(dir, '1-aaaaaaaa.json'), '../../../../../elsewhere.json');
    bench.files.pipe(join(dir, '2-aaaaaaaa.json'));
    bench.files.write(join(dir, '3-aaaaaaaa.json/full'), 'x');
    await bench.passes(3);
    expect(rowsOf(bench, 'announced')).toEqual([]);
    expect(bench.files.list(dir)).toEqual(['3-aaaaaaaa.json']);
    expect(bench.files.text('/elsewhere.json')).toBeDefined();
    expect(rowsOf(bench, 'warning')).toHaveLength(1);
  });

  it('is not looked for through a link in the place of a directory', async () => {
    const bench = await started();
    bench.files.write('/elsewhere/events/1-aaaaaaaa.json', JSON.stringify(announced(['x'])));
    bench.files.link(bench.layout.agent('coder' as AgentId).doorbell, '../../../elsewhere');
    leave(bench, 'tester', announced(['y']));
    await bench.pass();
    expect(rowsOf(bench, 'announced')).toMatchObject([{ id: 'y' }]);
    expect(bench.files.list('/elsewhere/events')).toHaveLength(1);
    expect(bench.router.health.problems).toMatchObject([{ key: 'doorbell/coder', red: false }]);
  });

  it('is a temporary file only when its hook has long been gone', async () => {
    const bench = await started();
    const dir = dirOf(bench, 'coder');
    const now = bench.clock.now();
    bench.files.write(join(dir, `.tmp-${now - 7_200_000}-aaaaaaaa`), 'x');
    bench.files.write(join(dir, `.tmp-${now}-aaaaaaaa`), 'x');
    await bench.pass();
    expect(bench.files.list(dir)).toEqual([`.tmp-${now}-aaaaaaaa`]);
  });
});

describe('an event', () => {
  async function events(): Promise<RouterBench> {
    const bench = await makeBench();
    leave(bench, 'coder', announced(['a', 'b', 'c']));
    leave(bench, 'coder', needs('to allow Bash'));
    leave(bench, 'planner', announced(['d']));
    return bench;
  }
  const told = (bench: RouterBench) =>
    rowsOf(bench, 'announced', 'needs-human')
      .map(({ id, kind }) => id ?? kind)
      .sort();

  it('stands in the log once, wherever the router ends', async () => {
    const base = await events();
    const whole = base.copy();
    await whole.start();
    await whole.pass();
    const expected = ['a', 'b', 'c', 'd', 'needs-human'];
    expect(told(whole)).toEqual(expected);
    for (const operation of whole.fs.operations) {
      const moments: Fault['when'][] = onlyReads(operation)
        ? ['before']
        : ['before', 'after', ...(operation.kind === 'append' ? (['torn'] as const) : [])];
      for (const when of moments) {
        const bench = base.copy();
        bench.fs.plan = crashAt(operation.number, when);
        await expect(bench.start().then(() => bench.pass())).rejects.toThrow(/router/);
        bench.fs.restart();
        await bench.start();
        await bench.passes(2);
        const where = `${when} ${operation.number} ${operation.kind} ${operation.path}`;
        expect(told(bench), where).toEqual(expected);
        expect(bench.files.list(dirOf(bench, 'coder')), where).toEqual([]);
      }
    }
  });

  it.each(['before', 'after', 'torn'] as const)(
    'stands in the log once where a row could not be written: %s',
    async (when) => {
      const bench = await events();
      await bench.start();
      bench.fs.plan = ({ kind }) => {
        if (kind === 'truncate') return { code: 'EIO', when: 'before' };
        return kind === 'append' ? { code: 'EIO', when } : undefined;
      };
      await bench.passes(3);
      expect(bench.router.health.problems.map(({ key }) => key)).toContain('log');
      bench.fs.plan = undefined;
      await bench.passes(3);
      expect(told(bench)).toEqual(['a', 'b', 'c', 'd', 'needs-human']);
      expect(bench.router.health.problems).toEqual([]);
      expect(bench.files.list(dirOf(bench, 'coder'))).toEqual([]);
    },
  );

  it('stands in the log once where its file can not be removed', async () => {
    const bench = await events();
    await bench.start();
    bench.fs.plan = failWhere(
      ({ kind, path }) => kind === 'unlink' && path.includes('events'),
      'EACCES',
    );
    await bench.passes(4);
    bench.fs.plan = undefined;
    await bench.start();
    await bench.passes(2);
    expect(told(bench)).toEqual(['a', 'b', 'c', 'd', 'needs-human']);
    expect(bench.files.list(dirOf(bench, 'coder'))).toEqual([]);
  });
});

describe('the cost of looking', () => {
  it('is a part of the doorbells in a pass, and all of them within five seconds', async () => {
    const agents = Array.from({ length: 100 }, (_, n) => `a${n}`);
    const bench = await makeBench({ agents });
    for (const agent of agents) leave(bench, agent, announced([agent]));
    await bench.start();
    await bench.passes(6);
    bench.fs.restart();
    const looks = () => bench.fs.operations.filter(({ path }) => path.includes('.doorbell'));
    await bench.pass();
    expect(looks()).toHaveLength(100);
    bench.fs.restart();
    bench.passTime(1500);
    await bench.pass();
    expect(looks()).toHaveLength(30);
    expect(looks().every(({ kind }) => kind === 'stat')).toBe(true);
    bench.fs.restart();
    bench.passTime(10);
    await bench.pass();
    expect(looks()).toEqual([]);
  });

  it('is bounded, and comes to all in the end', async () => {
    const bench = await started();
    for (let n = 0; n < 300; n++) leave(bench, 'coder', announced([`a${n}`]));
    await bench.pass();
    expect(rowsOf(bench, 'announced').length).toBeLessThan(100);
    await bench.passes(5);
    expect(rowsOf(bench, 'announced')).toHaveLength(300);
  });
});
