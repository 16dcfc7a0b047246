// needs: git
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type HiveBench, openHiveBench } from '../helpers/hive-bench.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const LETTER = { to: 'coder', act: 'inform', subject: 'S', body: 'B' };
const SECRET = 'the word of another place';

/** What lies anywhere in a directory, as one text. */
function everything(dir: string): string {
  return readdirSync(dir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

const path = (bench: HiveBench, ...names: string[]): string => join(bench.dir, 'agents', ...names);

/** Checks that the other agents are served, and that two more starts tell nobody anything again. */
async function checkServed(bench: HiveBench, agent = 'planner'): Promise<void> {
  const to = agent === 'tester' ? 'god' : 'tester';
  const row = await bench.send(agent === 'god' ? 'tester' : 'god', {
    ...LETTER,
    to,
    subject: 'ok',
  });
  expect(row.outcome).toBe('delivered');
  await bench.settle();
  const before = [bench.rows().filter(({ kind }) => kind !== 'router'), bench.notices(agent)];
  await bench.restart();
  await bench.settle();
  await bench.restart();
  await bench.settle();
  const warned = ({ kind }: { kind: string }) => kind !== 'router' && kind !== 'warning';
  expect(bench.rows().filter(warned)).toEqual((before[0] as { kind: string }[]).filter(warned));
  expect(bench.notices(agent)).toEqual(before[1]);
}

type Plant = (at: string, bench: HiveBench) => void | Promise<void>;

const noFiles: [string, Plant][] = [
  ['a pipe', (at) => void execFileSync('mkfifo', [at])],
  [
    'a link to a file',
    (at, bench) => symlinkSync(join(bench.dir, '..', 'elsewhere', 'x.json'), at),
  ],
  ['a link to a directory', (at, bench) => symlinkSync(join(bench.dir, '..', 'elsewhere'), at)],
  [
    'a link to the letter of another',
    (at, bench) => symlinkSync(path(bench, 'tester', 'memory.md'), at),
  ],
  [
    'a link to the outbox of another',
    (at, bench) => symlinkSync(path(bench, 'tester', 'outbox'), at),
  ],
  ['a link to nothing', (at) => symlinkSync('/nowhere/at/all', at)],
  ['a link to itself', (at) => symlinkSync('x.json', at)],
  ['a link to an endless file', (at) => symlinkSync('/dev/zero', at)],
  [
    'a socket',
    async (at) => {
      // The path of a socket has 107 bytes at most, so it is made elsewhere and moved here.
      const short = join(tempDir(), 's');
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(short, resolve));
      renameSync(short, at);
      onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
    },
  ],
];

describe('E1. In an outbox', () => {
  it.each(noFiles)('%s is sent back unread, once, and holds up nobody', async (_, plant) => {
    const bench = await openHiveBench();
    mkdirSync(join(bench.dir, '..', 'elsewhere'));
    writeFileSync(
      join(bench.dir, '..', 'elsewhere', 'x.json'),
      JSON.stringify({ ...LETTER, body: SECRET }),
    );
    await plant(path(bench, 'planner', 'outbox', 'x.json'), bench);
    bench.write('planner', LETTER, 'y.json');
    await bench.settle();
    expect(bench.inbox('coder').map(({ from }) => from)).toEqual(['planner']);
    expect(bench.notices('planner')).toMatchObject([
      { notice: { code: 'not-a-file', file: 'x.json' } },
    ]);
    const archived = bench.list('agents', 'planner', 'outbox', '.sent');
    expect(archived.filter((name) => name.startsWith('bad-'))).toHaveLength(1);
    expect(bench.list('agents', 'planner', 'outbox')).toEqual(['.sent']);
    await checkServed(bench);
    expect(await bench.recorded()).toBe(true);
    rmSync(join(bench.dir, '..', 'elsewhere'), { recursive: true });
    for (const dir of ['agents/coder', 'agents/god', 'agents/planner/inbox', '.router']) {
      expect(everything(join(bench.dir, dir))).not.toContain(SECRET);
    }
    expect(
      execFileSync('git', ['-C', bench.dir, 'log', '-p', 'main'], { encoding: 'utf8' }),
    ).not.toContain(SECRET);
  });

  it.skipIf(spawnSync('mknod', [join(tempDir(), 'n'), 'c', '1', '5']).status !== 0)(
    'a device is sent back unread, once, and holds up nobody',
    async () => {
      const bench = await openHiveBench();
      execFileSync('mknod', [path(bench, 'planner', 'outbox', 'x.json'), 'c', '1', '5']);
      await bench.settle();
      expect(bench.notices('planner')).toMatchObject([{ notice: { code: 'not-a-file' } }]);
      await checkServed(bench);
    },
  );

  it('a hard link is a letter of the outbox it is in, copied, marked, and what it leads to is left alone', async () => {
    const bench = await openHiveBench();
    const [own, other] = [
      path(bench, 'planner', 'outbox', 'x.json'),
      path(bench, 'tester', 'draft'),
    ];
    writeFileSync(other, JSON.stringify({ ...LETTER, from: 'tester' }));
    linkSync(other, own);
    await bench.settle();
    const [message] = bench.inbox('coder');
    expect(message).toMatchObject({ from: 'planner', body: 'B' });
    expect(bench.letterRows()).toMatchObject([{ code: 'delivered', repairs: ['hard-link'] }]);
    expect((await bench.send('tester', LETTER)).repairs).toBeUndefined();
    const [sent] = bench.inbox('coder').slice(1);
    writeFileSync(other, 'changed later');
    expect(bench.inbox('coder')).toEqual([message, sent]);
    expect(lstatSync(path(bench, 'coder', 'inbox', `${message?.id}.json`)).nlink).toBe(1);
    await checkServed(bench);
  });

  it('a directory called x.json is told of once, left in place, and holds up nobody', async () => {
    const bench = await openHiveBench();
    mkdirSync(path(bench, 'planner', 'outbox', 'x.json'));
    bench.write('planner', LETTER, 'y.json');
    await bench.settle();
    expect(bench.inbox('coder')).toHaveLength(1);
    expect(bench.notices('planner')).toHaveLength(1);
    await checkServed(bench);
    expect(bench.list('agents', 'planner', 'outbox')).toEqual(['.sent', 'x.json']);
  });

  it('a file that the router may not read stays, is told of, and goes once it may', async () => {
    const bench = await openHiveBench();
    const file = path(bench, 'planner', 'outbox', 'x.json');
    writeFileSync(file, JSON.stringify(LETTER), { mode: 0o600 });
    await asOrdinaryUser(bench, async () => {
      if (process.getuid?.() !== 0) chmodSync(file, 0);
      bench.write('planner', { ...LETTER, subject: 'other' }, 'y.json');
      await bench.settle();
      expect(bench.inbox('coder').map(({ subject }) => subject)).toEqual(['other']);
      const [problem] = bench.router.health.problems;
      expect(problem).toMatchObject({ key: 'outbox/planner:files', red: true });
      expect(problem?.message).toContain('"x.json" (EACCES)');
      expect(bench.letterRows()).toHaveLength(1);
    });
    chmodSync(file, 0o644);
    await asOrdinaryUser(bench, async () => {
      await bench.settle();
      expect(bench.inbox('coder').map(({ subject }) => subject)).toEqual(['other', 'S']);
      expect(bench.router.health.problems).toEqual([]);
      await bench.close();
    });
  });
});

/** Runs work as one who has to keep to permissions: root reads everything. */
async function asOrdinaryUser(bench: HiveBench, work: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return await work();
  const nobody = 65_534;
  for (let dir = dirname(bench.dir), left = 2; left > 0; left--, dir = dirname(dir))
    chmodSync(dir, 0o711);
  const entries = readdirSync(bench.dir, { withFileTypes: true, recursive: true });
  chownSync(bench.dir, nobody, nobody);
  for (const entry of entries.filter(({ name }) => name !== 'x.json')) {
    chownSync(join(entry.parentPath, entry.name), nobody, nobody);
  }
  process.seteuid?.(nobody);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}

type Break = (at: string, bench: HiveBench) => void;

const inPlace: [string, Break][] = [
  ['a file', (at) => writeFileSync(at, 'no directory')],
  [
    'a link to a directory elsewhere',
    (at, bench) => symlinkSync(join(bench.dir, '..', 'elsewhere'), at),
  ],
  [
    'a link to that of another agent',
    (at, bench) => symlinkSync(path(bench, 'tester', at.split('/').at(-1) as string), at),
  ],
  ['a link to itself', (at) => symlinkSync(at, at)],
  ['a pipe', (at) => void execFileSync('mkfifo', [at])],
];

/** Puts something in the place of a directory of planner, and something else elsewhere. */
async function broken(name: string, breakIt: Break): Promise<HiveBench> {
  const bench = await openHiveBench();
  const elsewhere = join(bench.dir, '..', 'elsewhere');
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'x.json'), JSON.stringify({ ...LETTER, body: SECRET }));
  await bench.run();
  const at = path(bench, ...`planner/${name}`.split('/').filter((part) => part !== '.'));
  renameSync(at, `${at}.away`);
  if (name === '.') renameSync(`${at}.away`, join(bench.dir, '..', 'planner.away'));
  breakIt(at, bench);
  return bench;
}

