// needs: strace git
import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { scrubbedEnvironment } from '../clients/environment.ts';
import { hivemail, rowsOf } from '../e2e/built.ts';
import { type Call, listCalls } from './calls.ts';
import { HeldRouter } from './held-router.ts';
import {
  checkRest,
  copyOf,
  dropCopy,
  inboxesOf,
  makeTemplate,
  mendInbox,
  runClean,
} from './scene.ts';
import { FULL, type Supply, SWEEP_MS, sample, sweep, whatLacks } from './sweep.ts';
import { type TakenOver, takeOver } from './taken-over.ts';

const lack = await whatLacks();

let template = '';
let renames: Call[] = [];

beforeAll(async () => {
  if (lack !== undefined) return;
  template = await makeTemplate();
  mendInbox(template);
  const hive = copyOf(template);
  await using router = await HeldRouter.start();
  const calls = await listCalls(router, hive);
  renames = calls.filter(({ name }) => name === 'rename');
  dropCopy(hive);
}, SWEEP_MS);

/** What can be seen of a hive. */
function evidence(hive: string) {
  return [inboxesOf(hive), rowsOf({ hive, env: {} })];
}

async function stopAt(at: Call, hive: string, supply: Supply): Promise<TakenOver> {
  const first = await supply.take();
  await using second = await HeldRouter.start();
  let before: unknown;
  const beforeSecond = async () => {
    const place = { hive, env: scrubbedEnvironment({}) };
    const refused = await hivemail(place, ['up', hive, '--once']);
    expect(refused.exitCode).toBe(5);
    expect(refused.stderr).toContain(`${first.pid}`);
  };
  const afterSecond = () => {
    before = evidence(hive);
  };
  const ends = await takeOver({ hive, first, second, at, beforeSecond, afterSecond });
  expect([ends.secondExit, second.stderr]).toEqual([0, '']);
  expect([ends.firstExit, first.stderr]).toEqual([
    5,
    expect.stringMatching(/taken over|newer router/),
  ]);
  expect(evidence(hive)).toEqual(before);
  await runClean(hive);
  checkRest(hive);
  await supply.replace();
  return ends;
}

describe.skipIf(lack !== undefined)(
  'a router that is stopped inside a rename',
  { timeout: SWEEP_MS },
  () => {
    it('commits and publishes nothing more once another has taken over, and ends', async () => {
      // From the first claim on, until the batch is with the history.
      const protocol = renames.filter(({ text }) => text.includes('/.router/EPOCH'));
      expect(protocol.length).toBeGreaterThan(10);
      const points = FULL ? protocol : sample(protocol, 4);
      await sweep('stopped inside rename', points, async (call, supply) => {
        const hive = copyOf(template);
        const ends = await stopAt(call, hive, supply);
        dropCopy(hive);
        return ends;
      });
    });

    it('finds no directory to claim into, even one that it had found before', async () => {
      const hive = copyOf(template);
      const claims = renames.filter(({ text }) => /\/outbox\/.*\/claim\//.test(text));
      await using first = await HeldRouter.start();
      await using second = await HeldRouter.start();
      let claimDir = -1;
      const ends = await takeOver({
        ...{ hive, first, second, at: claims[1] as Call },
        beforeSecond: () => {
          claimDir = openClaimDir(hive);
        },
        afterSecond: () => {
          const letter = join(hive, 'agents/god/outbox/late.json');
          writeFileSync(letter, '{}');
          const claimed = `/proc/self/fd/${claimDir}/late.json`;
          expect(() => renameSync(letter, claimed)).toThrow(/ENOENT/);
          closeSync(claimDir);
          rmSync(letter);
        },
      });
      expect(ends.hits).toHaveLength(1);
      await runClean(hive);
      checkRest(hive);
    });
  },
);

/** Opens the claims of the only router, so that they are found whatever becomes of their name. */
function openClaimDir(hive: string): number {
  const [epoch = ''] = readdirSync(join(hive, '.router')).filter((name) => /^e\d/.test(name));
  return openSync(join(hive, '.router', epoch, 'claim'), constants.O_DIRECTORY);
}
