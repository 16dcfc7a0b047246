/** One router is stopped inside a rename, another takes the hive over, and the first goes on. */
import { expect, vi } from 'vitest';
import { type Call, parseCalls } from './calls.ts';
import { type Faulty, hitsIn } from './faults.ts';
import { type HeldRouter, Tracer } from './held-router.ts';

/** Who takes part, where the first is stopped, and what happens on the way. */
export interface Takeover {
  hive: string;
  first: HeldRouter;
  second: HeldRouter;
  /** A rename of the main thread. */
  at: Pick<Call, 'ordinal'>;
  /** While the first stands still, before the second begins. */
  beforeSecond?: () => void | Promise<void>;
  /** When the second is done and the first still stands. */
  afterSecond?: () => void | Promise<void>;
}

/** How both ended, and where the first was stopped. */
export interface TakenOver extends Pick<Faulty, 'hits' | 'calls'> {
  firstExit: number | undefined;
  secondExit: number | undefined;
}

/** See the head of this file. */
export async function takeOver(options: Takeover): Promise<TakenOver> {
  const { hive, first, second, at, beforeSecond, afterSecond } = options;
  const effect = `inject=rename:signal=STOP:when=${at.ordinal}`;
  const trace = { output: `${hive}.trace`, args: ['-e', 'trace=rename', '-e', effect] };
  await using tracer = await Tracer.attach([first.pid], trace);
  const end = first.run(['up', hive, '--once']);
  const isStopped = () => expect(tracer.told()).toContain('stopped by SIGSTOP');
  await vi.waitFor(isStopped, { timeout: 20_000, interval: 20 });
  await beforeSecond?.();
  const secondExit = await second.run(['up', hive, '--once', '--takeover']);
  await afterSecond?.();
  first.signal('SIGCONT');
  const firstExit = await end;
  const told = tracer.told();
  const [hits, calls] = [hitsIn(told, hive, first.pid), parseCalls(told, hive, [first.pid])];
  return { firstExit, secondExit, hits, calls };
}
