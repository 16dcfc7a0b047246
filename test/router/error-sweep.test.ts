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

const CODES = ['ENOSPC', 'EIO', 'EACCES', 'EMFILE', 'EPERM'];
const PERIOD = 25;

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
  for (let left = 4; left > 0; left--) {
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
function failLike(operation: Operation, code: string, onFault: (at: Operation) => void): FaultPlan {
  const dirsOf = ({ path, to }: Operation) => [dirname(path), to && dirname(to)].join();
  return (other) => {
    if (other.kind !== operation.kind || dirsOf(other) !== dirsOf(operation)) return undefined;
    onFault(other);
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

/** The inboxes of these two the scene itself has broken, so that something is said anyway. */
function isKnown({ path, to }: Operation): boolean {
  return /\/(coder|writer)\b/.test(`${path} ${to}`);
}

/** An original that was parked is told of as well, and stays where it is. */
function saidNothing(bench: RouterBench): boolean {
  const { health } = bench.router;
  return (
    problems(bench).length === 0 && !health.problems.some(({ key }) => key.startsWith('sent/'))
  );
}

/** Runs a scene while an operation fails once, in one way. */
async function failOnce(scene: Scene, operations: readonly Operation[], at: number, fault: Fault) {
  const bench = scene.base.copy();
  bench.fs.plan = failAt(at, fault.code, fault.when);
  const started = await start(bench);
  for (let left = started ? scene.passes : 0; left > 0; left--) await pass(bench);
  await heal(bench, started);
  checkAfter(bench, scene, about(operations, at, `${fault.code} ${fault.when}`));
}

/** Runs a scene while every 25th operation fails, from one on. */
async function failPeriodically(scene: Scene, first: number) {
  const bench = scene.base.copy();
  const code = CODES[first % CODES.length] ?? 'EIO';
  bench.fs.plan = ({ number }) =>
    number % PERIOD === first % PERIOD ? { code, when: 'before' } : undefined;
  let started = false;
  for (let tries = 0; !started && tries < 3; tries++) started = await start(bench);
  for (let left = started ? 2 * scene.passes : 0; left > 0; left--) await pass(bench);
  await heal(bench, started);
  checkAfter(bench, scene, `${code} every ${PERIOD}th operation from ${first} on`);
}

/** Runs a scene while an operation and its like keep failing; returns whether a pass kept silent. */
async function failLasting(scene: Scene, operations: readonly Operation[], operation: Operation) {
  const bench = scene.base.copy();
  const code = codeFor(operation);
  let faults = 0;
  const plan = failLike(operation, code, (at) => (faults += isKnown(at) ? 0 : 1));
  bench.fs.plan = (each) => (each.number < operation.number ? undefined : plan(each));
  const started = await start(bench);
  let silent = false;
  for (let left = started ? scene.passes : 0; left > 0; left--) {
    faults = 0;
    const finished = await pass(bench);
    silent ||= finished && faults > 0 && saidNothing(bench);
  }
  await heal(bench, started);
  checkAfter(bench, scene, about(operations, operation.number, `lasting ${code}`));
  expect(problems(bench), about(operations, operation.number, 'healed')).toEqual([]);
  return silent;
}

function codeFor({ number }: Operation): string {
  return CODES[number % CODES.length] ?? 'EIO';
}

const SWEEP_MS = 120_000;

describe.each([
  ['letters delivered for the first time', firstDelivery],
  ['mail that was owed or held', secondDelivery],
])('a machine that refuses an operation: %s', (_, makeScene) => {
  it('loses nothing and doubles nothing when each fails once', { timeout: SWEEP_MS }, async () => {
    const scene = await makeScene();
    const operations = await operationsOf(scene);
    for (const operation of operations) {
      const moments: Fault['when'][] = onlyReads(operation) ? ['before'] : ['before', 'after'];
      if (canTear(operation)) moments.push('torn');
      for (const when of moments) {
        await failOnce(scene, operations, operation.number, { code: codeFor(operation), when });
      }
    }
  });

  it('loses nothing and doubles nothing when every 25th fails', { timeout: SWEEP_MS }, async () => {
    const scene = await makeScene();
    for (let first = 1; first <= PERIOD; first++) await failPeriodically(scene, first);
  });

  it('says so while it lasts, and recovers by itself', { timeout: SWEEP_MS }, async () => {
    const scene = await makeScene();
    const operations = await operationsOf(scene);
    const silent = new Set<string>();
    for (const operation of operations) {
      const kept = await failLasting(scene, operations, operation);
      if (kept) silent.add(`${operation.kind} ${operation.path} ${operation.to ?? ''}`);
    }
    expect([...silent]).toEqual([]);
  });
});
