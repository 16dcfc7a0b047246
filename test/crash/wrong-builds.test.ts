// needs: strace git
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Call, listCalls } from './calls.ts';
import { runFaulty } from './faults.ts';
import { HeldRouter } from './held-router.ts';
import {
  checkRest,
  copyOf,
  handleAll,
  inboxesOf,
  makeTemplate,
  mendInbox,
  type Seen,
} from './scene.ts';
import { Supply, SWEEP_MS, whatLacks } from './sweep.ts';
import { takeOver } from './taken-over.ts';
import { makeBuild, type WrongName } from './wrong-builds.ts';

/** Where a wrong protocol goes wrong, and how that shows. */
interface Wrong {
  /** Calls that a fault is put into, one after the other until something is wrong. */
  at: RegExp;
  /** A kill unless said otherwise. */
  effect?: 'error=ENOENT' | 'signal=STOP';
  proof: RegExp;
}

/** Somebody has a message twice. */
const SECOND_COPY = /^\["(god|tester|writer|critic)",.*"(\w+)","\2"/;
/** A letter has two rows. */
const SECOND_ROW = /^\[(".*",)?"(direct|lost)","\2"/;
const ARCHIVING = /^rename .*\/claim\/.*\/\.sent\//;
const RECORDING = /^rename .*\/plan\.json/;
const WRONG: Record<Exclude<WrongName, 'no rmdir after draining'>, Wrong> = {
  'publish before commit': { at: /^rename .*\/stage\/ID"/, proof: SECOND_COPY },
  'link and unlink instead of rename': { at: /^unlink .*\/owed\/ID\//, proof: SECOND_COPY },
  'record before archive': { at: ARCHIVING, proof: SECOND_COPY },
  '"done" read from ENOENT of the destination': {
    at: ARCHIVING,
    effect: 'error=ENOENT',
    proof: SECOND_ROW,
  },
  // A row says that a copy was delivered which was then deferred, and later another says it again.
  'log before publish': {
    at: /^rename .*"\/\.router\/EPOCH\/deferred\//,
    proof: /^\["broadcast","coder"/,
  },
  'rows without a key': { at: RECORDING, proof: SECOND_ROW },
  // Taking away the copy that was consumed takes the one that was deferred again.
  'a deferred name without its batch': { at: /^fsync .*\/deferred/, proof: /^\["coder"\]/ },
  'no fence': { at: /^rename .*\/inbox\/ID\.json"/, effect: 'signal=STOP', proof: SECOND_ROW },
  'a batch directory name used twice': { at: RECORDING, proof: /^\["coder"\]/ },
};

const lack = await whatLacks();

let template = '';

beforeAll(async () => {
  if (lack === undefined) template = await makeTemplate();
}, SWEEP_MS);

/** The calls of a build on the hive, and whatever of its run is wrong already. */
async function callsOf(dist: string, at: RegExp): Promise<Call[]> {
  const hive = copyOf(template);
  await using router = await HeldRouter.start(dist);
  const calls = await listCalls(router, hive);
  return calls.filter(({ text }) => at.test(text));
}

/** What a check of the hive finds first in place of what should be there. */
function problemOf(hive: string, handled: readonly Seen[]): string | undefined {
  try {
    checkRest(hive, handled);
    return undefined;
  } catch (error) {
    const { message, actual } = error as Error & { actual?: unknown };
    return actual === undefined ? message : JSON.stringify(actual);
  }
}

/** Puts a fault into a call of a build, and lets the same build bring the hive to its end. */
async function faultAt(at: Call, effect: string, supply: Supply): Promise<string | undefined> {
  const hive = copyOf(template);
  await runFaulty(await supply.take(), hive, { at, effect });
  await supply.replace();
  const handled = handleAll(hive, 'ack');
  mendInbox(hive);
  await (await supply.take()).run(['up', hive, '--once']);
  return problemOf(hive, handled);
}

async function stopAt(at: Call, dist: string): Promise<string | undefined> {
  const hive = copyOf(template);
  mendInbox(hive);
  await using first = await HeldRouter.start(dist);
  await using second = await HeldRouter.start(dist);
  await takeOver({ hive, first, second, at });
  return problemOf(hive, []);
}

describe.skipIf(lack !== undefined)('a wrong protocol in the build', { timeout: SWEEP_MS }, () => {
  it.each(Object.entries(WRONG))('is found out: %s', async (name, wrong) => {
    const { at, effect = 'signal=KILL', proof } = wrong;
    const dist = makeBuild(name as WrongName);
    const points = await callsOf(dist, at);
    expect(points.length).toBeGreaterThan(0);
    await using supply = new Supply(dist);
    const problems: (string | undefined)[] = [];
    for (const point of points) {
      const problem =
        effect === 'signal=STOP' ? await stopAt(point, dist) : await faultAt(point, effect, supply);
      problems.push(problem);
      if (problem !== undefined && proof.test(problem)) break;
    }
    expect(problems).toContainEqual(expect.stringMatching(proof));
  });

  it('is found out: no rmdir after draining', async () => {
    const dist = makeBuild('no rmdir after draining');
    const hive = copyOf(template);
    mendInbox(hive);
    await using first = await HeldRouter.start(dist);
    await using second = await HeldRouter.start(dist);
    const [at] = await callsOf(dist, /\/outbox\/.*\/claim\//);
    let claimDir = -1;
    await takeOver({
      ...{ hive, first, second, at: at as Call },
      beforeSecond: () => {
        const [epoch = ''] = readdirSync(join(hive, '.router')).filter((each) => /^e\d/.test(each));
        claimDir = openSync(join(hive, '.router', epoch, 'claim'), constants.O_DIRECTORY);
      },
      afterSecond: () => {
        const letter = join(hive, 'agents/god/outbox/late.json');
        writeFileSync(letter, '{"to":"coder","act":"inform","subject":"late"}');
        const name = '1m8q6yxy1000-au59boqd~god~late.json';
        renameSync(letter, `/proc/self/fd/${claimDir}/${name}`);
        closeSync(claimDir);
      },
    });
    await using third = await HeldRouter.start(dist);
    await third.run(['up', hive, '--once']);
    expect(existsSync(join(hive, 'agents/god/outbox/late.json'))).toBe(false);
    expect(inboxesOf(hive).filter(({ subject }) => subject === 'late')).toEqual([]);
  });
});
