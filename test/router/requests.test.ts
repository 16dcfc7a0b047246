import { describe, expect, it } from 'vitest';
import { type ControlRequest, putRequest, takeResult } from '../../src/hive/control.ts';
import { CRASH, failWhere, type Operation } from '../helpers/faulty-fs.ts';
import { makeBench, type RouterBench } from '../helpers/router-bench.ts';

let asked = 0;

async function ask(bench: RouterBench, request: ControlRequest): Promise<string> {
  asked += 1;
  return await putRequest(bench.files, bench.layout, request, bench.clock.now() + asked);
}

const answer = (bench: RouterBench, name: string) => takeResult(bench.files, bench.layout, name);
const hold = (agent: string): ControlRequest => ({ kind: 'roster', change: { op: 'hold', agent } });
const add = (agent: string): ControlRequest => ({
  kind: 'roster',
  change: { op: 'add', agent, fields: {} },
});
const letter = (to: string, subject = 'x') => ({ to, act: 'inform', subject, body: 'x' });

async function makeRunning() {
  const bench = await makeBench();
  await bench.start();
  await bench.pass();
  return bench;
}

describe('a request for a change of the roster', () => {
  it('is carried out and answered in the next pass, and logged', async () => {
    const bench = await makeRunning();
    const name = await ask(bench, add('writer'));
    await bench.pass();
    expect(answer(bench, name)).toMatchObject({ ok: true });
    expect(JSON.parse(bench.files.text(bench.layout.registry) ?? '').agents).toHaveProperty(
      'writer',
    );
    expect(bench.list('agents', 'writer')).toContain('inbox');
    const rows = bench.rows().filter(({ kind }) => kind === 'roster');
    expect(rows).toMatchObject([{ to: ['writer'], code: 'add' }]);
    expect(bench.list('.router', 'control')).toEqual([]);
  });
  it('counts for the letters of the same pass', async () => {
    const bench = await makeRunning();
    await ask(bench, hold('tester'));
    await ask(bench, add('writer'));
    bench.write('planner', 'a.json', letter('tester', 'held'));
    bench.write('planner', 'b.json', letter('writer', 'new'));
    await bench.pass();
    expect(bench.held('tester')).toHaveLength(1);
    expect(bench.inbox('tester')).toEqual([]);
    expect(bench.inbox('writer')).toHaveLength(1);
  });
  it.each(['rename', 'create'] as const)(
    'is answered as done when the router ends after it is made and before its answer (%s)',
    async (kind) => {
      const bench = await makeRunning();
      const name = await ask(bench, add('writer'));
      bench.fs.plan = (operation) => {
        const isAnswer =
          kind === 'rename'
            ? operation.to?.endsWith('.result.json') === true
            : operation.path.includes('/control/.tmp-');
        return isAnswer && operation.kind === kind ? { code: CRASH, when: 'before' } : undefined;
      };
      await expect(bench.pass()).rejects.toThrow('The router ends');
      bench.fs.restart();
      await bench.start();
      await bench.pass();
      expect(answer(bench, name)).toEqual({ ok: true, said: 'writer is added.' });
      expect(bench.rows().filter(({ kind: each }) => each === 'roster')).toMatchObject([
        { to: ['writer'], code: 'add' },
      ]);
      const second = await ask(bench, add('writer'));
      await bench.pass();
      expect(answer(bench, second)).toMatchObject({ ok: false, code: 'refused' });
      const left = bench.list('.router', 'control');
      expect(left.filter((each) => !each.startsWith('.tmp-'))).toEqual([]);
    },
  );
  it('is made once although it can not be answered for long, and holds up no other', async () => {
    const bench = await makeRunning();
    const name = await ask(bench, hold('tester'));
    const other = await ask(bench, hold('coder'));
    bench.fs.plan = failWhere(({ to }) => to?.endsWith(`${name}.result.json`) === true, 'EIO');
    await bench.passes(4);
    expect(answer(bench, other)).toMatchObject({ ok: true });
    expect(bench.router.health.problems.map(({ key }) => key)).toEqual(['control']);
    bench.fs.plan = undefined;
    await bench.pass();
    expect(answer(bench, name)).toMatchObject({ ok: true });
    expect(bench.rows().filter(({ kind }) => kind === 'roster')).toHaveLength(2);
    expect(bench.router.health.problems).toEqual([]);
  });
  it('is carried out although something else lies among the requests', async () => {
    const bench = await makeRunning();
    bench.files.mkdir(`${bench.layout.control}/0.request.json`);
    bench.files.write(`${bench.layout.control}/1.request.json`, '{"kind":');
    const name = await ask(bench, hold('coder'));
    await bench.passes(3);
    expect(answer(bench, name)).toMatchObject({ ok: true });
    expect(answer(bench, '1')).toMatchObject({ ok: false, code: 'usage' });
    expect(bench.rows().filter(({ code }) => code === 'no-request')).toHaveLength(1);
    expect(bench.router.health.problems).toEqual([]);
  });
  it('is refused in words when the machine can not write it down, and stops no mail', async () => {
    const bench = await makeRunning();
    bench.files.write('/hive/agents/writer', 'a file');
    const name = await ask(bench, add('writer'));
    bench.write('planner', 'a.json', letter('tester'));
    await bench.pass();
    expect(answer(bench, name)).toMatchObject({ ok: false, code: 'io' });
    expect(bench.inbox('tester')).toHaveLength(1);
  });
  it('stops no mail when it can not be read or answered, and is taken up again', async () => {
    const bench = await makeRunning();
    const name = await ask(bench, hold('tester'));
    bench.fs.plan = failWhere(({ path }) => path.includes('/control'), 'EIO');
    bench.write('planner', 'a.json', letter('coder'));
    await bench.pass();
    expect(bench.inbox('coder')).toHaveLength(1);
    expect(bench.router.health.problems).toMatchObject([{ key: 'control' }]);
    bench.fs.plan = undefined;
    await bench.pass();
    expect(answer(bench, name)).toMatchObject({ ok: true });
    expect(bench.router.health.problems).toEqual([]);
  });
  it('is refused when it is no request, or nobody can read the roster', async () => {
    const bench = await makeBench();
    bench.files.write('/hive/.router/control/1.request.json', '{"kind":"what"}');
    const registry = bench.files.text(bench.layout.registry) ?? '';
    bench.files.write(bench.layout.registry, '{');
    const name = await ask(bench, hold('tester'));
    await bench.start();
    await bench.pass();
    expect(answer(bench, '1')).toMatchObject({ ok: false, code: 'usage' });
    expect(answer(bench, name)).toMatchObject({ ok: false, code: 'unhealthy' });
    bench.files.write(bench.layout.registry, registry);
  });
  it('is carried out without taking in letters when only that is asked', async () => {
    const bench = await makeRunning();
    const name = await ask(bench, hold('tester'));
    bench.write('planner', 'a.json', letter('coder'));
    await bench.pass(false);
    expect(answer(bench, name)).toMatchObject({ ok: true });
    expect(bench.inbox('coder')).toEqual([]);
    expect(bench.place('claim')).toEqual([]);
  });
});

