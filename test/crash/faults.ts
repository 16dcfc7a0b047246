/** Runs of the built program with a fault put into one of its system calls. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Call, parseCalls } from './calls.ts';
import { type HeldRouter, Tracer } from './held-router.ts';

/** Where a fault goes, and what it is. */
export interface Fault {
  at: Call;
  /** As strace has it: `signal=KILL`, `error=EIO`, `retval=0`. */
  effect: string;
  /** After the first of them: to every 25th, or to all. Only that one when left out. */
  again?: 'every 25th' | 'always';
  /** Ends a lasting fault after so long, while the program goes on. */
  liftAfterMs?: number;
}

/** What came of a run with a fault. */
export interface Faulty {
  /** Nothing when the program was killed. */
  exitCode: number | undefined;
  /** The calls on the hive that the fault went into. */
  hits: Call[];
  /** The calls on the hive of that name, in that thread. */
  calls: Call[];
}

const LOOK_MS = 25;
/**
 * A close of a pipe or socket of node that was refused, so that it stays open, as after no error of a
 * real machine: the wait for a child to begin, for one, then never ends.
 */
const STRAYED = /^close\(\d+<(?!\/).*\(INJECTED\)$/m;
const AGAIN = { 'every 25th': '+25', always: '+' };

/** Runs a command line with a fault. */
export async function runFaulty(
  router: HeldRouter,
  hive: string,
  { at, effect, again, liftAfterMs }: Fault,
  args: readonly string[] = ['up', hive, '--once'],
): Promise<Faulty> {
  const thread = router.threads[at.thread] as number;
  const when = `${at.ordinal}${again === undefined ? '' : AGAIN[again]}`;
  const only = at.file === undefined ? [] : ['-P', `${hive}${at.file}`];
  const inject = ['-e', `trace=${at.name}`, '-e', `inject=${at.name}:${effect}:when=${when}`];
  const options = { output: `${hive}.trace`, args: [...only, ...inject] };
  let told = '';
  let end: Promise<number | undefined> | undefined;
  {
    await using tracer = await Tracer.attach([thread], options);
    end = router.run(args);
    const done = new AbortController();
    const over = liftAfterMs === undefined ? end : troubleOver(tracer, liftAfterMs, done.signal);
    const strays = at.name === 'close' ? killStrayed(tracer, router, done.signal) : undefined;
    await Promise.race([end, over]);
    done.abort();
    await strays;
    told = tracer.told();
  }
  const exitCode = await end;
  return { exitCode, hits: hitsIn(told, hive, thread), calls: parseCalls(told, hive, [thread]) };
}

/** Waits until the first fault has come, and so long from then on. */
async function troubleOver(tracer: Tracer, lastsMs: number, done: AbortSignal): Promise<void> {
  let sinceMs: number | undefined;
  while (!done.aborted) {
    if (sinceMs === undefined && tracer.told().includes('(INJECTED)')) sinceMs = performance.now();
    if (sinceMs !== undefined && performance.now() - sinceMs >= lastsMs) return;
    await pause(LOOK_MS);
  }
}

/** Kills a program as soon as a close was refused that it can't do without. */
async function killStrayed(tracer: Tracer, router: HeldRouter, done: AbortSignal): Promise<void> {
  while (!done.aborted) {
    if (STRAYED.test(tracer.told())) router.signal('SIGKILL');
    await pause(LOOK_MS);
  }
}

/** The calls on a hive that a fault went into, out of the trace of one thread. */
export function hitsIn(trace: string, hive: string, thread: number): Call[] {
  const lines = trace.split('\n');
  const hit = lines.filter((line, place) => {
    // A call that a kill came before has no result; a signal comes on the line after its call.
    const signalled = lines[place + 1]?.startsWith('--- SIGSTOP ') === true;
    return signalled || / \(INJECTED\)$|\) += \?$/.test(line);
  });
  return parseCalls(hit.join('\n'), hive, [thread]);
}
