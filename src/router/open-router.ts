/**
 * Opens a hive for routing: lock, epoch, takeover of what was left behind, log, memory, history. In this
 * order, so that nothing is touched before this is the one router, and nothing is decided before
 * everything a predecessor owed lies in this epoch.
 */

import { type History, openHistory } from '../history/history.ts';
import type { HiveFs } from '../hive/hive-fs.ts';
import { isHive } from '../hive/init.ts';
import { type HiveLayout, layoutOf } from '../hive/layout.ts';
import { acquireRouterLock, type RouterLock } from '../hive/lock.ts';
import { makeMissing } from '../hive/make-missing.ts';
import { createNodeFs } from '../hive/node-fs.ts';
import { randomTail } from '../hive/random.ts';
import { defaultSettings, routingRules } from '../hive/settings.ts';
import { EventLog } from '../log/event-log.ts';
import { takeOverLog } from '../log/take-over.ts';
import type { Clock } from '../protocol/clock.ts';
import { HivemailError } from '../protocol/errors.ts';
import type { LogRow } from '../protocol/event.ts';
import { createIdSource, type IdSource, isMessageId } from '../protocol/ids.ts';
import { RoutingMemory } from '../routing/memory.ts';
import { recallRow } from '../routing/recall.ts';
import { parseClaimName } from '../spool/claim-name.ts';
import { closeEpoch, type Epoch, openEpoch, takeOverEpochs } from '../spool/epoch.ts';
import { parseDeferredName } from '../spool/publish.ts';
import { OutboxScanner } from '../spool/scan.ts';
import { SettleWatch } from '../spool/settle.ts';
import { DeferralSchedule } from './deferral.ts';
import { Health } from './health.ts';
import { ReportedStrays } from './reported.ts';
import type { Router } from './router.ts';

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
}

/** How much of the log is read to remember by, in bytes. */
const MEMORY_TAIL_BYTES = 8 * 1024 * 1024;

/**
 * Opens a hive for routing.
 * @throws HivemailError `locked` naming the owner, `hive-not-found`, `io`
 */
export async function openRouter(options: OpenRouterOptions): Promise<OpenRouter> {
  const { clock, fs = createNodeFs() } = options;
  const layout = layoutOf(options.dir);
  requireHive(fs, layout);
  const lock = await acquireRouterLock({
    layout,
    clock,
    fs,
    takeover: options.takeover === true,
  });
  try {
    for (const dir of [layout.control, layout.historyQueue, layout.held]) makeMissing(fs, dir);
    requireOneFileSystem(fs, layout);
    if (!lock.kernel) await takeOverLog(fs, layout.log, randomTail);
    const tail = `${process.pid}${randomTail()}`;
    const epoch = await openEpoch({ fs, layout }, { after: lock.epochAfter, tail });
    await lock.recordOwner(epoch.number);
    await takeOverEpochs({ fs, layout }, epoch);
    return await assemble(options, { fs, layout, lock, epoch });
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
}

interface Parts {
  fs: HiveFs;
  layout: HiveLayout;
  lock: RouterLock;
  epoch: Epoch;
}

async function assemble(options: OpenRouterOptions, parts: Parts): Promise<OpenRouter> {
  const { fs, layout, lock, epoch } = parts;
  const { clock, onRows = () => {} } = options;
  const log = new EventLog({ fs, path: layout.log, clock, epoch: epoch.number });
  const pendingEvents: Router['pendingEvents'] = [];
  const health = new Health(clock, ({ key, message }, state) => {
    const code = state === 'begins' ? key : `${key} over`;
    pendingEvents.push({ kind: 'warning', code, note: message });
  });
  const settings = defaultSettings();
  const rules = routingRules(settings);
  const memory = new RoutingMemory();
  const ids = createIdSource({ now: () => clock.now(), random: randomTail });
  recall({ log, memory, rules, ids });
  for (const id of idsOnDisk(fs, epoch)) if (isMessageId(id)) ids.observe(id);
  const history = await openHistory({
    layout,
    clock,
    fs,
    onProblem: ({ kind, sentence }) =>
      pendingEvents.push({ kind: 'warning', code: `history-${kind}`, note: sentence }),
  });
  const router: Router = {
    ...{ fs, layout, clock, ids, epoch, log, history, health, memory, onRows, pendingEvents },
    ...{ settings, rules, census: undefined, recheckHeld: true, seen: {}, committed: new Set() },
    scanner: new OutboxScanner(fs, layout),
    settling: new SettleWatch(),
    deferral: new DeferralSchedule(),
    reported: new ReportedStrays(fs, layout.reported),
  };
  pendingEvents.push({ kind: 'router', code: 'start', note: startNote(lock, epoch) });
  return { router, history, [Symbol.asyncDispose]: () => close({ router, history, lock }) };
}

function startNote(lock: RouterLock, epoch: Epoch): string {
  const from = lock.tookOverFrom;
  const taken = from === undefined ? '' : `, taken over from process ${from.pid} on ${from.host}`;
  return `Router started, process ${process.pid}, epoch ${epoch.number}${taken}.`;
}

function recall(to: Pick<Router, 'log' | 'memory' | 'rules' | 'ids'>): void {
  for (const row of to.log.tail(MEMORY_TAIL_BYTES)) {
    recallRow(row, to.memory, to.rules);
    for (const id of [row.id, row.batch]) if (isMessageId(id)) to.ids.observe(id);
  }
  to.memory.commit();
}

/** Lists the ids that a predecessor issued and that no row may tell of yet. */
function idsOnDisk(fs: HiveFs, epoch: Epoch): (string | undefined)[] {
  return [
    ...fs.list(epoch.claim).map((name) => parseClaimName(name)?.id),
    ...fs.list(epoch.owed),
    ...fs.list(epoch.deferred).map((name) => parseDeferredName(name)?.batch),
  ];
}

async function close({
  router,
  history,
  lock,
}: {
  router: Router;
  history: History;
  lock: RouterLock;
}): Promise<void> {
  const { fs, epoch, log } = router;
  try {
    await history.flush();
    await history[Symbol.asyncDispose]();
    if (fs.stat(epoch.dir) === undefined) return;
    await log.append([
      { kind: 'router', code: 'stop', note: `Router stopped, epoch ${epoch.number}.` },
    ]);
    closeEpoch(fs, epoch);
  } finally {
    log.close();
    await lock[Symbol.asyncDispose]();
  }
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