describe('a request to release a held message', () => {
  async function makeHeld() {
    const bench = await makeRunning();
    bench.setAgent('tester', { onHold: true });
    bench.write('planner', 'a.json', letter('tester', 'held'));
    await bench.pass();
    const id = bench.held('tester')[0]?.id ?? '';
    return { bench, id, release: { kind: 'release', id } as ControlRequest };
  }

  it('delivers it once under its id, and is answered', async () => {
    const { bench, id, release } = await makeHeld();
    const name = await ask(bench, release);
    await bench.pass();
    expect(answer(bench, name)).toEqual({ ok: true, said: `${id} is delivered to tester.` });
    expect(bench.inbox('tester')).toMatchObject([{ id, hops: 0 }]);
    expect(bench.inbox('tester')[0]?.held).toBeUndefined();
    expect(bench.held('tester')).toEqual([]);
  });
  it('delivers it once also when it is asked twice, and its hold ends in the same pass', async () => {
    const { bench, id, release } = await makeHeld();
    const names = [await ask(bench, release), await ask(bench, release)];
    bench.setAgent('tester', { onHold: false });
    await bench.passes(3);
    for (const name of names) expect(answer(bench, name)).toMatchObject({ ok: true });
    expect(bench.inbox('tester')).toHaveLength(1);
    expect(bench.rows().filter((row) => row.kind === 'release' && row.id === id)).toHaveLength(1);
  });
  it('is answered truthfully by the next router when the first one ends before it answers', async () => {
    const { bench, release } = await makeHeld();
    const name = await ask(bench, release);
    bench.fs.plan = ({ kind, path }) =>
      kind === 'create' && path.includes('/control/')
        ? { code: 'crash', when: 'before' }
        : undefined;
    await bench.pass().catch(() => undefined);
    expect(bench.fs.crashed).toBe(true);
    bench.fs.restart();
    await bench.start();
    await bench.passes(2);
    expect(answer(bench, name)).toMatchObject({ ok: true });
    expect(bench.inbox('tester')).toHaveLength(1);
  });
  it('is refused for an id that nothing held has', async () => {
    const { bench } = await makeHeld();
    const name = await ask(bench, { kind: 'release', id: '../../registry' });
    await bench.pass();
    expect(answer(bench, name)).toMatchObject({ ok: false, code: 'not-found' });
  });
  it('waits while the machine can not look, and is never answered with "not found" then', async () => {
    const { bench, release } = await makeHeld();
    const name = await ask(bench, release);
    bench.fs.plan = failWhere(
      ({ kind, path }) => kind === 'read' && path.includes('/held/'),
      'EIO',
    );
    await bench.pass();
    expect(answer(bench, name)).toBeUndefined();
    bench.fs.plan = undefined;
    await bench.pass();
    expect(answer(bench, name)).toMatchObject({ ok: true });
  });
  it('is answered only when the release is committed', async () => {
    const { bench, release } = await makeHeld();
    const name = await ask(bench, release);
    bench.fs.plan = failWhere(({ path }) => path.includes('/stage/'), 'ENOSPC');
    await expect(bench.pass()).rejects.toThrow('ENOSPC');
    expect(answer(bench, name)).toBeUndefined();
    bench.fs.plan = undefined;
    await bench.pass();
    expect(answer(bench, name)).toMatchObject({ ok: true });
    expect(bench.inbox('tester')).toHaveLength(1);
  });
});

