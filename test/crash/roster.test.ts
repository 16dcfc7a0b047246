// needs: strace git
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { hivemail, makePlace, type Place } from '../e2e/built.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { listCalls } from './calls.ts';
import { runFaulty } from './faults.ts';
import { HeldRouter } from './held-router.ts';
import { FULL, SWEEP_MS, sample, sweep, whatLacks } from './sweep.ts';

const KEPT = 'a field that Hivemail does not know';

const lack = await whatLacks();

let place: Place;
let copies = 0;

beforeAll(async () => {
  if (lack !== undefined) return;
  place = await makePlace(tempDir(), 'god,planner,coder');
  await hivemail(place, ['agent', 'set', 'coder', '--role', KEPT]);
}, SWEEP_MS);

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

const ADD = ['agent', 'add', 'late', '--role', 'critic'];

describe.skipIf(lack !== undefined)(
  'D9. registry.json and tasks.json',
  { timeout: SWEEP_MS },
  () => {
    it('are whole whenever the program that changes the roster is killed, and the change can be made again', async () => {
      const args = (hive: string) => ['--hive', hive, ...ADD];
      const traced = copy();
      await using router = await HeldRouter.start();
      const calls = await listCalls(router, traced.hive, args(traced.hive));
      checkWhole(traced, true);
      const changes = calls.filter((call) => call.changes);
      const points = FULL ? changes : sample(changes, 12);
      await sweep('agent add killed', points, async (at, supply) => {
        const { hive, env } = copy();
        const fault = { at, effect: 'signal=KILL' };
        const killed = await runFaulty(await supply.take(), hive, fault, args(hive));
        await supply.replace();
        checkWhole({ hive, env }, false);
        const again = await hivemail({ hive, env }, ADD);
        expect([0, 4]).toContain(again.exitCode);
        checkWhole({ hive, env }, true);
        const up = await hivemail({ hive, env }, ['up', hive, '--once']);
        expect(up.exitCode).toBe(0);
        expect(existsSync(join(hive, 'agents/late/inbox/.done'))).toBe(true);
        rmSync(join(hive, '..'), { recursive: true, force: true });
        return killed;
      });
    });
  },
);
