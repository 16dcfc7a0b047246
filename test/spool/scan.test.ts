import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { layoutOf } from '../../src/hive/layout.ts';
import { OutboxScanner } from '../../src/spool/scan.ts';
import { failWhere } from '../helpers/faulty-fs.ts';
import { createMemoryFs } from '../helpers/memory-fs.ts';
import { agentId, makeSpool } from './spool-scene.ts';

const SORTED = 100;

async function makeOutboxes(...agents: string[]) {
  const scene = await makeSpool(...agents);
  const scanner = new OutboxScanner(scene.fs, scene.layout);
  const outbox = (agent: string) => scene.layout.agent(agentId(agent)).outbox;
  const write = (agent: string, name: string, content = '{}') =>
    scene.files.write(join(outbox(agent), name), content);
  const ids = agents.map(agentId);
  const scan = (nowMs = 0, sortedNames = SORTED) =>
    scanner.scan(ids, { sortedNames, lettersPerSender: 30 }, nowMs);
  const names = (nowMs?: number) => scan(nowMs).candidates.map(({ name }) => name);
  return { ...scene, scanner, outbox, write, scan, names };
}

describe('what a scan finds', () => {
  it('is every file with a letter name, whatever its case', async () => {
    const { write, names, scan } = await makeOutboxes('planner');
    for (const name of ['a.json', 'B.JSON', 'with space.json', 'é\udce9.json'])
      write('planner', name);
    expect(names().sort()).toEqual(['B.JSON', 'a.json', 'with space.json', 'é\udce9.json']);
    expect(scan().strays).toEqual([]);
  });
  it('leaves out hidden files, also those of writers that rename when they are done', async () => {
    const { write, scan } = await makeOutboxes('planner');
    for (const name of ['.tmp-1.json', '.hidden', '.json']) write('planner', name);
    expect(scan()).toMatchObject({ candidates: [], strays: [] });
  });
  it('tells strays from letters, and temporary names from other strays', async () => {
    const { files, outbox, write, scan } = await makeOutboxes('planner');
    for (const name of ['letter.txt', 'x.json.tmp', 'y.json~', '#z.json#']) write('planner', name);
    files.mkdir(join(outbox('planner'), 'sub'));
    files.mkdir(join(outbox('planner'), 'dir.json'));
    const strays = scan().strays.map(({ name, temporary }) => `${name} ${temporary}`);
    expect(strays.sort()).toEqual([
      '#z.json# true',
      'dir.json false',
      'letter.txt false',
      'sub false',
      'x.json.tmp true',
      'y.json~ true',
    ]);
  });
  it('takes links and pipes with letter names, so that they can be quarantined', async () => {
    const { files, outbox, scan } = await makeOutboxes('planner');
    files.link(join(outbox('planner'), 'link.json'), '/etc/passwd');
    files.pipe(join(outbox('planner'), 'pipe.json'));
    expect(
      scan()
        .candidates.map(({ stat }) => stat.kind)
        .sort(),
    ).toEqual(['link', 'other']);
  });
});

describe('the order of a scan', () => {
  it('is the order of writing, whatever the names', async () => {
    const { write, names } = await makeOutboxes('planner');
    for (const name of ['z.json', 'a.json', 'm.json']) write('planner', name);
    expect(names()).toEqual(['z.json', 'a.json', 'm.json']);
  });
  it('is the order of inodes where the times are the same', () => {
    const files = createMemoryFs({ nowNs: () => 5n });
    files.write('/hive/agents/planner/outbox/z.json', '');
    files.write('/hive/agents/planner/outbox/a.json', '');
    const scanner = new OutboxScanner(files, layoutOf('/hive'));
    const { candidates } = scanner.scan(
      [agentId('planner')],
      { sortedNames: SORTED, lettersPerSender: 30 },
      0,
    );
    expect(candidates.map(({ name }) => name)).toEqual(['z.json', 'a.json']);
  });
  it('takes one letter of each sender in turn', async () => {
    const { write, scan } = await makeOutboxes('a', 'b', 'c');
    for (const name of ['1.json', '2.json', '3.json']) write('a', name);
    write('b', '1.json');
    write('c', '1.json');
    write('c', '2.json');
    const order = scan().candidates.map(({ agent, name }) => agent + name[0]);
    expect(new Set(order.slice(0, 3).map(([agent]) => agent))).toEqual(new Set(['a', 'b', 'c']));
    expect(order.filter(([agent]) => agent === 'a')).toEqual(['a1', 'a2', 'a3']);
    expect(order.indexOf('a3')).toBe(5);
  });
  it('begins with another sender each time', async () => {
    const { write, scan } = await makeOutboxes('a', 'b', 'c');
    for (const agent of ['a', 'b', 'c']) write(agent, 'x.json');
    const first = [0, 1, 2].map((nowMs) => scan(nowMs).candidates[0]?.agent);
    expect(new Set(first)).toEqual(new Set(['a', 'b', 'c']));
  });
});