describe('the end of a hold', () => {
  it('delivers what waited, in its order, with its hops', async () => {
    const bench = await makeRunning();
    bench.setAgent('tester', { onHold: true });
    for (const subject of ['1', '2', '3']) {
      bench.write('planner', `${subject}.json`, letter('tester', subject));
      await bench.pass();
    }
    bench.setAgent('tester', { onHold: false });
    await bench.passes(2);
    expect(bench.inbox('tester').map(({ subject }) => subject)).toEqual(['1', '2', '3']);
    expect(bench.held('tester')).toEqual([]);
  });
  it('is not missed when the commit fails, or a message can not be read at first', async () => {
    const bench = await makeRunning();
    bench.setAgent('tester', { onHold: true });
    bench.write('planner', 'a.json', letter('tester', 'held'));
    await bench.pass();
    bench.setAgent('tester', { onHold: false });
    bench.fs.plan = failWhere(
      ({ kind, path }) => kind === 'read' && path.includes('/held/'),
      'EIO',
    );
    await bench.pass();
    expect(bench.router.health.problems).toMatchObject([{ key: 'held' }]);
    bench.fs.plan = failWhere(
      ({ kind, path }) => kind === 'mkdir' && path.includes('/stage/'),
      'EIO',
    );
    await expect(bench.pass()).rejects.toThrow('EIO');
    bench.fs.plan = undefined;
    await bench.pass();
    expect(bench.inbox('tester')).toHaveLength(1);
    expect(bench.router.health.problems).toEqual([]);
  });
  it('is looked for less often while something held can not be read', async () => {
    const bench = await makeRunning();
    bench.setAgent('tester', { onHold: true });
    bench.write('planner', 'a.json', letter('tester', 'held'));
    await bench.pass();
    bench.setAgent('tester', { onHold: false });
    const isHeld = ({ kind, path }: Operation) => kind === 'read' && path.includes('/held/');
    bench.fs.plan = failWhere(isHeld, 'EACCES');
    bench.fs.operations.length = 0;
    await bench.passes(24, 5000);
    const looks = bench.fs.operations.filter(isHeld).length;
    expect(looks).toBeGreaterThan(4);
    expect(looks).toBeLessThan(9);
    bench.fs.plan = undefined;
    await bench.passes(7, 5000);
    expect(bench.inbox('tester')).toHaveLength(1);
  });
  it('does not deliver a copy over and over that lies under a name of its own', async () => {
    const bench = await makeRunning();
    bench.setAgent('tester', { onHold: true });
    bench.write('planner', 'a.json', letter('tester', 'held'));
    await bench.pass();
    const [name] = bench.list('held', 'tester');
    bench.files.rename(`/hive/held/tester/${name}`, '/hive/held/tester/keep.json');
    bench.setAgent('tester', { onHold: false });
    await bench.passes(3);
    expect(bench.inbox('tester')).toEqual([]);
    expect(bench.list('held', 'tester')).toEqual(['keep.json']);
  });
});

