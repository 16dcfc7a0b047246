/** How a sweep goes: over which places, how many at once, and what it says of them at its end. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { inspect } from 'node:util';
import { expect } from 'vitest';
import type { Call } from './calls.ts';
import type { Faulty } from './faults.ts';
import { HeldRouter, Tracer } from './held-router.ts';

/** Whether every place is tried; otherwise a few of the telling ones. */
export const FULL = process.env['HIVEMAIL_FULL_SWEEP'] === '1';
/** The longest that a test of a sweep may take. */
export const SWEEP_MS = 3_600_000;
const AT_ONCE = 2;
/** More of them tell nothing new. */
const MOST_FAILURES = 20;
const MOST_TRIES = 6;

/** Where the same places are tried without strace. */
const INSTEAD = 'test/router/crash-sweep.test.ts and error-sweep.test.ts';

/**
 * Finds out why no fault can be put into system calls here, and says it.
 * @returns nothing when it can be done
 */
export async function whatLacks(): Promise<string | undefined> {
  const lack = await tryStrace();
  if (lack === undefined) return undefined;
  const message = `no faults in system calls: ${lack}; the same places are hit through the file interface by ${INSTEAD}`;
  if (process.env['CI'] === 'true')
    throw new Error(`With CI=true nothing is skipped, but: ${message}`);
  process.stdout.write(`NOT TRIED: ${message}\n`);
  return message;
}

async function tryStrace(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'strace is of Linux';
  if (spawnSync('strace', ['-V']).status !== 0) return 'there is no strace';
  const target = spawn('sleep', ['60'], { stdio: 'ignore' });
  try {
    await using _ = await Tracer.attach([target.pid as number], { output: '/dev/null', args: [] });
    return undefined;
  } catch (error) {
    const hint = 'run as root, or set kernel.yama.ptrace_scope to 0';
    return `${error instanceof Error ? error.message.trim() : ''} (${hint})`;
  } finally {
    target.kill('SIGKILL');
    await once(target, 'close');
  }
}

/** Held routers for one place after the other: a new one whenever the last has ended. */
export class Supply implements AsyncDisposable {
  readonly #dist: string | undefined;
  #current: HeldRouter | undefined;
  #next: Promise<HeldRouter> | undefined;

  constructor(dist?: string) {
    this.#dist = dist;
  }

  async take(): Promise<HeldRouter> {
    if (this.#current?.lives === true) return this.#current;
    await this.drop();
    this.#current = await (this.#next ?? HeldRouter.start(this.#dist));
    this.#next = undefined;
    return this.#current;
  }

  /** Gives up one that may not be as it was; loads the next meanwhile. */
  async replace(): Promise<void> {
    await this.drop();
    this.#next ??= HeldRouter.start(this.#dist);
    // Thrown again where it is waited for.
    this.#next.catch(() => undefined);
  }

  async drop(): Promise<void> {
    await this.#current?.[Symbol.asyncDispose]();
    this.#current = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drop();
    await (await this.#next)?.[Symbol.asyncDispose]();
  }
}

/** What is done at a place; tells what the fault really went into. */
export type Visit<Point> = (
  point: Point,
  supply: Supply,
  place: number,
) => Promise<Pick<Faulty, 'hits' | 'calls'>>;

/**
 * Visits places, a few at a time. At its end it says how many were hit, and fails when there were none,
 * when the fault missed one again and again, or with what went wrong, place by place.
 */
export async function sweep<Point extends Call>(
  what: string,
  points: readonly Point[],
  visit: Visit<Point>,
): Promise<void> {
  const start = performance.now();
  const left = [...points.entries()];
  const hits: Call[] = [];
  const failures: string[] = [];
  const work = async (): Promise<void> => {
    await using supply = new Supply();
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [place, point] = next;
      try {
        const hit = await visitUntilHit(point, (at) => visit(at, supply, place));
        if (hit === undefined) failures.push(`${tellPoint(point)}: missed`);
        else hits.push(hit);
      } catch (error) {
        failures.push(`${tellPoint(point)}: ${inspect(error)}`);
        if (failures.length >= MOST_FAILURES) left.length = 0;
        await supply.replace();
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  tell(what, points.length, hits, performance.now() - start);
  expect(failures.join('\n')).toBe('');
  expect(hits.length).toBeGreaterThan(0);
}

/** Tries again where the fault missed, since what a program does differs a little from run to run. */
async function visitUntilHit<Point extends Call>(
  point: Point,
  visit: (at: Point) => ReturnType<Visit<Point>>,
): Promise<Call | undefined> {
  let at = point;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const { hits, calls } = await visit(at);
    if (hits[0] !== undefined) return hits[0];
    // The last where this run had fewer.
    const there = calls[point.place] ?? calls.at(-1);
    at = { ...point, ordinal: there?.ordinal ?? point.ordinal };
  }
  return undefined;
}

function tellPoint(point: Call & { code?: string }): string {
  return `${point.code ?? ''} ${point.text} (call ${point.ordinal})`.trim();
}

function tell(what: string, points: number, hits: readonly Call[], ms: number): void {
  const names = [...new Set(hits.map(({ name }) => name))].sort();
  const each = names.map((name) => `${name} ${hits.filter((hit) => hit.name === name).length}`);
  const different = new Set(hits.map(({ text }) => text)).size;
  process.stdout.write(
    `sweep: ${what}: ${hits.length} of ${points} places hit, ${different} different (${each.join(', ')}), ${Math.round(ms / 1000)} s\n`,
  );
}

/** Takes about so many of a list, evenly, the first and the last among them. */
export function sample<Item>(items: readonly Item[], most: number): Item[] {
  if (items.length <= most) return [...items];
  const step = most === 1 ? 0 : (items.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, place) => items[Math.round(place * step)] as Item);
}
