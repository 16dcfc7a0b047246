// needs: strace git
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Call, listCalls } from './calls.ts';
import { type Faulty, runFaulty } from './faults.ts';
import { HeldRouter, hasEnded } from './held-router.ts';
import {
  checkNothingHalf,
  checkRest,
  copyOf,
  dropCopy,
  handleAll,
  makeTemplate,
  mendInbox,
  runClean,
  type Seen,
} from './scene.ts';
import { FULL, type Supply, SWEEP_MS, sample, sweep, whatLacks } from './sweep.ts';

const lack = await whatLacks();

let template = '';
let calls: Call[] = [];

beforeAll(async () => {
  if (lack !== undefined) return;
  template = await makeTemplate();
  const hive = copyOf(template);
  await using router = await HeldRouter.start();
  calls = await listCalls(router, hive);
  mendInbox(hive);
  await runClean(hive);
  checkRest(hive);
}, SWEEP_MS);

const callsOf = (name: string): Call[] => calls.filter((call) => call.name === name);

/** All of them in a full sweep, and otherwise a few. */
const some = (points: readonly Call[], few: number): Call[] =>
  FULL ? [...points] : sample(points, few);

/** Kills a router right before a call takes effect. */
async function killBefore(hive: string, at: Call, supply: Supply): Promise<Faulty> {
  const faulty = await runFaulty(await supply.take(), hive, { at, effect: 'signal=KILL' });
  await supply.replace();
  checkNothingHalf(hive);
  if (faulty.exitCode !== undefined) expect(hasEnded(faulty.exitCode)).toBe(true);
  return faulty;
}

/** Kills a router at each of some calls, and lets `then` bring the hive to its end. */
async function killAt(
  what: string,
  points: readonly Call[],
  then: (hive: string, supply: Supply, place: number) => Promise<readonly Seen[]>,
): Promise<void> {
  await sweep(what, points, async (call, supply, place) => {
    const hive = copyOf(template);
    const killed = await killBefore(hive, call, supply);
    const handled = await then(hive, supply, place);
    checkRest(hive, handled);
    dropCopy(hive);
    return killed;
  });
}

async function recover(hive: string): Promise<Seen[]> {
  mendInbox(hive);
  await runClean(hive);
  return [];
}

describe.skipIf(lack !== undefined)('a router that is killed', { timeout: SWEEP_MS }, () => {
  it.each(['rename', 'fsync'])(
    'before any %s leaves a hive in which the next delivers, archives, logs and records all once',
    async (name) => {
      await killAt(`killed before ${name}`, some(callsOf(name), 14), recover);
    },
  );

  it.runIf(FULL)('before any other call that changes something, as well', async () => {
    const others = calls.filter(({ changes, name }) => changes && !/^(rename|fsync)$/.test(name));
    await killAt('killed before any other change', others, recover);
  });

  it.runIf(FULL)('between any two changes, as well', async () => {
    // Calls that only look leave the hive as it is: of each row of them one tells as much as all.
    const looks = calls.filter(
      (call, place) => !call.changes && calls[place - 1]?.changes === true,
    );
    await killAt('killed between two changes', looks, recover);
  });

  it.each(['ack', 'delete'] as const)(
    'brings nobody a second copy of what was handled before the restart (%s)',
    async (how) => {
      // From the first letter in an inbox on; before it there is nothing to handle.
      const renames = callsOf('rename');
      const first = renames.findIndex(({ text }) => /"[^"]*\/inbox\/[^"]*"$/.test(text));
      expect(first).toBeGreaterThan(0);
      await killAt(`killed, handled by ${how}`, some(renames.slice(first + 1), 3), async (hive) => {
        const handled = handleAll(hive, how);
        expect(handled.length).toBeGreaterThan(0);
        await recover(hive);
        return handled;
      });
    },
  );

  it('after its commit stands by what it decided, whatever becomes of the roster before the restart', async () => {
    const renames = callsOf('rename');
    const commit = renames.findIndex(({ text }) => /"[^"]*\/stage\/[^"]*"/.test(text));
    expect(commit).toBeGreaterThan(0);
    await killAt('killed, roster changed', some(renames.slice(commit + 1), 3), async (hive) => {
      const path = join(hive, 'registry.json');
      const registry = JSON.parse(readFileSync(path, 'utf8'));
      for (const agent of ['writer', 'tester']) registry.agents[agent].archived = true;
      registry.agents.nobody = { name: 'Here now' };
      writeFileSync(path, JSON.stringify(registry));
      await recover(hive);
      expect(readdirSync(join(hive, 'agents/nobody/inbox'))).toEqual(['.done']);
      return [];
    });
  });

  it('keeps its decisions when the next router is killed as well', async () => {
    const points = some(callsOf('rename').slice(2), 4);
    await killAt('killed twice', points, async (hive, supply, place) => {
      const second = callsOf(place % 2 === 0 ? 'rename' : 'fsync');
      await killBefore(hive, second[(place * 7) % second.length] as Call, supply);
      return await recover(hive);
    });
  });
});