describe('a batch that can not be finished', () => {
  it('is not decided on again, and holds up no new mail', async () => {
    const bench = await makeRunning();
    bench.setAgent('tester', { onHold: true });
    bench.write('planner', 'a.json', letter('tester', 'held'));
    await bench.pass();
    bench.setAgent('tester', { onHold: false });
    bench.fs.plan = failWhere(
      ({ kind, path }) => kind === 'unlink' && path.startsWith('/hive/held/tester'),
      'EACCES',
    );
    for (const subject of ['1', '2', '3']) {
      await bench.pass();
      bench.handle('delete');
      bench.write('planner', `${subject}.json`, letter('coder', subject));
    }
    await bench.pass();
    bench.handle('delete');
    const seen = bench.seen.map(({ message }) => message.subject);
    expect(seen.filter((subject) => !subject.startsWith('held: '))).toEqual([
      'held',
      '1',
      '2',
      '3',
    ]);
    expect(bench.router.health.state).toBe('red');
    bench.fs.plan = undefined;
    await bench.passes(2);
    expect(bench.held('tester')).toEqual([]);
    expect(bench.place('owed')).toEqual([]);
    expect(bench.router.health.problems).toEqual([]);
  });
  it('whose plan can not be read stops decisions until it can', async () => {
    const bench = await makeRunning();
    bench.write('planner', 'a.json', letter('tester', 'first'));
    bench.fs.plan = failWhere(({ kind }) => kind === 'append', 'EIO');
    await bench.pass();
    bench.fs.plan = failWhere(
      ({ kind, path }) => kind === 'read' && path.endsWith('plan.json'),
      'EIO',
    );
    bench.write('planner', 'b.json', letter('tester', 'second'));
    await bench.pass();
    expect(bench.inbox('tester').map(({ subject }) => subject)).toEqual(['first']);
    expect(bench.router.health.state).toBe('red');
    bench.fs.plan = undefined;
    await bench.passes(2);
    expect(bench.inbox('tester').map(({ subject }) => subject)).toEqual(['first', 'second']);
    expect(bench.rows().filter(({ kind }) => kind === 'letter')).toHaveLength(2);
    expect(bench.router.health.problems).toEqual([]);
  });
});
