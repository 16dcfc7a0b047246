import { describe, expect, it } from 'vitest';
import type { AgentId } from '../../src/protocol/addresses.ts';
import { failWhere } from '../helpers/faulty-fs.ts';
import { makeBench, type RouterBench } from '../helpers/router-bench.ts';

const letter = (to: string, subject = 'x') => ({ to, act: 'inform', subject, body: 'x' });
const problems = (bench: RouterBench) => bench.router.health.problems.map(({ key }) => key);
const rows = (bench: RouterBench, kind: string) => bench.rows().filter((row) => row.kind === kind);

async function makeRunning(settings: unknown = {}) {
  const bench = await makeBench({ settings });
  await bench.start();
  await bench.pass();
  return bench;
}

describe('hive.json', () => {
  it('counts from the next pass on when it is changed', async () => {
    const bench = await makeRunning();
    bench.files.write(bench.layout.settings, '{"limits":{"letterBytes":200}}');
    bench.write('planner', 'a.json', { ...letter('coder'), body: 'x'.repeat(300) });
    await bench.pass();
    expect(rows(bench, 'letter')).toMatchObject([{ code: 'too-large' }]);
  });
  it('leaves the last good one in force when it is wrong, and says so until it is right', async () => {
    const bench = await makeRunning({ limits: { letterBytes: 200 } });
    bench.files.write(bench.layout.settings, '{"limits":{"letterBytes":"many"}}');
    bench.write('planner', 'a.json', { ...letter('coder'), body: 'x'.repeat(300) });
    bench.write('planner', 'b.json', letter('coder'));
    await bench.pass();
    expect(problems(bench)).toEqual(['settings']);
    expect(rows(bench, 'letter').map(({ code }) => code)).toEqual(['too-large', 'delivered']);
    bench.files.write(bench.layout.settings, '{}');
    await bench.pass();
    expect(problems(bench)).toEqual([]);
  });
});

describe('registry.json', () => {
  it.each(['', '{"agents":', '{"agents":[]}', 'null'])(
    'leaves the last good roster in force while it is unreadable: %s',
    async (text) => {
      const bench = await makeRunning();
      bench.files.write(bench.layout.registry, text);
      bench.write('planner', 'a.json', letter('coder'));
      await bench.pass();
      expect(bench.inbox('coder')).toHaveLength(1);
      expect(bench.router.health.state).toBe('red');
    },
  );
  it('lets nothing be taken in when it was never read, and nobody be told of it', async () => {
    const bench = await makeBench();
    const registry = bench.files.text(bench.layout.registry) ?? '';
    bench.files.unlink(bench.layout.registry);
    bench.write('planner', 'a.json', letter('coder'));
    await bench.start();
    await bench.passes(3);
    expect(bench.list('agents', 'planner', 'outbox')).toEqual(['.sent', 'a.json']);
    expect(bench.router.health.state).toBe('red');
    bench.files.write(bench.layout.registry, registry);
    await bench.pass();
    expect(bench.inbox('coder')).toHaveLength(1);
    expect(bench.inbox('planner')).toEqual([]);
    expect(problems(bench)).toEqual([]);
  });
  it('is finished with what is owed all the same', async () => {
    const bench = await makeRunning();
    bench.write('planner', 'a.json', letter('coder'));
    bench.fs.plan = failWhere(
      ({ kind, path }) => kind === 'rename' && path.includes('owed'),
      'EIO',
    );
    await bench.pass();
    expect(bench.inbox('coder')).toEqual([]);
    bench.fs.restart();
    bench.files.unlink(bench.layout.registry);
    await bench.start();
    await bench.pass();
    expect(bench.inbox('coder')).toHaveLength(1);
    expect(rows(bench, 'letter')).toHaveLength(1);
  });
  it('names keys that are no ids, and has mail for the others', async () => {
    const bench = await makeRunning();
    bench.setAgent('Not An Id', { name: 'x' });
    bench.write('planner', 'a.json', letter('coder'));
    await bench.pass();
    expect(bench.router.health.problems).toMatchObject([{ key: 'registry-ids', red: false }]);
    expect(bench.inbox('coder')).toHaveLength(1);
  });
  it('gives a new agent its directory, and tells of one that can not have it until it can', async () => {
    const bench = await makeRunning();
    bench.files.write('/hive/agents/writer', 'a file');
    bench.setAgent('writer', {});
    bench.write('planner', 'a.json', letter('coder'));
    await bench.pass();
    expect(problems(bench)).toContain('agent/writer');
    expect(bench.inbox('coder')).toHaveLength(1);
    bench.files.unlink('/hive/agents/writer');
    await bench.passes(2);
    expect(problems(bench)).toEqual([]);
    expect(bench.list('agents', 'writer', 'inbox')).toEqual(['.done']);
  });
});

