/**
 * The built router under strace: which system calls it makes on a hive, and what becomes of it when one
 * of them is cut off, refused or held. Calls are counted for each thread, so the pool has one.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, type ChildResult, startChild } from '../clients/child.ts';
import { scrubbedEnvironment } from '../clients/environment.ts';
import { HIVEMAIL } from '../e2e/built.ts';

/** One system call of the router that touches the hive. */
export interface Call {
  name: string;
  /** Its number among the calls of that name in its thread, from 1. */
  ordinal: number;
  /** What it was about, for the person who reads of a failure. */
  text: string;
}

/** The calls by which the router changes, reads or leaves the hive. */
export const CALLS = ['openat', 'write', 'rename', 'mkdir', 'rmdir', 'unlink', 'fsync', 'close'];

const LIMIT_MS = 60_000;

/** Starts the built program under strace; the child is the program itself, and strace its shadow. */
export async function startTraced(
  hive: string,
  { trace, args }: { trace: readonly string[]; args: readonly string[] },
): Promise<Child> {
  const dir = join(hive, '..');
  // Not --seccomp-bpf: under strace 6.1 no signal is injected with it.
  const strace = ['-D', '-f', '-qq', ...trace];
  return await startChild({
    file: 'strace',
    args: [...strace, process.execPath, HIVEMAIL, ...args],
    cwd: dir,
    env: scrubbedEnvironment({ HOME: dir, UV_THREADPOOL_SIZE: '1' }),
    timeLimitMs: LIMIT_MS,
  });
}

/** Runs the built program on a hive with a fault put into one of its calls. */
export async function runFaulty(
  hive: string,
  inject: string,
  args: readonly string[] = ['up', hive, '--once'],
): Promise<ChildResult> {
  const [call = ''] = inject.split(':');
  const trace = ['-o', '/dev/null', '-e', `trace=${call}`, '-e', `inject=${inject}`];
  await using child = await startTraced(hive, { trace, args });
  return await child.result();
}

/** Runs the built program once without a fault, and lists its calls on the hive in their order. */
export async function listCalls(
  hive: string,
  args: readonly string[] = ['up', hive, '--once'],
): Promise<Call[]> {
  const output = `${hive}.trace`;
  const trace = ['-y', '-s', '160', '-o', output, '-e', `trace=execve,${CALLS.join(',')}`];
  await using child = await startTraced(hive, { trace, args });
  const { exitCode, stderr } = await child.result();
  if (exitCode !== 0) throw new Error(`The traced run ended with ${exitCode}: ${stderr}`);
  return parseTrace(readFileSync(output, 'latin1'), hive);
}

const LINE = /^(\d+)\s+(\w+)\((.*)$/;

function parseTrace(trace: string, hive: string): Call[] {
  const lines = trace.split('\n').flatMap((line) => {
    const match = LINE.exec(line);
    return match === null ? [] : [match as unknown as [string, string, string, string]];
  });
  // Whatever starts a program after the first line is a git of the history.
  const started = lines.slice(1).filter(([, , name]) => name === 'execve');
  const others = new Set(started.map(([, thread]) => thread));
  const counts = new Map<string, number>();
  return lines.flatMap(([, thread, name, rest]) => {
    if (name === 'execve' || others.has(thread)) return [];
    const ordinal = (counts.get(`${thread} ${name}`) ?? 0) + 1;
    counts.set(`${thread} ${name}`, ordinal);
    if (!rest.includes(`${hive}/`) && !rest.includes(`<${hive}>`)) return [];
    return [{ name, ordinal, text: `${name}(${rest.replaceAll(hive, '').slice(0, 200)}` }];
  });
}

/** Takes about so many of a list, evenly, the first and the last among them. */
export function sample<Item>(items: readonly Item[], most: number): Item[] {
  if (items.length <= most) return [...items];
  const step = (items.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, place) => items[Math.round(place * step)] as Item);
}

/** Works through a list, a few at a time; the first failure ends it, with what it was about. */
export async function eachOf<Item>(
  items: readonly Item[],
  tell: (item: Item) => string,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) {
      try {
        await work(item);
      } catch (error) {
        left.length = 0;
        throw new Error(tell(item), { cause: error });
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: 2 }, worker));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** Prints how much a sweep did, so that one that hits nothing is seen. */
export function tellHits(what: string, hits: number, points: number): void {
  process.stdout.write(`${what}: ${hits} of ${points} points hit\n`);
}
