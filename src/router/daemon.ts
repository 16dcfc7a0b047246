/**
 * Runs passes for as long as it is let: at every poll, and sooner when something nudges it. The poll is
 * the guarantee; the watch only brings the next pass forward.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { History } from '../history/history.ts';
import { openHistoryReader } from '../history/open-reader.ts';
import type { SegmentToRecord } from '../history/record-segment.ts';
import { systemClock } from '../hive/system-clock.ts';
import { DESK } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import type { LogRow } from '../protocol/event.ts';
import { DoorbellWakes } from './doorbell-wakes.ts';
import { LogRetention } from './log-retention.ts';
import { lookAtState } from './look-at-state.ts';
import { noteHandled } from './note-handled.ts';
import { type OpenRouterOptions, openRouter } from './open-router.ts';
import { type PassReport, runPass } from './pass.ts';
import { Retention } from './retention.ts';
import type { Census, Router } from './router.ts';
import { SegmentNaming } from './segment-naming.ts';
import { StatusWriter } from './status-files.ts';
import { type DirectoryWatch, watchDirectories } from './watch.ts';
import { writePendingEvents } from './write-events.ts';

/** How a router is started. */
export interface StartOptions extends Omit<OpenRouterOptions, 'clock' | 'onRows'> {
  clock?: OpenRouterOptions['clock'];
  /** Overrides the interval of hive.json, in milliseconds. */
  pollMs?: number;
  /** False to rely on the poll alone. */
  watch?: boolean;
  /** Told of every row as it is written. One that throws stops nothing. */
  onRow?: (row: LogRow) => void;
  /** Told of what goes wrong in a pass; the next one tries again. */
  onTrouble?: (error: unknown) => void;
  /** Where the programs that wake idle sessions are looked for, and what they are started with. */
  env?: NodeJS.ProcessEnv;
}

/** A router at work. */
export interface RunningRouter extends AsyncDisposable {
  /** Brings the next pass forward. */
  nudge(): void;
  /** Settles when the router has ended: after a stop, or with `fenced` when another took over. */
  readonly ended: Promise<void>;
  /** Ends the pass that is under way, flushes the history and gives the hive back. */
  stop(): Promise<StopReport>;
}

/** How a router has left its hive. */
export interface StopReport {
  /**
   * What it could not bring to its end and leaves in `.router/`, in sentences. When there is none,
   * `.router/` may be deleted.
   */
  remains: readonly string[];
}

/**
 * Shortest time between two passes, in milliseconds, once some in a row were nudged and found nothing: a
 * writer at work in an outbox. The first of them come at once, since a temporary file is most often
 * followed by its rename.
 */
const MIN_GAP_MS = 10;
const EMPTY_IN_A_ROW = 3;

/**
 * Starts a router and returns once it holds the hive and its first pass is done.
 * @throws HivemailError `locked`, `hive-not-found`, `io`
 */
export async function startRouter(options: StartOptions): Promise<RunningRouter> {
  const { clock = systemClock } = options;
  let wakes: DoorbellWakes | undefined;
  const onRows = (rows: readonly LogRow[]): void => {
    tell(rows, options);
    wakes?.noteRows(rows);
  };
  const open = await openRouter({ ...options, clock, onRows });
  wakes = new DoorbellWakes(open.router, {
    env: options.env ?? process.env,
    onTrouble: (error) => tellTrouble(error, options),
  });
  const bell = new Bell();
  const watch =
    options.watch === false
      ? undefined
      : watchDirectories(
          () => bell.ring(),
          (error) => noteWatchTrouble(open.router, error),
        );
  const status = new StatusWriter(open.router, { history: open.history, wakes });
  const told = Promise.resolve();
  const stopping = new AbortController();
  const source = {
    state: () => open.history.state(),
    open: () => openHistoryReader({ layout: open.router.layout, signal: stopping.signal }),
    recordSegment: (segment: SegmentToRecord) => open.history.recordSegment(segment),
  };
  const { signal } = stopping;
  const loop: Loop = {
    ...{ ...open, bell, watch, watched: undefined, wakes, status, told, stopping, options },
    apart: [
      new Retention(open.router, source),
      new SegmentNaming(open.router, signal),
      new LogRetention(open.router, source, { signal }),
    ],
  };
  try {
    await pass(loop);
    await loop.told;
  } catch (error) {
    await close(loop);
    throw error;
  }
  const ended = run(loop);
  ended.catch(() => undefined);
  const stop = async (): Promise<StopReport> => {
    stopping.abort();
    bell.ring();
    await ended;
    return { remains: await open.close() };
  };
  const dispose = async (): Promise<void> => void (await stop());
  return { nudge: () => bell.ring(), ended, stop, [Symbol.asyncDispose]: dispose };
}