describe.each(inPlace)('E1. In the place of a directory, %s', (_, breakIt) => {
  it('as an outbox sends nothing in anybody’s name, and is told of until it is mended', async () => {
    const bench = await broken('outbox', breakIt);
    bench.write('tester', LETTER);
    await bench.settle();
    expect(bench.inbox('coder').map(({ from, body }) => [from, body])).toEqual([['tester', 'B']]);
    expect(bench.router.health.problems.map(({ key }) => key)).toContain('outbox/planner');
    await checkServed(bench);
    const at = path(bench, 'planner', 'outbox');
    rmSync(at);
    renameSync(`${at}.away`, at);
    expect((await bench.send('planner', LETTER)).outcome).toBe('delivered');
    expect(bench.router.health.problems).toEqual([]);
    expect(readdirSync(join(bench.dir, '..', 'elsewhere'))).toEqual(['x.json']);
  });

  it('as an inbox keeps its mail owed, writes nothing elsewhere, and gets it once it is mended', async () => {
    const bench = await broken('inbox', breakIt);
    bench.write('coder', { ...LETTER, to: 'planner' });
    bench.write('coder', { ...LETTER, to: 'tester' });
    await bench.settle();
    expect(bench.inbox('tester').map(({ to }) => to)).toEqual(['tester']);
    expect(bench.router.health.problems.map(({ key }) => key)).toContain('inbox/planner');
    await bench.restart();
    await bench.settle();
    const at = path(bench, 'planner', 'inbox');
    rmSync(at);
    renameSync(`${at}.away`, at);
    bench.wait(61_000);
    await bench.settle();
    expect(bench.inbox('planner')).toHaveLength(1);
    expect(bench.inbox('tester')).toHaveLength(1);
    expect(bench.router.health.problems).toEqual([]);
    expect(readdirSync(join(bench.dir, '..', 'elsewhere'))).toEqual(['x.json']);
  });

  it('as the directory of an agent sends nothing in its name and puts nothing elsewhere', async () => {
    const bench = await broken('.', breakIt === inPlace[2]?.[1] ? linkToTester : breakIt);
    bench.write('tester', LETTER);
    bench.write('coder', { ...LETTER, to: 'planner' });
    await bench.settle();
    await bench.restart();
    await bench.settle();
    expect(bench.inbox('coder').map(({ from, body }) => [from, body])).toEqual([['tester', 'B']]);
    expect(bench.inbox('tester')).toEqual([]);
    expect(readdirSync(join(bench.dir, '..', 'elsewhere'))).toEqual(['x.json']);
    const at = path(bench, 'planner');
    rmSync(at);
    renameSync(join(bench.dir, '..', 'planner.away'), at);
    bench.wait(61_000);
    await bench.settle();
    expect(bench.inbox('planner').map(({ from }) => from)).toEqual(['coder']);
    expect(bench.router.health.problems).toEqual([]);
  });
});