describe('a directory that belongs to no agent', () => {
  it('has nothing routed out of it, and is told of until it is gone or registered', async () => {
    const bench = await makeRunning();
    bench.write('stranger', 'a.json', letter('coder'));
    bench.files.mkdir('/hive/agents/Bad Name');
    bench.files.write('/hive/agents/.DS_Store', '');
    await bench.pass();
    expect(problems(bench)).toEqual(['unregistered/stranger', 'unregistered/Bad Name']);
    expect(bench.inbox('coder')).toEqual([]);
    bench.files.rmdir('/hive/agents/Bad Name');
    bench.setAgent('stranger', {});
    await bench.passes(2);
    expect(problems(bench)).toEqual([]);
    expect(bench.inbox('coder')).toMatchObject([{ from: 'stranger' }]);
  });
});

describe('an outbox that can not be used', () => {
  it.each(['file', 'link', 'missing'])(
    'stops nobody else, and is told of once: %s',
    async (kind) => {
      const bench = await makeRunning();
      const { outbox } = bench.layout.agent('planner' as AgentId);
      bench.files.rename(outbox, '/away');
      bench.files.write('/away/x.json', JSON.stringify(letter('coder', 'forged')));
      if (kind === 'file') bench.files.write(outbox, '');
      if (kind === 'link') bench.files.link(outbox, '/away');
      bench.write('tester', 'a.json', letter('coder', 'good'));
      await bench.passes(5);
      expect(bench.inbox('coder').map(({ subject }) => subject)).toEqual(['good']);
      const told = rows(bench, 'warning').filter(({ code }) => code === 'outbox/planner');
      expect(told).toHaveLength(1);
    },
  );
  it('makes one problem of any number of files that can not be taken in', async () => {
    const bench = await makeRunning();
    for (let n = 0; n < 40; n++) {
      bench.write('planner', `${n}.json`, letter('coder'));
      const path = `/hive/agents/planner/outbox/${n}.json`;
      bench.files.chmod(path, { read: false, write: true });
    }
    await bench.passes(3);
    expect(problems(bench)).toEqual(['outbox/planner:files']);
    expect(bench.router.health.problems[0]?.message).toContain('39 more');
    expect(rows(bench, 'warning')).toHaveLength(1);
  });
});

describe('files that are no letters', () => {
  it('are told of once, also over restarts, and stay where they are', async () => {
    const bench = await makeRunning();
    bench.write('planner', 'notes.txt', 'x');
    await bench.pass();
    expect(bench.inbox('planner')).toEqual([]);
    await bench.passes(5);
    await bench.start();
    await bench.passes(5);
    expect(bench.inbox('planner')).toMatchObject([
      { notice: { code: 'stray', file: 'notes.txt' } },
    ]);
    expect(rows(bench, 'stray')).toHaveLength(1);
    expect(bench.list('agents', 'planner', 'outbox')).toContain('notes.txt');
  });
  it('are told of anew when another file takes the name', async () => {
    const bench = await makeRunning({ settle: { strayMs: 0 } });
    bench.write('planner', 'notes.txt', 'x');
    await bench.passes(2);
    bench.files.unlink('/hive/agents/planner/outbox/notes.txt');
    bench.write('planner', 'notes.txt', 'y');
    await bench.passes(2);
    expect(rows(bench, 'stray')).toHaveLength(2);
  });
  it('keep no letter from going, however many they are', async () => {
    const bench = await makeRunning({ settle: { strayMs: 0 }, budget: { sortedNames: 100 } });
    for (let n = 0; n < 300; n++) bench.write('planner', `${n}.txt`, 'x');
    bench.write('planner', 'a.json', letter('coder'));
    await bench.pass();
    expect(bench.inbox('coder')).toHaveLength(1);
  });
  it('are told of some at a time', async () => {
    const bench = await makeRunning({ settle: { strayMs: 0 } });
    for (let n = 0; n < 50; n++) bench.write('planner', `${n}.txt`, 'x');
    await bench.pass();
    const first = rows(bench, 'stray').length;
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(50);
    await bench.passes(5);
    expect(rows(bench, 'stray')).toHaveLength(50);
  });
  it('are not forgotten when the batch that tells of them fails', async () => {
    const bench = await makeRunning({ settle: { strayMs: 0 } });
    bench.write('planner', 'notes.txt', 'x');
    bench.fs.plan = failWhere(({ path }) => path.includes('/stage/'), 'ENOSPC');
    for (let n = 0; n < 3; n++) {
      await expect(bench.pass()).rejects.toThrow('ENOSPC');
      bench.passTime(5000);
    }
    bench.fs.plan = undefined;
    await bench.pass();
    expect(rows(bench, 'stray')).toHaveLength(1);
  });
  it('of writers at work are told of only when they are left behind', async () => {
    const bench = await makeRunning();
    bench.write('planner', 'a.json.tmp', 'x');
    await bench.passes(10, 30_000);
    expect(bench.inbox('planner')).toEqual([]);
    await bench.passes(12, 30_000);
    expect(bench.inbox('planner')).toHaveLength(1);
  });
});

