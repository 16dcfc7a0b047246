import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { initHive } from '../../src/hive/init.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import type { LogRow } from '../../src/protocol/event.ts';
import { HiveBench, openHiveBench } from '../helpers/hive-bench.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { letterWith } from './sent-letters.ts';

const TEXT = JSON.stringify(letterWith({}));

const outboxOf = (bench: HiveBench, agent = 'planner') =>
  join(bench.dir, 'agents', agent, 'outbox');
/** A path in an outbox under a name that may be no text. */
const pathOf = (bench: HiveBench, name: string | Buffer, agent?: string) =>
  Buffer.concat([Buffer.from(`${outboxOf(bench, agent)}/`), Buffer.from(name)]);
const notText = (...bytes: number[]) => Buffer.concat([Buffer.from(bytes), Buffer.from('.json')]);

describe('A16. A letter is delivered and archived whatever its file is called:', () => {
  const names: [what: string, name: string | Buffer][] = [
    ['255 bytes', `${'n'.repeat(250)}.json`],
    ['255 bytes of four-byte characters', `${'😀'.repeat(62)}xx.json`],
    ['255 bytes of three-byte characters', `x${'漢'.repeat(83)}.json`],
    ['spaces', ' my  letter .json'],
    ['quotes', `"it's" \`quoted\`.json`],
    ['line breaks', 'two\nlines\r\n.json'],
    ['an escape sequence', '\u001b[31mred\u001b[0m.json'],
    ['emoji with joiners', '👩‍👩‍👧.json'],
    ['right-to-left marks', 'a\u202egnp.json'],
    ['upper case', 'a.JSON'],
    ['mixed case', 'a.Json'],
    ['several endings', 'a.txt.json.json'],
    ['tildes, which separate the parts of a claim', '~a~b~c.json'],
    ['backslashes', 'x\\..\\..\\y.json'],
    ['a leading dash', '-rf.json'],
    ['globs and dollars', '*?[a]{b}$(x)$HOME.json'],
    ['percent signs', '%2e%2e%2fx%00.json'],
    ['a device of Windows', 'CON.json'],
    ['bytes that are no UTF-8', notText(0x61, 0xff, 0xfe)],
    ['half a character', notText(0xf0, 0x9f)],
    ['255 bytes that are no UTF-8', notText(...Array.from({ length: 250 }, () => 0xff))],
  ];
  let rows: LogRow[] = [];
  let bodies = new Map<string, string>();
  let archived = new Map<string, Buffer>();
  let left: string[] = [];

  beforeAll(async () => {
    const dir = join(tempDir(), 'hive');
    await initHive({
      dir,
      fs: createNodeFs(),
      agents: ['planner', 'coder'],
      orchestrator: undefined,
    });
    const bench = new HiveBench(dir);
    await bench.open();
    for (const [body, name] of names) {
      writeFileSync(pathOf(bench, name), JSON.stringify(letterWith({ body })));
    }
    await bench.run();
    await bench.close();
    rows = bench.letterRows();
    bodies = new Map(bench.inbox('coder').map(({ body, id }) => [body, id]));
    const sent = readdirSync(join(outboxOf(bench), '.sent'), { encoding: 'buffer' });
    archived = new Map(sent.map((name) => [name.toString().split('.', 1)[0] as string, name]));
    left = bench.list('agents/planner/outbox');
  });

  it.each(names)('%s', (what) => {
    const id = bodies.get(what) as string;
    const row = rows.find((each) => each.id === id);
    expect(row).toMatchObject({ outcome: 'delivered', delivered: ['coder'] });
    expect(row?.file).not.toMatch(/\p{Cc}|\p{Cs}|\//u);
    expect(archived.get(id)?.toString()).toBe(`${id}.${row?.file}`);
    expect(row?.file).toMatch(/\.json$/i);
  });

  it('and nothing else is left or told', () => {
    expect(left).toEqual(['.sent']);
    expect(rows).toHaveLength(names.length);
    expect(archived.size).toBe(names.length);
  });

  it('255 bytes, of a sender with the longest id, when it bounces', async () => {
    const planner = 'p'.repeat(64);
    const bench = await openHiveBench({ agents: ['god', planner] });
    bench.write(planner, letterWith({ to: 'nobody' }), `${'é'.repeat(125)}.json`);
    await bench.run();
    const [row] = bench.letterRows();
    expect(row).toMatchObject({ outcome: 'bounced' });
    const [name = ''] = bench.list('agents', planner, 'outbox/.sent');
    expect(name.startsWith(`bounced-${row?.id}.éééé`)).toBe(true);
    expect(name.endsWith('é.json')).toBe(true);
    expect(bench.notices(planner)).toMatchObject([{ notice: { file: row?.file } }]);
  });

  it('a notice about it shows the name without harm', async () => {
    const bench = await openHiveBench();
    writeFileSync(pathOf(bench, '\u001b[31m\n"x"\u202e.json'), '[]');
    await bench.settle();
    const [notice] = bench.notices('planner');
    expect(notice?.notice).toMatchObject({ code: 'not-an-object' });
    expect(`${notice?.subject}${notice?.notice?.file}`).not.toMatch(/\p{Cc}/u);
    expect(bench.read('agents/planner/inbox', `${notice?.id}.json`)).not.toMatch(/[^\P{Cc}\n]/u);
  });
});

/** A hive whose agents have each one file of these names, and nothing else. */
async function hiveWith(names: readonly (string | Buffer)[]): Promise<HiveBench> {
  const bench = await openHiveBench({ agents: ['coder', ...names.map((_, place) => `s${place}`)] });
  for (const [place, name] of names.entries())
    writeFileSync(pathOf(bench, name, `s${place}`), TEXT);
  return bench;
}

/** Lets time pass, in two steps, since what changes between looks has not settled. */
async function later(bench: HiveBench, ms: number): Promise<void> {
  await bench.run();
  bench.wait(ms);
  await bench.run();
}

/** The files that agents were told of, in the order of the names; each has to be there still. */
function toldOf(bench: HiveBench, names: readonly (string | Buffer)[]): string[][] {
  return names.map((name, place) => {
    expect(readFileSync(pathOf(bench, name, `s${place}`), 'utf8')).toBe(TEXT);
    return bench.notices(`s${place}`).map(({ notice }) => `${notice?.code}: ${notice?.file}`);
  });
}

describe('A16. A temporary file of a writer', () => {
  it('that begins with a dot is passed over, and never told of', async () => {
    const names = ['.tmp-1.json', '.json', '.x.json.swp', '.hidden'];
    const bench = await hiveWith(names);
    await later(bench, 31_000);
    await later(bench, 3_600_000);
    expect(toldOf(bench, names)).toEqual([[], [], [], []]);
    expect(bench.rows().filter(({ kind }) => kind !== 'router')).toEqual([]);
  });

  it('that ends like one is told of once when left for ten minutes, and left in place', async () => {
    const names = ['x.json.tmp', 'x.json~', 'x.json.part', 'x.json.swp'];
    const bench = await hiveWith(names);
    await later(bench, 590_000);
    expect(toldOf(bench, names)).toEqual([[], [], [], []]);
    await later(bench, 20_000);
    const once = names.map((name) => [`stray: ${name}`]);
    expect(toldOf(bench, names)).toEqual(once);
    await later(bench, 700_000);
    await bench.restart();
    await later(bench, 700_000);
    await later(bench, 700_000);
    expect(toldOf(bench, names)).toEqual(once);
    expect(bench.inbox('coder')).toEqual([]);
  });

  it('is delivered once it is renamed, also after it was told of', async () => {
    const bench = await openHiveBench();
    writeFileSync(pathOf(bench, 'x.json.tmp'), TEXT);
    await later(bench, 700_000);
    expect(bench.notices('planner')).toHaveLength(1);
    renameSync(pathOf(bench, 'x.json.tmp'), pathOf(bench, 'x.json'));
    await bench.run();
    expect(bench.inbox('coder')).toMatchObject([{ body: 'B' }]);
  });
});

describe('A16. What is no letter by its name', () => {
  it('is told of to its owner once, over restarts, and left in place', async () => {
    const names = [
      'letter.txt',
      'letter',
      'x.jsonl',
      'x.json ',
      'x.json.',
      'two\nlines.md',
      `${'n'.repeat(251)}.txt`,
      Buffer.from([0x61, 0xff, 0x2e, 0x74, 0x78, 0x74]),
    ];
    const bench = await hiveWith(names);
    await later(bench, 11_000);
    const told = toldOf(bench, names);
    expect(told.map((each) => each.length)).toEqual(names.map(() => 1));
    for (let restarts = 2; restarts > 0; restarts--) {
      await bench.restart();
      await later(bench, 11_000);
    }
    expect(toldOf(bench, names)).toEqual(told);
    expect(bench.rows().filter(({ kind }) => kind === 'stray')).toHaveLength(names.length);
    expect(bench.notices('s0')[0]?.body).toMatch(/letter\.txt is not sent/);
    expect(bench.inbox('coder')).toEqual([]);
  });

  it('is told of once more when it is another file of that name', async () => {
    const bench = await openHiveBench();
    writeFileSync(pathOf(bench, 'letter.txt'), 'first');
    await bench.settle();
    writeFileSync(pathOf(bench, 'other'), 'second');
    renameSync(pathOf(bench, 'other'), pathOf(bench, 'letter.txt'));
    await bench.settle();
    expect(bench.notices('planner')).toHaveLength(2);
  });

  it('is not told of while it is still being written', async () => {
    const bench = await openHiveBench();
    for (let count = 5; count > 0; count--) {
      writeFileSync(pathOf(bench, 'letter.txt'), 'x'.repeat(count));
      bench.wait(8000);
      await bench.run();
    }
    expect(bench.notices('planner')).toEqual([]);
  });

  it('is told of together with others of its kind', async () => {
    const bench = await openHiveBench();
    for (const name of ['a.txt', 'b.md', 'c']) writeFileSync(pathOf(bench, name), TEXT);
    await bench.settle();
    const [notice, ...others] = bench.notices('planner');
    expect(others).toEqual([]);
    for (const name of ['a.txt', 'b.md', 'c']) expect(notice?.body).toContain(`outbox/${name}`);
  });
});

describe('A16. A directory in an outbox', () => {
  it('is told of once, over restarts; what is in it is left in place', async () => {
    const names = ['sub', 'sub.json'];
    const bench = await openHiveBench();
    for (const dir of names) {
      mkdirSync(join(outboxOf(bench), dir));
      writeFileSync(join(outboxOf(bench), dir, 'x.json'), TEXT);
    }
    await later(bench, 11_000);
    await bench.restart();
    await later(bench, 11_000);
    expect(bench.notices('planner')).toHaveLength(1);
    for (const dir of names) {
      expect(bench.notices('planner')[0]?.body).toContain(`outbox/${dir} is a directory`);
      expect(readFileSync(join(outboxOf(bench), dir, 'x.json'), 'utf8')).toBe(TEXT);
    }
    expect(bench.inbox('coder')).toEqual([]);
  });

  it('with many others is told of in a few notices and holds up nobody', async () => {
    const bench = await openHiveBench();
    for (let count = 0; count < 150; count++) mkdirSync(join(outboxOf(bench), `sub${count}`));
    bench.write('planner', letterWith({ body: 'mail' }));
    await later(bench, 11_000);
    expect(bench.inbox('coder')).toMatchObject([{ body: 'mail' }]);
    expect(bench.notices('planner').length).toBeLessThanOrEqual(5);
    expect(bench.list('agents/planner/outbox')).toHaveLength(151);
  });
});
