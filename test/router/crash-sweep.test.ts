import { describe, expect, it } from 'vitest';
import { canTear, crashAt, type Fault, type Operation, onlyReads } from '../helpers/faulty-fs.ts';
import type { Handling, RouterBench } from '../helpers/router-bench.ts';
import { checkRest, firstDelivery, journey, type Scene, secondDelivery } from './sweep-scene.ts';

const HANDLINGS: readonly Handling[] = ['leave', 'ack', 'delete'];

/** Where a router may end: before each operation, in the middle of a write, after a change. */
function crashPoints(operations: readonly Operation[]): [number, Fault['when']][] {
  return operations.flatMap((operation): [number, Fault['when']][] => {
    const { number } = operation;
    if (onlyReads(operation)) return [[number, 'before']];
    const torn: [number, Fault['when']][] = canTear(operation) ? [[number, 'torn']] : [];
    return [[number, 'before'], ...torn, [number, 'after']];
  });
}

async function operationsOf(scene: Scene): Promise<Operation[]> {
  const bench = scene.base.copy();
  await journey(bench, scene);
  checkRest(bench, scene);
  return [...bench.fs.operations];
}

/** Runs until the router ends; false when it came through. */
async function endsAt(bench: RouterBench, scene: Scene, at: [number, Fault['when']]) {
  bench.fs.restart();
  bench.fs.plan = crashAt(...at);
  await journey(bench, scene).catch((error: unknown) => {
    if (!bench.fs.crashed) throw error;
  });
  const { crashed } = bench.fs;
  bench.fs.restart();
  return crashed;
}

function describePoint(scene: Scene, operations: readonly Operation[], at: [number, string]) {
  const operation = operations[at[0] - 1];
  return `${at[1]} ${operation?.number} ${operation?.kind} ${operation?.path}`;
}

const SWEEP_MS = 120_000;

describe.each([
  ['letters delivered for the first time', firstDelivery],
  ['mail that was owed or held', secondDelivery],
])('a router that ends at any operation: %s', (_, makeScene) => {
  it('leaves one copy, one notice, one row and one record of each letter', {
    timeout: SWEEP_MS,
  }, async () => {
    const scene = await makeScene();
    const operations = await operationsOf(scene);
    const points = crashPoints(operations);
    for (const [place, at] of points.entries()) {
      const bench = scene.base.copy();
      expect(await endsAt(bench, scene, at)).toBe(true);
      bench.handle(HANDLINGS[place % 3] ?? 'leave');
      await journey(bench, scene);
      try {
        checkRest(bench, scene);
      } catch (error) {
        throw new Error(describePoint(scene, operations, at), { cause: error });
      }
    }
    expect(points.length).toBeGreaterThan(300);
  });

  it('holds that when the next router ends as well', { timeout: SWEEP_MS }, async () => {
    const scene = await makeScene();
    const operations = await operationsOf(scene);
    const points = crashPoints(operations);
    for (let place = 0; place < points.length; place += 4) {
      const bench = scene.base.copy();
      const first = points[place] ?? [1, 'before'];
      const second = points[(place * 7919) % points.length] ?? [1, 'before'];
      await endsAt(bench, scene, first);
      bench.handle(HANDLINGS[place % 3] ?? 'leave');
      await endsAt(bench, scene, second);
      bench.handle(HANDLINGS[(place + 1) % 3] ?? 'leave');
      await journey(bench, scene);
      try {
        checkRest(bench, scene);
      } catch (error) {
        const where = [first, second].map((at) => describePoint(scene, operations, at));
        throw new Error(where.join(', then '), { cause: error });
      }
    }
  });
});
