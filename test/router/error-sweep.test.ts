import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemCode } from '../../src/protocol/errors.ts';
import {
  canTear,
  type Fault,
  type FaultPlan,
  failAt,
  type Operation,
  onlyReads,
} from '../helpers/faulty-fs.ts';
import type { RouterBench } from '../helpers/router-bench.ts';
import {
  checkRestAfterErrors,
  firstDelivery,
  journey,
  type Scene,
  secondDelivery,
} from './sweep-scene.ts';

const CODES = ['ENOSPC', 'EIO', 'EACCES', 'EMFILE'];

async function operationsOf(scene: Scene): Promise<Operation[]> {
  const bench = scene.base.copy();
  await journey(bench, scene);
  return [...bench.fs.operations];
}

/** Starts a router, again when the machine refuses the start, as a supervisor would. */
async function start(bench: RouterBench): Promise<boolean> {
  try {
    await bench.start();
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

/** Runs a pass as the daemon does; false when it could not be finished. */
async function pass(bench: RouterBench): Promise<boolean> {
  try {
    await bench.pass();
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  } finally {
    bench.passTime(5000);
  }
}

/** Lets the machine be well again, and everything come to rest. */
async function heal(bench: RouterBench, started: boolean): Promise<void> {
  bench.fs.plan = undefined;
  for (let tries = 0; !started && tries < 3; tries++) started = await start(bench);
  for (let left = 6; left > 0; left--) {
    await bench.pass();
    bench.passTime(60_000);
  }
}

function about(operations: readonly Operation[], number: number, what: string): string {
  const operation = operations[number - 1];
  return `${what} at ${number} ${operation?.kind} ${operation?.path} ${operation?.to ?? ''}`;
}

function checkAfter(bench: RouterBench, scene: Scene, where: string): void {
  try {
    checkRestAfterErrors(bench, scene);
  } catch (error) {
    throw new Error(where, { cause: error });
  }
}

/** Fails whatever is of the same kind and in the same directories. */
function failLike(operation: Operation, code: string, onFault: () => void): FaultPlan {
  const dirsOf = ({ path, to }: Operation) => [dirname(path), to && dirname(to)].join();
  return (other) => {
    if (other.kind !== operation.kind || dirsOf(other) !== dirsOf(operation)) return undefined;
    onFault();
    return { code, when: 'before' };
  };
}

/** Keys of the problems beyond those of the inboxes that the scene broke. */
function problems(bench: RouterBench): string[] {
  const { health } = bench.router;
  return health.problems
    .map(({ key }) => key)
    .filter((key) => !/^(inbox|agent)\/(coder|writer)$|^sent\//.test(key));
}

describe.each([
  ['letters delivered for the first time', firstDelivery],
  ['mail that was owed or held', secondDelivery],
])('a machine that refuses an operation: %s', (_, makeScene) => {
  it('loses nothing and doubles nothing when each fails once', async () => {
    const scene = await makeScene();
    const operations = await operationsOf(scene);
    for (const operation of operations) {
      const { number } = operation;
      const moments: Fault['when'][] = onlyReads(operation) ? ['before'] : ['before', 'after'];
      if (canTear(operation)) moments.push('torn');
      for (const when of moments) {
        const bench = scene.base.copy();
        const code = CODES[number % CODES.length] ?? 'EIO';
        bench.fs.plan = failAt(number, code, when);
        const started = await start(bench);
        if (started) for (let left = scene.passes; left > 0; left--) await pass(bench);
        await heal(bench, started);
        checkAfter(bench, scene, about(operations, number, `${code} ${when}`));
      }
    }
  });

  it('says so while it lasts, and recovers by itself', async () => {
    const scene = await makeScene();
    const operations = await operationsOf(scene);
    const silent = new Set<string>();
    for (const operation of operations) {
      const { number } = operation;
      const bench = scene.base.copy();
      const code = CODES[number % CODES.length] ?? 'EIO';
      let faults = 0;
      const plan = failLike(operation, code, () => (faults += 1));
      const upTo = (each: Operation) => (each.number < number ? undefined : plan(each));
      bench.fs.plan = upTo;
      const started = await start(bench);
      if (started) {
        for (let left = scene.passes; left > 0; left--) {
          faults = 0;
          const finished = await pass(bench);
          const known = /\/(coder|writer)\b/.test(`${operation.path} ${operation.to}`);
          if (finished && faults > 0 && !known && problems(bench).length === 0) {
            silent.add(
              `${operation.kind} ${operation.path.replace(/\d\w{11}-\w{8}/g, 'ID')} ${operation.to ?? ''}`,
            );
          }
        }
      }
      await heal(bench, started);
      checkAfter(bench, scene, about(operations, number, `lasting ${code}`));
      expect(problems(bench), about(operations, number, 'healed')).toEqual([]);
    }
    expect([...silent]).toEqual([]);
  });
});
