// needs: git
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { ownIdentity } from '../../src/hive/process-identity.ts';
import { runPass } from '../../src/router/pass.ts';
import { hivemail, lettersIn, makePlace, type Place, rowsOf, startRouter } from '../e2e/built.ts';
import { openHiveBench } from '../helpers/hive-bench.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const LIMIT_MS = 120_000;
const DAY_MS = 86_400_000;

function write({ hive }: Place, agent: string, serial: number): void {
  const letter = { to: 'coder', act: 'inform', subject: `letter ${serial}`, body: 'x' };
  const outbox = join(hive, 'agents', agent, 'outbox');
  writeFileSync(join(outbox, `.tmp-${serial}`), JSON.stringify(letter));
  execFileSync('mv', [join(outbox, `.tmp-${serial}`), join(outbox, `${serial}.json`)]);
}

function numbersIn(place: Place, dir = 'inbox'): number[] {
  const subjects = lettersIn(place, 'coder', dir).map(({ subject }) => subject as string);
  return subjects.map((subject) => Number(subject.replace('letter ', ''))).sort((a, b) => a - b);
}

const count = (to: number): number[] => Array.from({ length: to }, (_, place) => place + 1);

/** Says who holds the hive, as a router would have written it. */
function recordOwner({ hive }: Place, fields: Record<string, unknown>): void {
  const owner = { ...ownIdentity(), host: hostname(), epoch: 7, node: process.version };
  const record = {
    ...owner,
    version: '0.1.0',
    since: '2026-01-01T00:00:00.000Z',
    token: 'before00',
  };
  writeFileSync(join(hive, '.router', 'owner.json'), JSON.stringify({ ...record, ...fields }));
}

/** Lists the processes whose command line or folder is within a directory. */
function processesOf(dir: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(dir);
    } catch {
      // It has ended since it was listed.
      return false;
    }
  });
}

