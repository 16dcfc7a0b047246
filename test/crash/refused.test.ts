// needs: strace git
import { beforeAll, describe, expect, it } from 'vitest';
import {
  checkNothingHalf,
  checkRest,
  copyOf,
  dropCopy,
  makeTemplate,
  mendInbox,
  runClean,
} from './scene.ts';
import { type Call, eachOf, listCalls, runFaulty, sample, tellHits } from './strace.ts';

const LIMIT_MS = 3_600_000;
const FULL = process.env['HIVEMAIL_FULL_SWEEP'] === '1';
const CODES = ['EIO', 'ENOSPC', 'EACCES', 'EMFILE'];
const REFUSED = ['rename', 'fsync', 'write', 'openat'];
const MOST_POINTS = FULL ? 24 : 2;

let template = '';
let calls: Call[] = [];

beforeAll(async () => {
  template = await makeTemplate();
  const hive = copyOf(template);
  calls = await listCalls(hive);
  dropCopy(hive);
}, LIMIT_MS);

interface Point extends Call {
  code: string;
}

/** Each call at points of its own for each code, so that few points see much. */
function pointsOf(name: string, from: number): Point[] {
  const sampled = sample(
    calls.filter((call) => call.name === name),
    MOST_POINTS * CODES.length + 1,
  );
  return sampled
    .slice(from)
    .map((call, place) => ({ ...call, code: CODES[place % CODES.length] as string }));
}

async function refuse(points: readonly Point[], when: (ordinal: number) => string): Promise<void> {
  let stopped = 0;
  await eachOf(
    points,
    ({ code, text, ordinal }) => `${code} from call ${when(ordinal)}: ${text}`,
    async ({ name, code, ordinal }) => {
      const hive = copyOf(template);
      const { exitCode } = await runFaulty(hive, `${name}:error=${code}:when=${when(ordinal)}`);
      if (exitCode !== 0) stopped += 1;
      checkNothingHalf(hive);
      // Nobody mends anything but the machine: the next run finds its own way.
      mendInbox(hive);
      await runClean(hive);
      checkRest(hive);
      dropCopy(hive);
    },
  );
  tellHits(`${points[0]?.name} refused, runs that gave up`, stopped, points.length);
}

describe.each(REFUSED)('a machine that refuses %s', { timeout: LIMIT_MS }, (name) => {
  it('once costs no letter, doubles none and quarantines none', async () => {
    const points = pointsOf(name, 0);
    expect(points.length).toBeGreaterThanOrEqual(MOST_POINTS);
    await refuse(FULL ? points : sample(points, 4), (ordinal) => `${ordinal}`);
  });

  it('from some moment on costs no letter either once it does so no more', async () => {
    const points = pointsOf(name, 1);
    // By default past the claims: where they are refused, a run waits for them for a minute.
    const late = points.slice(Math.ceil(points.length / 3));
    await refuse(FULL ? points : sample(late, 3), (ordinal) => `${ordinal}+`);
  });
});