describe('what a scan passes over', () => {
  it('is an outbox that has not changed for two seconds, at the cost of one look', async () => {
    const { fs, write, names } = await makeOutboxes('planner');
    write('planner', 'a.json');
    expect(names(0)).toEqual(['a.json']);
    expect(names(2000)).toEqual(['a.json']);
    fs.restart();
    expect(names(2001)).toEqual([]);
    expect(fs.operations.map(({ kind }) => kind)).toEqual(['stat']);
  });
  it('is never one that changed since', async () => {
    const { write, names } = await makeOutboxes('planner');
    names(0);
    names(9000);
    write('planner', 'a.json');
    expect(names(9001)).toEqual(['a.json']);
  });
  it('is never one that is not done with', async () => {
    const { scanner, write, names } = await makeOutboxes('planner');
    write('planner', 'a.json');
    names(0);
    for (const nowMs of [5000, 10_000, 15_000]) {
      scanner.keepPending(agentId('planner'));
      expect(names(nowMs)).toEqual(['a.json']);
    }
    expect(names(20_000)).toEqual([]);
  });
  it('is never one that could not be listed when it changed', async () => {
    const { fs, write, scan, names } = await makeOutboxes('planner');
    write('planner', 'a.json');
    fs.plan = failWhere(({ kind }) => kind === 'list', 'EMFILE');
    for (const nowMs of [0, 1500, 3000, 4500]) {
      expect(scan(nowMs).broken).toEqual([{ agent: 'planner', problem: 'EMFILE' }]);
    }
    fs.plan = undefined;
    expect(names(6000)).toEqual(['a.json']);
  });
  it('is never one with a file that could not be looked at', async () => {
    const { fs, write, scan, names } = await makeOutboxes('planner');
    write('planner', 'a.json');
    write('planner', 'b.json');
    fs.plan = failWhere(({ path }) => path.endsWith('a.json'), 'EIO');
    for (const nowMs of [0, 3000]) {
      const { candidates, trouble } = scan(nowMs);
      expect(candidates.map(({ name }) => name)).toEqual(['b.json']);
      expect(trouble).toEqual([{ agent: 'planner', name: 'a.json', code: 'EIO' }]);
    }
    fs.plan = undefined;
    expect(names(6000)).toEqual(['a.json', 'b.json']);
  });
});

describe('an outbox that can not be used', () => {
  it.each([
    ['missing', 'missing'],
    ['a file', 'a file'],
    ['a link', 'a link'],
  ])('is told of and stops nobody else: %s', async (kind, problem) => {
    const { files, outbox, write, scan } = await makeOutboxes('planner', 'coder');
    write('coder', 'a.json');
    files.rename(outbox('planner'), '/elsewhere');
    files.write('/elsewhere/stolen.json', '{}');
    if (kind === 'a file') files.write(outbox('planner'), '');
    if (kind === 'a link') files.link(outbox('planner'), '/elsewhere');
    const { candidates, broken } = scan();
    expect(candidates.map(({ agent }) => agent)).toEqual(['coder']);
    expect(broken).toEqual([{ agent: 'planner', problem }]);
  });
  it('is read again as soon as it is a directory again', async () => {
    const { files, outbox, write, scan, names } = await makeOutboxes('planner');
    write('planner', 'a.json');
    scan(0);
    files.rename(outbox('planner'), '/elsewhere');
    scan(9000);
    files.rename('/elsewhere', outbox('planner'));
    expect(names(9001)).toEqual(['a.json']);
  });
});