function linkToTester(at: string, bench: HiveBench): void {
  symlinkSync(path(bench, 'tester'), at);
}

describe('E1. A mailbox that is missing', () => {
  it.each(['outbox', 'inbox', 'outbox/.sent', 'inbox/.done'])(
    'as to its %s is made anew',
    async (name) => {
      const bench = await openHiveBench();
      rmSync(path(bench, 'coder', name), { recursive: true });
      await bench.restart();
      await bench.run();
      expect((await bench.send('coder', { ...LETTER, to: 'planner' })).outcome).toBe('delivered');
      expect((await bench.send('planner', LETTER)).outcome).toBe('delivered');
      expect(bench.inbox('coder')).toHaveLength(1);
      expect(bench.router.health.problems).toEqual([]);
    },
  );
});

describe('E2. A missing .sent', () => {
  it('is made again, and no letter is routed twice for want of it', async () => {
    const bench = await openHiveBench();
    for (let turn = 0; turn < 3; turn++) {
      rmSync(path(bench, 'planner', 'outbox', '.sent'), { recursive: true });
      expect((await bench.send('planner', LETTER)).outcome).toBe('delivered');
      expect(bench.list('agents', 'planner', 'outbox', '.sent')).toHaveLength(1);
    }
    expect(bench.inbox('coder')).toHaveLength(3);
    expect(bench.letterRows()).toHaveLength(3);
  });

  it.each(inPlace)(
    'with %s in its place keeps originals aside, and routes each once',
    async (_, breakIt) => {
      const bench = await broken('outbox/.sent', breakIt);
      await bench.send('planner', LETTER);
      await bench.settle();
      await bench.restart();
      await bench.settle();
      expect(bench.inbox('coder')).toHaveLength(1);
      expect(bench.letterRows()).toHaveLength(1);
      expect(bench.list('.router', 'unfiled', 'planner')).toHaveLength(1);
      expect(bench.rows().filter(({ code }) => code === 'sent/planner')).toHaveLength(1);
      expect(readdirSync(join(bench.dir, '..', 'elsewhere'))).toEqual(['x.json']);
    },
  );
});

describe('E. A file that people edit', () => {
  it.each(['hive.json', 'registry.json'])(
    'is in force again once the very %s is put back',
    async (name) => {
      const bench = await openHiveBench({ settings: {} });
      await bench.run();
      const [at, away] = [join(bench.dir, name), join(bench.dir, '..', 'away')];
      renameSync(at, away);
      writeFileSync(at, '{');
      await bench.run();
      expect(bench.router.health.state).toBe('red');
      expect((await bench.send('planner', LETTER)).outcome).toBe('delivered');
      renameSync(away, at);
      await bench.run();
      expect(bench.router.health.problems).toEqual([]);
    },
  );
});
