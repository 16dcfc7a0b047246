// needs: strace git
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
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
import { CALLS, type Call, eachOf, listCalls, runFaulty, sample, tellHits } from './strace.ts';

const LIMIT_MS = 3_600_000;
const FULL = process.env['HIVEMAIL_FULL_SWEEP'] === '1';
/** By default those that give the protocol its order; the others lie between two of them. */
const SWEPT = FULL ? CALLS : ['rename', 'fsync'];
const MOST_POINTS = FULL ? Number.POSITIVE_INFINITY : 14;

let template = '';
let calls: Call[] = [];

beforeAll(async () => {
  template = await makeTemplate();
  const hive = copyOf(template);
  calls = await listCalls(hive);
  mendInbox(hive);
  await runClean(hive);
  checkRest(hive);
}, LIMIT_MS);

const callsOf = (name: string): Call[] => calls.filter((call) => call.name === name);

/** Kills a router right before a call takes effect; tells whether it came that far. */
async function killBefore(hive: string, { name, ordinal }: Call): Promise<boolean> {
  const { signal, exitCode } = await runFaulty(hive, `${name}:signal=KILL:when=${ordinal}`);
  checkNothingHalf(hive);
  if (signal === null) expect(exitCode).toBe(0);
  return signal === 'SIGKILL';
}

/** Kills a router at each of some calls, and lets `then` bring the hive to its end. */
async function sweep(
  points: readonly Call[],
  then: (hive: string, place: number) => Promise<readonly Seen[]>,
): Promise<void> {
  let hits = 0;
  let place = 0;
  await eachOf(
    points,
    ({ text, ordinal }) => `killed before call ${ordinal}: ${text}`,
    async (call) => {
      const hive = copyOf(template);
      place += 1;
      if (await killBefore(hive, call)) hits += 1;
      const handled = await then(hive, place);
      checkRest(hive, handled);
      dropCopy(hive);
    },
  );
  tellHits(
    `killed before ${[...new Set(points.map(({ name }) => name))].join(' and ')}`,
    hits,
    points.length,
  );
  expect(hits).toBeGreaterThan(points.length / 2);
}

async function recover(hive: string): Promise<Seen[]> {
  mendInbox(hive);
  await runClean(hive);
  return [];
}

describe('a router that is killed', { timeout: LIMIT_MS }, () => {
  it.each(SWEPT)(
    'before any %s leaves a hive in which the next delivers, archives, logs and records all once',
    async (name) => {
      const points = sample(callsOf(name), MOST_POINTS);
      expect(points.length).toBeGreaterThan(0);
      await sweep(points, recover);
    },
  );

  it.each(['ack', 'delete'] as const)(
    'brings nobody a second copy of what was handled before the restart (%s)',
    async (how) => {
      // From the first letter in an inbox on; before it there is nothing to handle.
      const published = callsOf('rename').filter(({ text }) =>
        /"[^"]*\/inbox\/[^"]*"\) /.test(text),
      );
      expect(published.length).toBeGreaterThan(5);
      const first = callsOf('rename').indexOf(published[0] as Call);
      const points = sample(callsOf('rename').slice(first + 1), FULL ? 1000 : 3);
      await sweep(points, async (hive) => {
        const handled = handleAll(hive, how);
        expect(handled.length).toBeGreaterThan(0);
        await recover(hive);
        return handled;
      });
    },
  );

  it('after its commit stands by what it decided, whatever becomes of the roster before the restart', async () => {
    const commit = callsOf('rename').findIndex(({ text }) => /"[^"]*\/stage\/[^"]*"/.test(text));
    expect(commit).toBeGreaterThan(0);
    const points = sample(callsOf('rename').slice(commit + 1), FULL ? 1000 : 3);
    await sweep(points, async (hive) => {
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
    const points = sample(callsOf('rename').slice(2), FULL ? 1000 : 4);
    await sweep(points, async (hive, place) => {
      const second = callsOf(place % 2 === 0 ? 'rename' : 'fsync');
      const at = second[(place * 7) % second.length] as Call;
      await runFaulty(hive, `${at.name}:signal=KILL:when=${at.ordinal}`);
      checkNothingHalf(hive);
      return await recover(hive);
    });
  });
});
