import {
  closeSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runPass } from '../../src/router/pass.ts';
import { type HiveBench, openHiveBench } from '../helpers/hive-bench.ts';
import { letterWith } from './sent-letters.ts';

const outboxOf = (bench: HiveBench, agent = 'planner') =>
  join(bench.dir, 'agents', agent, 'outbox');
const bodies = (bench: HiveBench, agent = 'coder') => bench.inbox(agent).map(({ body }) => body);
const outcomes = (bench: HiveBench) => bench.letterRows().map(({ outcome }) => outcome);

/** Contents of `.sent`, in the order of acceptance. */
function originals(bench: HiveBench, agent = 'planner'): string[] {
  const dir = join(outboxOf(bench, agent), '.sent');
  return readdirSync(dir)
    .sort()
    .map((name) => readFileSync(join(dir, name), 'utf8'));
}

describe('A13. Two letters that have something in common are both delivered and archived:', () => {
  it('the same id', async () => {
    const bench = await openHiveBench();
    const texts = ['1', '2'].map((body) => JSON.stringify(letterWith({ id: 'same', body })));
    for (const text of texts) bench.write('planner', text);
    await bench.run();
    expect(bodies(bench)).toEqual(['1', '2']);
    expect(originals(bench)).toEqual(texts);
    expect(new Set(bench.letterRows().map(({ id }) => id)).size).toBe(2);
  });

  it('the same file name from two senders', async () => {
    const bench = await openHiveBench();
    for (const agent of ['planner', 'tester']) {
      bench.write(agent, letterWith({ body: agent }), 'task.json');
    }
    await bench.run();
    expect(bodies(bench).sort()).toEqual(['planner', 'tester']);
    for (const agent of ['planner', 'tester']) expect(originals(bench, agent)).toHaveLength(1);
  });

  it('the same file name, used again in every pass', async () => {
    const bench = await openHiveBench();
    for (const body of ['1', '2', '3']) {
      bench.write('planner', letterWith({ body }), 'task.json');
      bench.wait(10);
      await runPass(bench.router, { takeIn: true });
    }
    expect(bodies(bench)).toEqual(['1', '2', '3']);
    expect(originals(bench)).toHaveLength(3);
  });

  it('the same file name, used again after one that was quarantined and one that bounced', async () => {
    const bench = await openHiveBench();
    for (const letter of ['[]', letterWith({ to: 'nobody' }), letterWith({ body: 'at last' })]) {
      bench.write('planner', letter, 'task.json');
      await bench.settle();
    }
    expect(outcomes(bench)).toEqual(['quarantined', 'bounced', 'delivered']);
    expect(bodies(bench)).toEqual(['at last']);
    expect(originals(bench)).toHaveLength(3);
  });

  it('the same content, byte for byte', async () => {
    const bench = await openHiveBench();
    for (let count = 3; count > 0; count--) bench.write('planner', letterWith({}));
    await bench.run();
    expect(bodies(bench)).toEqual(['B', 'B', 'B']);
    expect(originals(bench)).toHaveLength(3);
  });

  it('names that differ in nothing but case or what is cut off', async () => {
    const bench = await openHiveBench();
    const long = 'n'.repeat(240);
    const names = ['task.json', 'Task.json', 'task.JSON', `${long}-one.json`, `${long}-two.json`];
    for (const name of names) bench.write('planner', letterWith({ body: name }), name);
    await bench.run();
    expect(bodies(bench)).toEqual(names);
    expect(originals(bench)).toHaveLength(names.length);
  });
});

/** Most that a large file may add to the memory ever in use, in kB. */
const MOST_GROWTH_KB = 20_000;

describe('A15. The size limit', () => {
  it('lets a letter of exactly 1 MiB through, and not one a byte larger', async () => {
    const bench = await openHiveBench();
    const room = 1024 * 1024 - Buffer.byteLength(JSON.stringify(letterWith({ body: '' })));
    bench.write('planner', letterWith({ body: 'x'.repeat(room) }), 'fits.json');
    bench.write('planner', letterWith({ body: 'x'.repeat(room + 1) }), 'over.json');
    await bench.run();
    expect(bench.letterRows()).toMatchObject([
      { file: 'fits.json', outcome: 'delivered' },
      { file: 'over.json', outcome: 'quarantined', code: 'too-large' },
    ]);
    expect(bodies(bench)).toEqual(['x'.repeat(room)]);
    expect(bench.notices('planner')[0]?.body).toMatch(/1048576/);
  });

  it.each([
    ['sparse', false],
    ['full of a letter', true],
  ])('quarantines a file of 100 MB, %s, which costs no memory', async (_what, isFull) => {
    const bench = await openHiveBench();
    const path = join(outboxOf(bench), 'huge.json');
    const file = openSync(path, 'wx');
    const megabyte = Buffer.alloc(1_000_000, 'x');
    if (isFull) writeSync(file, '{"to":"coder","act":"inform","body":"');
    for (let count = isFull ? 100 : 0; count > 0; count--) writeSync(file, megabyte);
    if (!isFull) ftruncateSync(file, 100_000_000);
    closeSync(file);
    const { ino, size } = statSync(path);
    const before = process.resourceUsage().maxRSS;
    await bench.settle();
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(MOST_GROWTH_KB);
    expect(bench.letterRows()).toMatchObject([{ outcome: 'quarantined', code: 'too-large' }]);
    expect(bench.inbox('coder')).toEqual([]);
    expect(bench.notices('planner')[0]?.body).toMatch(/at most 1048576/);
    const [name = ''] = bench.list('agents/planner/outbox/.sent');
    expect(statSync(join(outboxOf(bench), '.sent', name))).toMatchObject({ ino, size });
    expect(await bench.recorded()).toBe(true);
  });

  it('goes by hive.json', async () => {
    const bench = await openHiveBench({ settings: { limits: { letterBytes: 100 } } });
    bench.write('planner', letterWith({ body: 'x'.repeat(100) }));
    await bench.run();
    expect(bench.letterRows()).toMatchObject([{ code: 'too-large' }]);
    expect(bench.notices('planner')[0]?.body).toMatch(/at most 100/);
  });
});

