import { describe, expect, it } from 'vitest';
import type { AgentId } from '../../src/protocol/addresses.ts';
import { failWhere } from '../helpers/faulty-fs.ts';
import { makeBench, type RouterBench } from '../helpers/router-bench.ts';

const HOUR = 3_600_000;
const letter = (to: string, subject: string) => ({ to, act: 'inform', subject, body: 'x' });

async function makeBroken(settings: unknown = {}) {
  const bench = await makeBench({ settings });
  const { inbox } = bench.layout.agent('coder' as AgentId);
  bench.files.rename(inbox, '/away');
  bench.files.write(inbox, 'no directory');
  const mend = () => {
    bench.files.unlink(inbox);
    bench.files.rename('/away', inbox);
  };
  await bench.start();
  return { bench, mend };
}

function rowsOf(bench: RouterBench, ...kinds: string[]) {
  return bench.rows().filter(({ kind }) => kinds.includes(kind));
}

const problems = (bench: RouterBench) => bench.router.health.problems.map(({ key }) => key);
const subjects = (messages: { subject: string }[]) => messages.map(({ subject }) => subject);

describe('mail for an inbox that can not be written to', () => {
  it('is owed, which row and health say, and comes late under the same id', async () => {
    const { bench, mend } = await makeBroken();
    bench.write('planner', 'a.json', letter('coder', 'one'));
    await bench.passes(2);
    const [row] = rowsOf(bench, 'letter');
    expect(row).toMatchObject({ outcome: 'held', code: 'owed', owed: ['coder'], delivered: [] });
    expect(problems(bench)).toContain('inbox/coder');
    expect(bench.router.health.state).toBe('red');
    mend();
    await bench.passes(2);
    expect(bench.inbox('coder')).toMatchObject([{ id: row?.id, subject: 'one' }]);
    expect(rowsOf(bench, 'late')).toMatchObject([{ id: row?.id, delivered: ['coder'] }]);
    expect(problems(bench)).toEqual([]);
    expect(bench.place('deferred')).toEqual([]);
  });
  it('says nothing of attempts that change nothing', async () => {
    const { bench } = await makeBroken();
    bench.write('planner', 'a.json', letter('coder', 'one'));
    await bench.passes(20, 60_000);
    expect(rowsOf(bench, 'letter', 'late', 'notice')).toHaveLength(1);
  });
  it('costs one small batch for each attempt, however much is owed', async () => {
    const { bench } = await makeBroken();
    for (let n = 0; n < 80; n++) bench.write('planner', `${n}.json`, letter('coder', `${n}`));
    await bench.passes(3, 60_000);
    bench.fs.restart();
    await bench.pass();
    const created = bench.fs.operations.filter(({ kind }) => kind === 'create');
    expect(created.length).toBeLessThanOrEqual(3);
    expect(bench.place('deferred')).toHaveLength(80);
  });
  it('comes in the order it was accepted once the inbox is mended, all in two attempts', async () => {
    const { bench, mend } = await makeBroken();
    for (let n = 10; n < 40; n++) bench.write('planner', `${n}.json`, letter('coder', `${n}`));
    await bench.passes(4, 60_000);
    mend();
    await bench.passes(1, 60_000);
    expect(subjects(bench.inbox('coder'))).toEqual(['10']);
    await bench.passes(1, 60_000);
    expect(subjects(bench.inbox('coder'))).toEqual(bench.inbox('coder').map((_, n) => `${n + 10}`));
    expect(bench.inbox('coder')).toHaveLength(30);
  });
  it('holds up nobody else', async () => {
    const { bench } = await makeBroken();
    bench.write('planner', 'a.json', letter('coder', 'stuck'));
    bench.write('planner', 'b.json', letter('tester', 'goes'));
    await bench.pass();
    expect(subjects(bench.inbox('tester'))).toEqual(['goes']);
  });
  it('survives a restart, after which it is tried at once', async () => {
    const { bench, mend } = await makeBroken();
    bench.write('planner', 'a.json', letter('coder', 'one'));
    await bench.passes(6);
    mend();
    await bench.start();
    await bench.pass();
    expect(subjects(bench.inbox('coder'))).toEqual(['one']);
  });
});

