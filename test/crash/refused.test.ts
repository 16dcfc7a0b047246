// needs: strace git
import { beforeAll, describe, it } from 'vitest';
import { type Call, listCalls } from './calls.ts';
import { type Fault, runFaulty } from './faults.ts';
import { HeldRouter, hasEnded } from './held-router.ts';
import {
  checkNothingHalf,
  checkRest,
  copyOf,
  dropCopy,
  makeTemplate,
  mendInbox,
  runClean,
} from './scene.ts';
import { FULL, SWEEP_MS, sample, sweep, whatLacks } from './sweep.ts';

const CODES = ['EIO', 'ENOSPC', 'EACCES', 'EMFILE', 'EPERM'];
/** How long a machine is in trouble, in milliseconds: several passes. */
const TROUBLE_MS = 700;

const lack = await whatLacks();

let template = '';
let calls: Call[] = [];
/** Those of which all that follow can be refused as well. */
let lastable: Call[] = [];

beforeAll(async () => {
  if (lack !== undefined) return;
  template = await makeTemplate();
  const hive = copyOf(template);
  await using router = await HeldRouter.start();
  calls = await listCalls(router, hive);
  // Of libuv's writes to its own pipes each has to come through, or it waits for ever. (The same is
  // true of its closes; these come only with a child, see faults.ts.)
  lastable = calls.filter(({ name, file }) => name !== 'write' || file !== undefined);
  dropCopy(hive);
}, SWEEP_MS);

interface Point extends Call {
  code: string;
}

/** The same call comes again in each pass: the first of each text. */
function firstOf(some: readonly Call[]): Call[] {
  const firsts = new Map(some.toReversed().map((call) => [call.text, call]));
  return some.filter((call) => firsts.get(call.text) === call);
}

/** The last of each text that comes several times. */
function lastOf(some: readonly Call[]): Call[] {
  const lasts = new Map(some.map((call) => [call.text, call]));
  const firsts = firstOf(some);
  return some.filter((call) => lasts.get(call.text) === call && !firsts.includes(call));
}

/** Looks leave the hive as it is: of those of one name between two changes, the first. */
function oneBetweenChanges(some: readonly Call[]): Call[] {
  const wanted = new Set(some);
  const seen = new Set<string>();
  let changes = 0;
  return calls.filter((call) => {
    if (call.changes) changes += 1;
    const key = `${changes} ${call.name}`;
    if (!wanted.has(call) || (!call.changes && seen.has(key))) return false;
    seen.add(key);
    return true;
  });
}

/** A code for each call, the next one each time. */
function withCodes(points: readonly Call[], from = 0): Point[] {
  return points.map((call, place) => {
    return { ...call, code: CODES[(place + from) % CODES.length] as string };
  });
}

/** Few of each name, so that each is seen. */
function fewOfEach(points: readonly Call[], most: number): Call[] {
  const names = [...new Set(points.map(({ name }) => name))];
  return names.flatMap((name) =>
    sample(
      points.filter((call) => call.name === name),
      most,
    ),
  );
}

/**
 * Tells whether a program is of no more use for places after this one. libuv takes an `EPERM` of statx for a
 * sandbox that does not know the call: it asks by another one, and never by statx again.
 */
function usesNoMoreStatx({ name, code }: Point): boolean {
  return name === 'statx' && code === 'EPERM';
}

/** Refuses calls, and checks that everything comes to its end when nobody refuses any more. */
async function refuse(
  what: string,
  points: readonly Point[],
  lasting: Pick<Fault, 'again' | 'liftAfterMs'> = {},
): Promise<void> {
  await sweep(what, points, async (at, supply) => {
    const hive = copyOf(template);
    const fault = { at, effect: `error=${at.code}`, ...lasting };
    const faulty = await runFaulty(await supply.take(), hive, fault);
    // One that gave up would have ended, and its locks with it.
    if (!hasEnded(faulty.exitCode) || usesNoMoreStatx(at)) await supply.replace();
    checkNothingHalf(hive);
    // Nobody mends anything but the machine: the next run finds its own way.
    mendInbox(hive);
    await runClean(hive);
    checkRest(hive);
    dropCopy(hive);
    return faulty;
  });
}

describe.skipIf(lack !== undefined)('a machine that refuses a call', { timeout: SWEEP_MS }, () => {
  it('that changes something, once, costs no letter, doubles none and quarantines none', async () => {
    const points = calls.filter(({ changes }) => changes);
    const [first, last] = [firstOf(points), lastOf(points)];
    const each = FULL
      ? [...CODES.flatMap((_, from) => withCodes(first, from)), ...withCodes(last)]
      : withCodes(fewOfEach(first, 2));
    await refuse('a change refused once', each);
  });

  it('that only looks, once, does not either', async () => {
    const points = calls.filter(({ changes }) => !changes);
    const first = firstOf(points);
    const each = FULL ? [...first, ...oneBetweenChanges(lastOf(points))] : fewOfEach(first, 1);
    await refuse('a look refused once', withCodes(each));
  });

  it('from some moment on does not once it does so no more', async () => {
    const first = firstOf(lastable);
    const points = FULL ? oneBetweenChanges(first) : fewOfEach(first, 1);
    const lasting = { again: 'always', liftAfterMs: TROUBLE_MS } as const;
    await refuse('refused for a time', withCodes(points, 2), lasting);
  });

  it('every 25th time does not', async () => {
    const points = withCodes(fewOfEach(lastable, FULL ? 6 : 1));
    const first = points.map((call) => ({ ...call, ordinal: ((call.ordinal - 1) % 25) + 1 }));
    const lasting = { again: 'every 25th', liftAfterMs: TROUBLE_MS } as const;
    await refuse('every 25th refused', first, lasting);
  });
});