describe('a machine that refuses for long', () => {
  it('is not filled with claims that can not be decided on', async () => {
    const bench = await makeRunning({ budget: { lettersPerPass: 50, lettersPerSender: 10 } });
    bench.fs.plan = failWhere(({ path }) => path.includes('/stage/'), 'ENOSPC');
    for (let round = 0; round < 12; round++) {
      for (let n = 0; n < 10; n++) bench.write('planner', `${round}-${n}.json`, letter('coder'));
      await bench.pass().catch(() => undefined);
      bench.passTime(5000);
    }
    expect(bench.place('claim').length).toBeLessThanOrEqual(50);
    bench.fs.plan = undefined;
    for (let n = 0; n < 20; n++) await bench.pass();
    expect(bench.inbox('coder')).toHaveLength(120);
    expect(rows(bench, 'letter')).toHaveLength(120);
  });
  it('keeps an unreadable claim, tells of it, and decides on the others', async () => {
    const bench = await makeRunning();
    bench.write('planner', 'bad.json', letter('coder', 'bad'));
    bench.write('planner', 'good.json', letter('coder', 'good'));
    const looks = ['read', 'stat'];
    bench.fs.plan = failWhere(
      ({ kind, path }) => looks.includes(kind) && path.includes('~bad.json'),
      'EIO',
    );
    await bench.passes(3);
    expect(bench.inbox('coder').map(({ subject }) => subject)).toEqual(['good']);
    expect(problems(bench)).toEqual(['outbox/planner:claims']);
    expect(bench.place('claim')).toHaveLength(1);
    bench.fs.plan = undefined;
    await bench.pass();
    expect(bench.inbox('coder')).toHaveLength(2);
    expect(problems(bench)).toEqual([]);
  });
});

describe('a .sent that goes once the original lies in it', () => {
  const sent = '/hive/agents/planner/outbox/.sent';
  it.each<[string, (bench: RouterBench) => void]>([
    ['removed', (bench) => bench.files.rename(sent, '/gone')],
    [
      'with a file in its place',
      (bench) => {
        bench.files.rename(sent, '/gone');
        bench.files.write(sent, 'x');
      },
    ],
    ['with its outbox', (bench) => bench.files.rename('/hive/agents/planner/outbox', '/gone')],
  ])('%s, keeps no batch from its end', async (_, take) => {
    const bench = await makeRunning();
    bench.write('planner', 'a.json', letter('coder'));
    let taken = false;
    bench.fs.plan = ({ kind, path }) => {
      if (kind === 'syncDir' && path === sent && !taken) {
        take(bench);
        taken = true;
      }
      return undefined;
    };
    await bench.passes(3);
    expect(taken).toBe(true);
    expect(bench.inbox('coder')).toHaveLength(1);
    expect(rows(bench, 'letter')).toHaveLength(1);
    expect(bench.place('owed')).toEqual([]);
    expect(bench.queue()).toHaveLength(1);
    expect(problems(bench).filter((key) => key.startsWith('batch/'))).toEqual([]);
  });
});

describe('a file edited in place to the same size within one tick of the clock', () => {
  /** Has the router see one time of change for a file, whatever is done to it. */
  function stopTime(bench: RouterBench, path: string): void {
    const { stat } = bench.fs;
    bench.fs.stat = (at) => {
      const found = stat(at);
      return at === path && found ? { ...found, mtimeNs: 5n, ctimeNs: 5n } : found;
    };
  }
  it('counts when it is hive.json', async () => {
    const bench = await makeBench({ settings: { hopCap: 3 } });
    stopTime(bench, bench.layout.settings);
    await bench.start();
    await bench.pass();
    bench.files.write(bench.layout.settings, '{"hopCap":4}');
    await bench.pass();
    expect(bench.router.rules.hopCap).toBe(4);
  });
  it('counts when it is registry.json', async () => {
    const bench = await makeBench();
    stopTime(bench, bench.layout.registry);
    await bench.start();
    await bench.pass();
    const text = bench.files.text(bench.layout.registry) ?? '';
    bench.files.write(bench.layout.registry, text.replace('"name": "coder"', '"name": "codex"'));
    await bench.pass();
    expect(bench.router.census?.roster.agents.get('coder' as AgentId)?.name).toBe('codex');
    bench.passTime(3000);
    await bench.pass();
    bench.fs.operations.length = 0;
    await bench.pass();
    const reads = bench.fs.operations.filter(({ kind }) => kind === 'read');
    expect(reads.filter(({ path }) => path.endsWith('registry.json'))).toEqual([]);
  });
});
