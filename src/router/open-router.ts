/**
 * Opens a hive for routing: lock, epoch, takeover of what was left behind, log, memory, history. In this
 * order, so that nothing is touched before this is the one router, and nothing is decided before
 * everything a predecessor owed lies in this epoch.
 */

import { join } from 'node:path';
import { type History, openHistory } from '../history/history.ts';
import type { HiveFs } from '../hive/hive-fs.ts';
import { isHive } from '../hive/init.ts';
import { type HiveLayout, layoutOf } from '../hive/layout.ts';
import { acquireRouterLock, type RouterLock } from '../hive/lock.ts';
import { makeMissing } from '../hive/make-missing.ts';
import { createNodeFs } from '../hive/node-fs.ts';
import { requirePresent } from '../hive/past-mark.ts';
import { randomTail } from '../hive/random.ts';
import { describeLoss, loggedDebt, ROUTER_LOST } from '../log/logged-debt.ts';
import { takeOverLog } from '../log/take-over.ts';
import type { Clock } from '../protocol/clock.ts';
import { HivemailError } from '../protocol/errors.ts';
import type { HiveEvent, LogRow } from '../protocol/event.ts';
import { type Epoch, openEpoch, takeOverEpochs } from '../spool/epoch.ts';
import { assembleRouter } from './assemble-router.ts';
import { closeRouter } from './close-router.ts';
import { completeBeforeRouting } from './complete.ts';
import { PendingEvents } from './pending-events.ts';
import type { Router } from './router.ts';
import { writePendingEvents } from './write-events.ts';

/** How a router is opened. */
export interface OpenRouterOptions {
  /** Absolute path of the hive. */
  dir: string;
  clock: Clock;
  /** The hive's files; the machine's own unless a test says otherwise. */
  fs?: HiveFs;
  /** Go ahead although another router holds the lock. */
  takeover?: boolean;
  /** Told of every row as it is written. */
  onRows?: (rows: readonly LogRow[]) => void;
}

/** A router with the lock of its hive; disposing of it leaves the hive to the next. */
export interface OpenRouter extends AsyncDisposable {
  router: Router;
  history: History;
  /**
   * Leaves the hive to the next, as disposing does.
   * @returns what it leaves in `.router/`, in sentences; none when it is free of mail
   */
  close(): Promise<readonly string[]>;
  /** What was done to the hive before, in sentences for the person; warnings in the log as well. */
  notes: readonly string[];
}

/** When the history is recorded: apart from deliveries, and never far behind them. */
const HISTORY_GATHER = { quietMs: 1000, mostMs: 5000 };

/**
 * Opens a hive for routing.
 * @throws HivemailError `locked` naming the owner, `hive-not-found`, `io`
 */
export async function openRouter(options: OpenRouterOptions): Promise<OpenRouter> {
  const { clock, fs = createNodeFs() } = options;
  const layout = layoutOf(options.dir);
  requireHive(fs, layout);
  requirePresent(fs, layout);
  const lock = await acquireRouterLock({
    layout,
    clock,
    fs,
    takeover: options.takeover === true,
  });
  try {
    for (const dir of [layout.control, layout.historyQueue, layout.held]) makeMissing(fs, dir);
    requireOneFileSystem(fs, layout);
    const notes = await completeBeforeRouting(fs, layout);
    const tail = `${process.pid}${randomTail()}`;
    const epoch = await openEpoch({ fs, layout }, { after: lock.epochAfter, tail });
    await lock.recordOwner(epoch.number);
    await takeOverEpochs({ fs, layout }, epoch);
    if (!lock.kernel) await takeOverLog(fs, layout.log, join(epoch.stage, 'log.jsonl'));
    return await assemble({ ...options, fs }, { layout, lock, epoch, notes });
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
}

interface Opened {
  layout: HiveLayout;
  lock: RouterLock;
  epoch: Epoch;
  notes: readonly string[];
}

async function assemble(
  { clock, fs, onRows }: OpenRouterOptions & { fs: HiveFs },
  { layout, lock, epoch, notes }: Opened,
): Promise<OpenRouter> {
  const pendingEvents = new PendingEvents();
  const history = await openHistory({
    gather: HISTORY_GATHER,
    layout,
    clock,
    fs,
    onProblem: ({ kind, sentence }) =>
      pendingEvents.push({ kind: 'warning', code: `history-${kind}`, note: sentence }),
  });
  try {
    const parts = { fs, layout, clock, epoch, history, pendingEvents, onRows };
    const router = assembleRouter(parts);
    pendingEvents.push(...lossEvents(lock, router));
    pendingEvents.push({ kind: 'router', code: 'start', note: startNote(lock, epoch) });
    pendingEvents.push(
      ...notes.map((note) => ({ kind: 'warning' as const, code: 'completed', note })),
    );
    await writePendingEvents(router);
    // The name of a log that was begun just now.
    await fs.syncDir(layout.root);
    let closed: Promise<readonly string[]> | undefined;
    const close = (): Promise<readonly string[]> =>
      (closed ??= closeRouter({ router, history, lock }));
    const dispose = async (): Promise<void> => void (await close());
    return { router, history, notes, close, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await history[Symbol.asyncDispose]();
    throw error;
  }
}

const LOOK_BACK_BYTES = 1024 * 1024;

/** What the log tells of a `.router/` that was deleted: once a router has begun anew nobody can see it. */
function lossEvents({ epochAfter }: RouterLock, { log }: Router): HiveEvent[] {
  if (epochAfter > 0) return [];
  const note = describeLoss(loggedDebt(log.tail(LOOK_BACK_BYTES)));
  return note === undefined ? [] : [{ kind: 'warning', code: ROUTER_LOST, note }];
}

function startNote(lock: RouterLock, epoch: Epoch): string {
  const from = lock.tookOverFrom;
  const taken = from === undefined ? '' : `, taken over from process ${from.pid} on ${from.host}`;
  return `Router started, process ${process.pid}, epoch ${epoch.number}${taken}.`;
}

function requireHive(fs: HiveFs, layout: HiveLayout): void {
  if (isHive(fs, layout)) return;
  throw new HivemailError(
    'hive-not-found',
    `There is no hive at ${layout.root}: neither hive.json nor registry.json is there. Make one with \`hivemail init ${layout.root}\`.`,
  );
}

/** Renames are the whole protocol, and none goes from one file system to another. */
function requireOneFileSystem(fs: HiveFs, layout: HiveLayout): void {
  const home = fs.stat(layout.root)?.device;
  for (const dir of [layout.router, layout.agents, layout.held]) {
    const stat = fs.stat(dir);
    if (stat === undefined || stat.device === home) continue;
    throw new HivemailError(
      'io',
      `${dir} lies on another file system than the hive. Put all of the hive on one.`,
    );
  }
}