describe('D5. Two routers on one hive', { timeout: LIMIT_MS }, () => {
  it('are one: the second names the first, and starts at once when that is killed', async () => {
    const place = await makePlace(tempDir(), 'god,planner,coder');
    await using first = await startRouter(place);
    const refused = await hivemail(place, ['up', place.hive, '--once']);
    expect(refused).toMatchObject({ exitCode: 5, stdout: '' });
    expect(refused.stderr).toContain(`Process ${first.pid} on `);
    first.signal('SIGKILL');
    await first.result();
    write(place, 'planner', 1);
    const second = await hivemail(place, ['up', place.hive, '--once']);
    expect(second).toMatchObject({ exitCode: 0 });
    expect(numbersIn(place)).toEqual([1]);
  });

  it.each([
    ['whose number another program has now', { startedAt: '1' }],
    ['of a boot ago', { bootId: '00000000-0000-0000-0000-000000000000' }],
    ['that has given the hive back', { ended: '2026-01-01T00:00:01.000Z' }],
  ])('are not seen in an owner %s', async (_, fields) => {
    const place = await makePlace(tempDir(), 'god,planner,coder');
    recordOwner(place, fields);
    write(place, 'planner', 1);
    const { exitCode, stderr } = await hivemail(place, ['up', place.hive, '--once']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(numbersIn(place)).toEqual([1]);
    expect(rowsOf(place).at(-1)?.epoch).toBe(8);
  });

  it('are seen in one that has slept for months and lives', async () => {
    const place = await makePlace(tempDir(), 'god,planner,coder');
    recordOwner(place, {});
    write(place, 'planner', 1);
    const { exitCode, stderr } = await hivemail(place, ['up', place.hive, '--once']);
    expect(exitCode).toBe(5);
    expect(stderr).toContain(`Process ${process.pid} on `);
    expect(readdirSync(join(place.hive, 'agents/planner/outbox'))).toContain('1.json');
  });
});

describe('D6. A router that loses time', { timeout: LIMIT_MS }, () => {
  it('by being stopped goes on with the whole backlog, in order, each letter once', async () => {
    const place = await makePlace(tempDir(), 'god,planner,coder');
    await using router = await startRouter(place);
    write(place, 'planner', 1);
    await vi.waitFor(() => expect(numbersIn(place)).toEqual([1]), { timeout: 20_000 });
    router.signal('SIGSTOP');
    for (let serial = 2; serial <= 40; serial++) write(place, 'planner', serial);
    const refused = await hivemail(place, ['up', place.hive, '--once']);
    expect(refused.exitCode).toBe(5);
    router.signal('SIGCONT');
    await vi.waitFor(() => expect(numbersIn(place)).toEqual(count(40)), { timeout: 20_000 });
    router.signal('SIGTERM');
    expect(await router.result()).toMatchObject({ exitCode: 0 });
    expect(numbersIn(place)).toEqual(count(40));
  });

  it.each([
    ['a clock that goes forward a day', DAY_MS],
    ['a clock that goes back an hour', -3_600_000],
    ['a clock that goes back to 1970', -Date.parse('2026-11-30T11:59:59Z')],
  ])('to %s needs one pass for the backlog, and its ids only grow', async (_, jumpMs) => {
    const bench = await openHiveBench();
    const before = await bench.send('planner', { to: 'coder', act: 'inform', body: '1' });
    const { now } = bench.clock;
    Object.assign(bench.clock, { now: () => now() + jumpMs });
    for (let serial = 2; serial <= 20; serial++) {
      bench.write('planner', { to: 'coder', act: 'inform', body: `${serial}` });
    }
    bench.wait(10);
    expect(await runPass(bench.router, { takeIn: true })).toMatchObject({
      letters: 19,
      more: false,
    });
    const ids = bench.inbox('coder').map(({ id }) => id);
    expect(ids[0]).toBe(before.id);
    expect(bench.inbox('coder').map(({ body }) => Number(body))).toEqual(count(20));
    expect(bench.router.health.problems).toEqual([]);
    await bench.restart();
    const after = await bench.send('planner', { to: 'coder', act: 'inform', body: '21' });
    expect(`${after.id}` > `${ids.at(-1)}`).toBe(true);
    expect(await bench.recorded()).toBe(true);
  });

  it('to a clock that jumps about waits for unfinished files by another one', async () => {
    const bench = await openHiveBench();
    const { now } = bench.clock;
    bench.write('planner', '{"to":"coder","act":"inform","body":"unfini');
    for (const jumpMs of [DAY_MS, -DAY_MS, 1000 * DAY_MS, -3_600_000]) {
      Object.assign(bench.clock, { now: () => now() + jumpMs });
      await bench.run();
      expect(bench.letterRows()).toEqual([]);
    }
    bench.wait(31_000);
    await bench.run();
    expect(bench.letterRows()).toMatchObject([{ outcome: 'quarantined' }]);
  });
});

describe('D7. SIGTERM', { timeout: LIMIT_MS }, () => {
  it('ends the pass, flushes the history, and leaves nothing of git running', async () => {
    const place = await makePlace(tempDir(), 'god,planner,coder');
    await using router = await startRouter(place);
    for (let serial = 1; serial <= 60; serial++) write(place, 'planner', serial);
    await vi.waitFor(() => expect(numbersIn(place).length).toBeGreaterThan(0), { timeout: 20_000 });
    router.signal('SIGTERM');
    expect(await router.result()).toMatchObject({ exitCode: 0, signal: null });
    expect(processesOf(place.hive)).toEqual([]);
    const routed = numbersIn(place);
    const left = readdirSync(join(place.hive, 'agents/planner/outbox')).filter((name) =>
      /^\d/.test(name),
    );
    expect(routed.length + left.length).toBe(60);
    expect(
      readdirSync(join(place.hive, '.router')).filter((name) => /^e\d|child/.test(name)),
    ).toEqual([]);
    expect(readdirSync(join(place.hive, '.router/history'))).toEqual([]);
    const recorded = gitIn(place, 'ls-tree', '-r', '--name-only', 'main');
    expect(recorded.filter((path) => path.startsWith('messages/'))).toHaveLength(routed.length);
    expect(rowsOf(place).at(-1)).toMatchObject({ kind: 'router', code: 'stop' });
  });
});

function gitIn({ hive }: Place, ...args: string[]): string[] {
  return execFileSync('git', ['-C', hive, ...args], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}

describe('D8. A torn last line of log.jsonl', { timeout: LIMIT_MS }, () => {
  it.each([
    ['a row cut in the middle', '{"seq":99,"ts":"2026-11-30T12:00'],
    ['a row without its line feed', '{"seq":98,"ts":"2026-11-30T12:00:00.000Z","kind":"x"}'],
    ['bytes that are no text', '\u0000\u0000\u0000'],
    ['half a character', '{"seq":97,"note":"\uD83D'],
  ])('that is %s swallows no row, and every reader passes it over', async (_, torn) => {
    const place = await makePlace(tempDir(), 'god,planner,coder');
    write(place, 'planner', 1);
    await hivemail(place, ['up', place.hive, '--once']);
    appendFileSync(join(place.hive, 'log.jsonl'), torn);
    write(place, 'planner', 2);
    const again = await hivemail(place, ['up', place.hive, '--once']);
    expect(again).toMatchObject({ exitCode: 0 });
    const letters = rowsOf(place).filter(({ kind }) => kind === 'letter');
    expect(letters.map(({ subject }) => subject)).toEqual(['letter 1', 'letter 2']);
    const log = await hivemail(place, ['log', '--kind', 'letter', '--json']);
    expect(log.exitCode).toBe(0);
    expect(log.stdout.match(/letter \d/g)).toEqual(['letter 1', 'letter 2']);
    const numbers = rowsOf(place).map(({ seq }) => seq);
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});

describe('D10. `.router/` deleted after a clean stop', { timeout: LIMIT_MS }, () => {
  it('is made anew: the next router starts and routes, loses and doubles nothing', async () => {
    const place = await makePlace(tempDir(), 'god,planner,coder');
    await using router = await startRouter(place);
    for (let serial = 1; serial <= 5; serial++) write(place, 'planner', serial);
    await vi.waitFor(() => expect(numbersIn(place)).toEqual(count(5)), { timeout: 20_000 });
    router.signal('SIGTERM');
    await router.result();
    const before = gitIn(place, 'log', '--format=%H', 'main');
    rmSync(join(place.hive, '.router'), { recursive: true });
    write(place, 'planner', 6);
    const next = await hivemail(place, ['up', place.hive, '--once']);
    expect([next.exitCode, next.stderr]).toEqual([0, '']);
    expect(numbersIn(place)).toEqual(count(6));
    const ids = lettersIn(place, 'coder', 'inbox').map(({ id }) => id as string);
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(gitIn(place, 'log', '--format=%H', 'main').slice(-before.length)).toEqual(before);
    const messages = gitIn(place, 'ls-tree', '-r', '--name-only', 'main');
    expect(messages.filter((path) => path.startsWith('messages/'))).toHaveLength(6);
  });
});

describe('D11. A fast-import that outlives its router', { timeout: LIMIT_MS }, () => {
  it.each([
    ['and finishes meanwhile', 0.5],
    ['and would go on for long', 20],
  ])('%s is neither broken nor recorded twice by the next', async (_, seconds) => {
    const dir = tempDir();
    const place = await makePlace(dir, 'god,planner,coder');
    const shim = join(dir, 'bin', 'git');
    mkdirSync(join(dir, 'bin'));
    const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const slow = `case "$*" in *fast-import*) touch '${dir}/begun'; sleep ${seconds};; esac`;
    writeFileSync(
      shim,
      `#!/bin/sh\nif [ ! -e '${dir}/begun' ]; then ${slow}; fi\nexec '${git}' "$@"\n`,
    );
    chmodSync(shim, 0o755);
    const slowly = { ...place, env: { ...place.env, PATH: `${dir}/bin:${place.env['PATH']}` } };
    await using first = await startRouter(slowly);
    for (let serial = 1; serial <= 3; serial++) write(place, 'planner', serial);
    await vi.waitFor(() => expect(existsSync(join(dir, 'begun'))).toBe(true), { timeout: 20_000 });
    first.signal('SIGKILL');
    const next = await hivemail(slowly, ['up', place.hive, '--once']);
    expect(next.exitCode).toBe(0);
    await first.result();
    expect(numbersIn(place)).toEqual(count(3));
    const added = gitIn(place, 'log', '--format=', '--name-only', 'main');
    expect(added.filter((path) => path.startsWith('messages/'))).toHaveLength(3);
    expect(new Set(added).size).toBe(added.length);
    expect(gitIn(place, 'fsck', '--strict', '--no-dangling')).toEqual([]);
    expect(processesOf(place.hive)).toEqual([]);
    expect(readdirSync(join(place.hive, '.router/history'))).toEqual([]);
  });
});
