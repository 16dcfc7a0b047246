// needs: strace git
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { hivemail, makePlace, type Place } from '../e2e/built.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { type Call, eachOf, listCalls, runFaulty, sample, tellHits } from './strace.ts';

const LIMIT_MS = 3_600_000;
const FULL = process.env['HIVEMAIL_FULL_SWEEP'] === '1';
const KEPT = 'a field that Hivemail does not know';

let place: Place;
let copies = 0;

beforeAll(async () => {
  place = await makePlace(tempDir(), 'god,planner,coder');
  await hivemail(place, ['agent', 'set', 'coder', '--role', KEPT]);
}, LIMIT_MS);

function copy(): Place {
  copies += 1;
  const dir = join(place.hive, '..', `copy-${copies}`);
  mkdirSync(dir);
  cpSync(place.hive, join(dir, 'hive'), { recursive: true });
  return { ...place, hive: join(dir, 'hive') };
}

function read({ hive }: Place, name: string): Record<string, Record<string, unknown>> {
  return JSON.parse(readFileSync(join(hive, name), 'utf8'));
}

/** Checks that the roster is the old one or the new one, and nothing between. */
function checkWhole(at: Place, changed: boolean): void {
  const { agents = {} } = read(at, 'registry.json');
  const ids = Object.keys(agents).sort();
  if (changed || ids.length > 3) expect(ids).toEqual(['coder', 'god', 'late', 'planner']);
  else expect(ids).toEqual(['coder', 'god', 'planner']);
  expect(agents['coder']).toMatchObject({ role: KEPT });
  read(at, 'tasks.json');
  read(at, 'hive.json');
}

describe('D9. registry.json and tasks.json', { timeout: LIMIT_MS }, () => {
  it('are whole whenever the program that changes the roster is killed, and the change can be made again', async () => {
    const args = (hive: string) => ['--hive', hive, 'agent', 'add', 'late', '--role', 'critic'];
    const traced = copy();
    const calls: Call[] = await listCalls(traced.hive, args(traced.hive));
    checkWhole(traced, true);
    const wanted = FULL ? /./ : /^(rename|fsync|write|mkdir|openat)$/;
    const points = sample(
      calls.filter(({ name }) => wanted.test(name)),
      FULL ? 1000 : 12,
    );
    let hits = 0;
    await eachOf(
      points,
      ({ text }) => `killed before ${text}`,
      async ({ name, ordinal }) => {
        const at = copy();
        const end = await runFaulty(at.hive, `${name}:signal=KILL:when=${ordinal}`, args(at.hive));
        if (end.signal === 'SIGKILL') hits += 1;
        checkWhole(at, false);
        const again = await hivemail(at, ['agent', 'add', 'late', '--role', 'critic']);
        expect([0, 4]).toContain(again.exitCode);
        checkWhole(at, true);
        const up = await hivemail(at, ['up', at.hive, '--once']);
        expect(up.exitCode).toBe(0);
        expect(existsSync(join(at.hive, 'agents/late/inbox/.done'))).toBe(true);
        rmSync(join(at.hive, '..'), { recursive: true, force: true });
      },
    );
    tellHits('agent add killed', hits, points.length);
    expect(hits).toBeGreaterThan(points.length / 2);
  });
});