describe('A17. A flood in one outbox', () => {
  it('of 2 000 letters lets the single letter of another go first, in a small pass', async () => {
    const bench = await openHiveBench({ settings: { loops: { conversationCopies: 10_000 } } });
    for (let count = 0; count < 2000; count++) {
      writeFileSync(join(outboxOf(bench), `${count}.json`), JSON.stringify(letterWith({})));
    }
    bench.write('tester', letterWith({ body: 'the single one' }));
    const report = await runPass(bench.router, { takeIn: true });
    expect(report).toMatchObject({ letters: 11, more: true });
    expect(bodies(bench)[0]).toBe('the single one');
  });

  it('of broken and unfinished files leaves room as well', async () => {
    const bench = await openHiveBench();
    for (let count = 0; count < 1000; count++) {
      writeFileSync(join(outboxOf(bench), `${count}.json`), count % 2 ? '{"to":' : '[]');
    }
    bench.write('tester', letterWith({ body: 'the single one' }));
    await runPass(bench.router, { takeIn: true });
    expect(bodies(bench)).toEqual(['the single one']);
  });

  it('does not starve its own sender: the oldest letter is in the first pass', async () => {
    const bench = await openHiveBench();
    for (let count = 0; count < 300; count++) {
      const path = join(outboxOf(bench), `${999 - count}.json`);
      writeFileSync(path, JSON.stringify(letterWith({ body: `${count}` })));
      utimesSync(path, 1_800_000_000, 1_800_000_000 + count);
    }
    await runPass(bench.router, { takeIn: true });
    expect(bodies(bench)).toEqual(Array.from({ length: 100 }, (_, place) => `${place}`));
  });

  it('of large letters is taken in over several passes', async () => {
    const bench = await openHiveBench({ settings: { budget: { bytesPerPass: 1_000_000 } } });
    const body = 'x'.repeat(400_000);
    for (let count = 0; count < 6; count++) bench.write('planner', letterWith({ body }));
    bench.write('tester', letterWith({ body: 'the single one' }));
    expect(await runPass(bench.router, { takeIn: true })).toMatchObject({ more: true });
    expect(bodies(bench)).toContain('the single one');
    await bench.run();
    expect(bench.inbox('coder')).toHaveLength(7);
  });
});

describe('A18. Letters of one sender', () => {
  /** Writes as an agent does, with a time of writing. */
  function put(bench: HiveBench, name: string, atMs: number): void {
    const path = join(outboxOf(bench), '.tmp');
    writeFileSync(path, JSON.stringify(letterWith({ body: name })));
    utimesSync(path, 1_800_000_000, 1_800_000_000 + atMs / 1000);
    renameSync(path, join(outboxOf(bench), name));
  }

  it.each([30, 10])('written %i ms apart arrive in the order written', async (gapMs) => {
    const bench = await openHiveBench();
    const names = ['z.json', 'a.json', 'm.json', '10.json', '9.json', 'é.json', 'B.json'];
    for (const [place, name] of names.entries()) put(bench, name, place * gapMs);
    await bench.run();
    expect(bodies(bench)).toEqual(names);
  });

  it('arrive in the order written whatever is in them and whomever they are for', async () => {
    const bench = await openHiveBench();
    bench.write('planner', letterWith({ to: 'broadcast', body: '1' }));
    bench.write('planner', letterWith({ to: ['tester', 'coder'], body: '2' }));
    bench.write('planner', letterWith({ body: 'x'.repeat(500_000) }));
    bench.write('planner', letterWith({ act: 'request', body: '4' }));
    await bench.run();
    expect(bodies(bench)).toEqual(['1', '2', 'x'.repeat(500_000), '4']);
  });

  it('taken in over several passes arrive in the order written', async () => {
    const bench = await openHiveBench({ settings: { budget: { lettersPerSender: 2 } } });
    const names = ['z.json', 'a.json', 'm.json', 'c.json', 'b.json'];
    for (const [place, name] of names.entries()) put(bench, name, place * 30);
    await bench.run();
    expect(bodies(bench)).toEqual(names);
  });

  it('arrive in the order written over a restart, and a clock that steps back', async () => {
    const bench = await openHiveBench();
    put(bench, 'z.json', 0);
    await bench.run();
    bench.wait(-3_600_000);
    await bench.restart();
    put(bench, 'a.json', 30);
    await bench.run();
    expect(bodies(bench)).toEqual(['z.json', 'a.json']);
  });

  it('that really are written 30 ms apart arrive in the order written', async () => {
    const bench = await openHiveBench();
    for (const name of ['z.json', 'a.json', 'm.json']) {
      writeFileSync(join(outboxOf(bench), name), JSON.stringify(letterWith({ body: name })));
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    await bench.run();
    expect(bodies(bench)).toEqual(['z.json', 'a.json', 'm.json']);
  });
});
