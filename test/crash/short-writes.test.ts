// needs: strace git prlimit
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, it } from 'vitest';
import { type Call, listCalls, parseCalls } from './calls.ts';
import { type Faulty, runFaulty } from './faults.ts';
import { HeldRouter, Tracer } from './held-router.ts';
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

/** Sizes at which every file ends for a while: within a copy, a plan, the log, a record. */
const SIZES = Array.from({ length: 40 }, (_, place) => 1 + place * 130);
/** How long files may not grow, in milliseconds. */
const TROUBLE_MS = 500;
/** What a write claims to have taken while it took nothing. */
const FORGED = [0, 7];

const lack = await whatLacks();

let template = '';
let writes: Call[] = [];

beforeAll(async () => {
  if (lack !== undefined) return;
  template = await makeTemplate();
  const hive = copyOf(template);
  await using router = await HeldRouter.start();
  const calls = await listCalls(router, hive);
  writes = calls.filter(({ name }) => name === 'write');
  dropCopy(hive);
}, SWEEP_MS);

function limitFiles({ pid }: HeldRouter, size: string): void {
  execFileSync('prlimit', ['--pid', `${pid}`, `--fsize=${size}:unlimited`]);
}

/** Runs a router whose files may not grow beyond a size for a while. */
async function runLimited(router: HeldRouter, hive: string, size: number): Promise<Faulty> {
  limitFiles(router, `${size}`);
  const options = { output: `${hive}.trace`, args: ['-e', 'trace=write'] };
  await using tracer = await Tracer.attach([router.pid], options);
  const end = router.run(['up', hive, '--once']);
  await Promise.race([end, pause(TROUBLE_MS)]);
  if (router.lives) limitFiles(router, 'unlimited');
  const exitCode = await end;
  const told = tracer.told();
  const short = told.split('\n').filter((line) => {
    const [, asked, taken] = /, (\d+)\) += (\d+)$/.exec(line) ?? [];
    return Number(taken) < Number(asked);
  });
  const [hits, calls] = [short, told.split('\n')].map((lines) =>
    parseCalls(lines.join('\n'), hive, [router.pid]),
  );
  return { exitCode, hits: hits ?? [], calls: calls ?? [] };
}

async function comeToRest(hive: string): Promise<void> {
  checkNothingHalf(hive);
  mendInbox(hive);
  await runClean(hive);
  checkRest(hive);
  dropCopy(hive);
}

describe.skipIf(lack !== undefined)(
  'a disk that takes part of a write',
  { timeout: SWEEP_MS },
  () => {
    it('and then refuses the rest for a while costs no letter and leaves none half', async () => {
      const at = { name: 'write', thread: 0, place: 0, changes: true };
      const points = SIZES.map((size): Call => {
        return { ...at, ordinal: size, text: `files of at most ${size} bytes` };
      });
      await sweep(
        'short writes',
        FULL ? points : sample(points, 3),
        async ({ ordinal }, supply) => {
          const hive = copyOf(template);
          const faulty = await runLimited(await supply.take(), hive, ordinal);
          await supply.replace();
          await comeToRest(hive);
          return faulty;
        },
      );
    });

    it('and claims to have taken it does not either', async () => {
      const points = (FULL ? writes : sample(writes, 3)).flatMap((call) =>
        FORGED.map((taken) => ({ ...call, text: `${call.text} = ${taken}`, taken })),
      );
      await sweep('forged writes', points, async (at, supply) => {
        const hive = copyOf(template);
        const effect = `retval=${at.taken}`;
        const faulty = await runFaulty(await supply.take(), hive, { at, effect });
        // One that was there before writes to itself for each child that has ended, who knows when.
        await supply.replace();
        await comeToRest(hive);
        return faulty;
      });
    });
  },
);