describe('an overfull outbox', () => {
  it('gives some letters in no order, and says so', async () => {
    const { write, scan } = await makeOutboxes('planner', 'coder');
    for (let n = 0; n < 50; n++) write('planner', `${n}.json`);
    write('coder', 'a.json');
    const { candidates, overfull } = scan(0, 20);
    expect(overfull).toEqual(['planner']);
    expect(candidates.some(({ agent }) => agent === 'coder')).toBe(true);
    expect(candidates.filter(({ agent }) => agent === 'planner').length).toBeGreaterThan(10);
  });
  it('does not list more names than it sorts', async () => {
    const { fs, write, scan } = await makeOutboxes('planner');
    for (let n = 0; n < 50; n++) write('planner', `${n}.json`);
    fs.restart();
    scan(0, 20);
    expect(fs.operations.filter(({ kind }) => kind === 'stat').length).toBeLessThanOrEqual(22);
  });
  it('gives up its one letter among any number of other files', async () => {
    const { write, scan } = await makeOutboxes('planner');
    for (let n = 0; n < 50; n++) write('planner', `${n}.txt`);
    write('planner', 'the one.json');
    expect(scan(0, 20).candidates.map(({ name }) => name)).toEqual(['the one.json']);
  });
});

describe('an outbox that holds more than a pass takes', () => {
  const count = async (letters: number) => {
    const scene = await makeOutboxes('planner');
    for (let n = 0; n < letters; n++) scene.write('planner', `${n}.json`);
    const take = (names: readonly string[]) => {
      for (const name of names) scene.files.unlink(join(scene.outbox('planner'), name));
    };
    const range = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => `${from + n}.json`);
    return { ...scene, take, range };
  };

  it('is listed once for many passes, each of which looks at one letter more than it takes', async () => {
    const { fs, names, take, range } = await count(95);
    expect(names(0)).toEqual(range(0, 31));
    take(range(0, 30));
    fs.restart();
    expect(names(100)).toEqual(range(30, 61));
    expect(fs.operations.filter(({ kind }) => kind === 'list')).toEqual([]);
    take(range(30, 60));
    expect(names(200)).toEqual(range(60, 91));
    take(range(60, 90));
    expect(names(300)).toEqual(range(90, 95));
  });
  it('has more until its end is reached', async () => {
    const { scan, take, range } = await count(40);
    expect(scan(0).more).toBe(true);
    take(range(0, 30));
    expect(scan(1).more).toBe(false);
  });
  it('is listed again after its end, and after two seconds', async () => {
    const { write, names, scan, take, range } = await count(70);
    names(0);
    take(range(0, 30));
    write('planner', 'new.json');
    expect(names(100)).not.toContain('new.json');
    take(range(30, 60));
    expect(names(200)).toEqual(range(60, 70));
    expect(names(300)).toEqual([...range(60, 70), 'new.json']);
    for (const name of range(100, 200)) write('planner', name);
    names(400);
    take(['new.json', ...range(60, 70), ...range(100, 190)]);
    expect(scan(2400).candidates.map(({ name }) => name)).toEqual(range(190, 200));
  });
  it('lets letters that stay, as those that are still written do, stand in no other’s way', async () => {
    const { scanner, scan, names, range } = await count(70);
    const stuck = scan(0).candidates;
    expect(stuck).toHaveLength(31);
    for (const candidate of stuck) scanner.passOver(candidate);
    expect(names(100)).toEqual(range(0, 62));
    for (const candidate of scan(200).candidates) scanner.passOver(candidate);
    expect(names(300)).toEqual(range(0, 70));
    expect(scan(300).more).toBe(false);
  });
  it('is told of by its strays in every pass', async () => {
    const { write, scan } = await count(40);
    write('planner', 'notes.txt');
    const strays = [0, 100].map((nowMs) => scan(nowMs).strays.map(({ name }) => name));
    expect(strays).toEqual([['notes.txt'], ['notes.txt']]);
  });
});