describe('owed mail that grows too old', () => {
  const settings = { owed: { expireMs: HOUR } };

  it('is held, and its sender is told once', async () => {
    const { bench } = await makeBroken(settings);
    bench.write('planner', 'a.json', letter('coder', 'one'));
    await bench.passes(3);
    bench.passTime(HOUR);
    await bench.passes(3);
    const [held] = bench.held('coder');
    expect(held).toMatchObject({ subject: 'one', held: { code: 'undeliverable' } });
    const [notice, ...more] = bench.inbox('planner');
    expect(notice?.notice).toMatchObject({ of: held?.id, code: 'undeliverable' });
    expect(more).toEqual([]);
    expect(rowsOf(bench, 'expired')).toMatchObject([{ id: held?.id, held: ['coder'] }]);
    expect(bench.place('deferred')).toEqual([]);
  });
  it('is tried before it is given up, so that a mended inbox gets it however old it is', async () => {
    const { bench, mend } = await makeBroken(settings);
    bench.write('planner', 'a.json', letter('coder', 'one'));
    await bench.pass();
    mend();
    bench.passTime(100 * HOUR);
    await bench.start();
    await bench.passes(2);
    expect(subjects(bench.inbox('coder'))).toEqual(['one']);
    expect(bench.held('coder')).toEqual([]);
  });
  it('is not given up for one bad moment of the machine', async () => {
    const { bench, mend } = await makeBroken(settings);
    bench.write('planner', 'a.json', letter('coder', 'one'));
    await bench.pass();
    mend();
    bench.passTime(100 * HOUR);
    await bench.start();
    bench.fs.plan = failWhere(
      ({ kind, to }) => kind === 'rename' && !!to?.includes('/coder/'),
      'EIO',
    );
    await bench.passes(1);
    bench.fs.plan = undefined;
    await bench.passes(3);
    expect(subjects(bench.inbox('coder'))).toEqual(['one']);
  });
  it('is never a notice that gives rise to a notice', async () => {
    const { bench } = await makeBroken(settings);
    bench.write('coder', 'a.json', letter('nobody', 'lost'));
    await bench.passes(3);
    bench.passTime(HOUR);
    await bench.passes(3);
    expect(bench.held('coder')).toHaveLength(1);
    expect(rowsOf(bench, 'notice')).toHaveLength(1);
  });
});

describe('a copy in `deferred/` that can not be read', () => {
  it('is kept and told of, and stops nothing', async () => {
    const { bench, mend } = await makeBroken();
    bench.write('planner', 'a.json', letter('coder', 'one'));
    await bench.pass();
    const path = `${bench.router.epoch.deferred}/${bench.place('deferred')[0]}`;
    bench.files.chmod(path, { read: false, write: true });
    mend();
    bench.write('planner', 'b.json', letter('tester', 'goes'));
    await bench.passes(2);
    expect(bench.inbox('tester')).toHaveLength(1);
    expect(bench.router.health.state).toBe('red');
    expect(problems(bench).some((key) => key.startsWith('deferred/'))).toBe(true);
    bench.files.chmod(path, { read: true, write: true });
    await bench.passes(3);
    expect(bench.inbox('coder')).toHaveLength(1);
    expect(problems(bench)).toEqual([]);
  });
});

describe('the outcome of a letter part of which is owed', () => {
  it.each([
    ['coder, tester', 'partial', 'partial'],
    ['coder, nobody', 'partial', 'partial'],
    ['coder', 'held', 'owed'],
  ])('is told as it is: %s', async (to, outcome, code) => {
    const { bench } = await makeBroken();
    bench.write('planner', 'a.json', letter(to, 'one'));
    await bench.pass();
    expect(rowsOf(bench, 'letter')).toMatchObject([{ outcome, code, owed: ['coder'] }]);
  });
  it('keeps the code of a letter that is held anyway', async () => {
    const { bench } = await makeBroken();
    bench.setAgent('tester', { onHold: true });
    bench.files.rmdir('/hive/held');
    bench.files.write('/hive/held', 'no directory');
    bench.write('planner', 'a.json', letter('tester', 'one'));
    await bench.pass();
    const owed = { outcome: 'held', code: 'on-hold', owed: ['tester'], held: [] };
    expect(rowsOf(bench, 'letter')).toMatchObject([owed]);
  });
});