interface Loop {
  router: Router;
  history: History;
  bell: Bell;
  watch: DirectoryWatch | undefined;
  /** The roster whose outboxes are watched. */
  watched: Census | undefined;
  wakes: DoorbellWakes;
  status: StatusWriter;
  /** What looks after the hive beside the passes, which do not wait for it. */
  apart: readonly Pick<Retention, 'stepIfDue' | 'settled'>[];
  /** Settles when what the last pass had to tell is written. No pass waits for it. */
  told: Promise<void>;
  stopping: AbortController;
  options: StartOptions;
  [Symbol.asyncDispose](): PromiseLike<void>;
}

async function run(loop: Loop): Promise<void> {
  const { router, bell, stopping, options } = loop;
  let last: PassReport | undefined = { letters: 0, more: true, waiting: false, refused: false };
  let empty = 0;
  try {
    while (!stopping.signal.aborted) {
      const pollMs = options.pollMs ?? router.settings.pollMs;
      const slept = last?.more === true ? false : await bell.wait(pollMs);
      if (stopping.signal.aborted) break;
      last = await pass(loop);
      empty = slept || last?.letters !== 0 ? 0 : empty + 1;
      if (empty >= EMPTY_IN_A_ROW) await pause(MIN_GAP_MS);
    }
  } finally {
    await close(loop);
  }
}

/** Leaves nothing open, whatever goes wrong on the way. */
async function close(loop: Loop): Promise<void> {
  try {
    await loop.watch?.[Symbol.asyncDispose]();
    await loop.wakes[Symbol.asyncDispose]();
    await Promise.all(loop.apart.map((each) => each.settled()));
    noteHandled(loop.router, 'all');
    lookAtState(loop, 'all');
    await loop.status.write();
  } finally {
    await loop[Symbol.asyncDispose]();
  }
}

/** Runs a pass; a machine in trouble makes the health red and is tried again, a fence ends the router. */
async function pass(loop: Loop): Promise<PassReport | undefined> {
  const { router, status, options } = loop;
  let report: PassReport | undefined;
  try {
    report = await runPass(router, { takeIn: true });
    router.health.clear('pass');
    watchOutboxes(loop);
    lookAtState(loop, 'due');
    loop.wakes.look();
    for (const each of loop.apart) {
      each.stepIfDue().catch((error: unknown) => tellTrouble(error, options));
    }
  } catch (error) {
    const code = systemCode(error) ?? 'internal';
    if (code === 'fenced') throw error;
    const message = `A pass could not be finished (${code}). Nothing is lost; it is tried again.`;
    router.health.report('pass', { red: true, message });
    tellTrouble(error, options);
    // The log may be writable where something else is not, and it is where people look.
    await writePendingEvents(router);
  }
  const told = status.writeIfDue(report !== undefined);
  loop.told = told.catch((error: unknown) => tellTrouble(error, options));
  return report;
}

/** Watches the outboxes of the roster as it is now; nothing to do while it stays the same. */
function watchOutboxes(loop: Loop): void {
  const { router, watch } = loop;
  const { census, layout } = router;
  if (watch === undefined || census === undefined || loop.watched === census) return;
  loop.watched = census;
  const ids = [...census.roster.agents.keys(), DESK];
  watch.update([layout.control, ...ids.map((id) => layout.agent(id).outbox)]);
}

function noteWatchTrouble({ health }: Router, error: unknown): void {
  const message = `Directories can't be watched (${systemCode(error) ?? 'unknown'}); mail is found by the poll alone.`;
  health.report('watch', { red: false, message });
}

function tell(rows: readonly LogRow[], options: StartOptions): void {
  for (const row of rows) {
    try {
      options.onRow?.(row);
    } catch (error) {
      tellTrouble(error, options);
    }
  }
}

function tellTrouble(error: unknown, { onTrouble }: StartOptions): void {
  try {
    onTrouble?.(error);
  } catch {
    // A listener that can't bear to hear of it has no say in whether mail flows.
    return;
  }
}

/** Wakes the loop before its poll. A ring while nobody waits is kept for the next wait. */
class Bell {
  #rung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /**
   * Waits until the bell rings or time is up.
   * @returns false when it had rung already
   */
  async wait(mostMs: number): Promise<boolean> {
    const slept = !this.#rung;
    if (slept) await this.#sleep(mostMs);
    this.#rung = false;
    return slept;
  }

  async #sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}
