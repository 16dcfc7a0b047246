/**
 * Knows the timers that tests and the code under test have started and that are still to fire. The
 * test runner's own are not among them: it took its references before this module replaces the globals.
 */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import promises from 'node:timers/promises';

type Timer = NodeJS.Timeout & { readonly _destroyed?: boolean };

const timeouts = new Set<Timer>();
const intervals = new Set<Timer>();
const pauses = new Set<Promise<unknown>>();

/** The real one, also while a test uses fake timers. */
export const realSetTimeout = globalThis.setTimeout;

function tracked<Start extends typeof setTimeout | typeof setInterval>(
  start: Start,
  started: Set<Timer>,
): Start {
  const track = (...args: Parameters<Start>): Timer => {
    const timer = Reflect.apply(start, undefined, args) as Timer;
    started.add(timer);
    return timer;
  };
  // Among the properties is what util.promisify makes of it.
  return Object.defineProperties(track, Object.getOwnPropertyDescriptors(start)) as Start;
}

function trackedPause<T>(...args: Parameters<typeof promises.setTimeout<T>>): Promise<T> {
  const pause = pausing(...args);
  const end = (): boolean => pauses.delete(pause);
  pauses.add(pause);
  pause.then(end, end);
  return pause;
}

const pausing = promises.setTimeout;
globalThis.setTimeout = tracked(globalThis.setTimeout, timeouts);
globalThis.setInterval = tracked(globalThis.setInterval, intervals);
timers.setTimeout = globalThis.setTimeout;
timers.setInterval = globalThis.setInterval;
promises.setTimeout = trackedPause;
syncBuiltinESMExports();

function drop(started: Set<Timer>): void {
  for (const timer of started) if (timer._destroyed === true) started.delete(timer);
}

/** Lists the timers still to fire; a timeout that would not keep the process alive does not count. */
export function openTimers(): string[] {
  drop(timeouts);
  drop(intervals);
  return [
    ...[...timeouts].filter((timer) => timer.hasRef()).map(() => 'timer'),
    ...[...intervals].map(() => 'interval'),
    ...[...pauses].map(() => 'pause (node:timers/promises)'),
  ];
}
