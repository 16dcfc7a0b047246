/**
 * Scenarios of scale and age, told by counts and not by time: calls on files, names listed, bytes read.
 * What a hive has behind it costs nothing, and what is there and at rest costs one look each.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answerHook } from '../../src/doorbell/answer-hook.ts';
import { layoutOf } from '../../src/hive/layout.ts';
import { openHive } from '../../src/index.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import { runPass } from '../../src/router/pass.ts';
import { countFileCalls, type FileCalls } from '../helpers/count-file-calls.ts';
import { type HiveBench, openHiveBench } from '../helpers/hive-bench.ts';
import { makeBench } from '../helpers/router-bench.ts';

const AGED = { letters: 120, files: 3000, segments: 40, rows: 2000 };
const id = (serial: number): string => `1m8p${String(serial).padStart(8, '0')}-aaaaaaaa`;

/** Letters that were routed, handled and recorded; archives, and a log, as long use leaves them. */
async function grow(bench: HiveBench): Promise<void> {
  for (let letter = 0; letter < AGED.letters; letter++) {
    bench.write('planner', { to: 'coder', act: 'inform', subject: `s${letter}`, body: 'b' });
  }
  await bench.run();
  bench.takeAll('coder');
  const { done, sent } = layoutOf(bench.dir).agent('coder' as AgentId);
  for (let file = 0; file < AGED.files; file++) {
    writeFileSync(join(done, `${id(file)}.json`), '{}');
    writeFileSync(join(sent, `${id(file)}.x.json`), '{}');
  }
  const { logSegments } = layoutOf(bench.dir);
  mkdirSync(logSegments, { recursive: true });
  const row = `${JSON.stringify({ seq: 1, ts: '2026-01-01T00:00:00.000Z', epoch: 1, kind: 'handled', id: id(1), to: ['coder'] })}\n`;
  for (let segment = 0; segment < AGED.segments; segment++) {
    const name = `${String(segment + 1).padStart(12, '0')}.jsonl`;
    writeFileSync(join(logSegments, name), row.repeat(AGED.rows));
  }
}

/** A hive that has just been used for once, and comes to rest. */
async function settled(isOld: boolean): Promise<HiveBench> {
  const bench = await openHiveBench();
  if (isOld) await grow(bench);
  await bench.send('planner', { to: 'coder', act: 'inform', body: 'b' });
  bench.takeAll('coder');
  // Every look that is due now and then has been had.
  for (let look = 0; look < 20; look++) {
    bench.wait(10_000);
    await bench.run();
  }
  expect(await bench.recorded()).toBe(true);
  return bench;
}

async function pass({ router }: HiveBench): Promise<void> {
  await runPass(router, { takeIn: true });
}

async function passWithLetter(bench: HiveBench): Promise<FileCalls> {
  bench.write('planner', { to: 'coder', act: 'inform', body: 'b' });
  bench.wait(10);
  return await countFileCalls(bench.dir, () => pass(bench));
}

function hook(hive: string): void {
  const agent = 'tester' as AgentId;
  answerHook({
    ...{ client: 'claude', hive, agent, root: layoutOf(hive).agent(agent).root },
    ...{ event: 'PostToolUse', payload: { session_id: 's', cwd: '/' }, env: {} },
    ...{ parent: process.pid, launcher: '/opt/hivemail.cjs', now: Date.now(), checkTime() {} },
  });
}

describe('with many archived letters, a long log and a history', { timeout: 120_000 }, () => {
  it('a pass, a letter, status and a hook make the same calls and read as much as in a new hive', async () => {
    const [old, young] = [await settled(true), await settled(false)];
    const both = async (measure: (bench: HiveBench) => Promise<FileCalls>) =>
      [await measure(old), await measure(young)] as const;
    const counts = {
      pass: await both((bench) => countFileCalls(bench.dir, () => pass(bench))),
      letter: await both(passWithLetter),
      status: await both((bench) => countFileCalls(bench.dir, () => openHive(bench.dir).status())),
      hook: await both((bench) => countFileCalls(bench.dir, () => hook(bench.dir))),
    };
    for (const [what, [aged, empty]] of Object.entries(counts)) {
      expect(aged.calls, what).toEqual(empty.calls);
      expect(aged.names, what).toBe(empty.names);
      expect(Math.abs(aged.bytes - empty.bytes), what).toBeLessThan(200);
      expect(empty.calls.length, what).toBeGreaterThan(3);
    }
  });
});

describe('a thousand agents with nothing to do', () => {
  it('cost an idle pass one look at each outbox, and no listing', async () => {
    const agents = Array.from({ length: 1000 }, (_, serial) => `a${serial}`);
    const bench = await makeBench({ agents });
    await bench.start();
    await bench.passes(3);
    bench.fs.restart();
    await bench.pass();
    const among = bench.fs.operations.filter(({ path }) => path.startsWith(bench.layout.agents));
    const outboxes = [...agents, 'human'].map(
      (agent) => bench.layout.agent(agent as AgentId).outbox,
    );
    const looks = among.filter(({ kind, path }) => kind === 'stat' && path.endsWith('/outbox'));
    expect(looks.map(({ path }) => path).sort()).toEqual(outboxes.sort());
    expect(among.filter(({ kind }) => kind !== 'stat')).toEqual([]);
    expect(bench.fs.operations.length - among.length).toBeLessThan(30);
  });
});

describe('shown where it belongs:', () => {
  it.each([
    [
      'a pass does the same to files in a hive of any age, also what it writes',
      'router/pass.test.ts',
      'is the same in a hive of any age, with letters and without',
    ],
    [
      'a log that is rotated while it is followed shows no row twice and misses none',
      'log/rotation.test.ts',
      'in the middle of following misses no row and shows none twice',
    ],
    [
      'retention removes no letter that is not handled',
      'router/retention.test.ts',
      'that is unread, however old',
    ],
    [
      'retention removes no letter that the history lacks',
      'router/retention.test.ts',
      'that the history lacks',
    ],
    [
      'an outbox of any number of files is listed once for many passes',
      'spool/scan.test.ts',
      'is listed once for many passes, each of which looks at one letter more than it takes',
    ],
  ])('%s', (_, file, title) => {
    const path = join(import.meta.dirname, '..', file);
    expect(existsSync(path) && readFileSync(path, 'utf8').includes(title)).toBe(true);
  });
});
