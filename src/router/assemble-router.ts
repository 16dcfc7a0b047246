import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { randomTail } from '../hive/random.ts';
import { readRegistry, rosterOf } from '../hive/registry.ts';
import {
  defaultSettings,
  type HiveSettings,
  readSettings,
  routingRules,
} from '../hive/settings.ts';
import { EventLog } from '../log/event-log.ts';
import { logPlace } from '../log/segments.ts';
import type { Clock } from '../protocol/clock.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';
import type { LogRow } from '../protocol/event.ts';
import { createIdSource, isMessageId } from '../protocol/ids.ts';
import { Activity } from '../routing/activity.ts';
import { RoutingMemory } from '../routing/memory.ts';
import { Obligations } from '../routing/obligations.ts';
import { recallRow } from '../routing/recall.ts';
import { parseClaimName } from '../spool/claim-name.ts';
import { type Epoch, requireEpoch } from '../spool/epoch.ts';
import { FloodPace } from '../spool/flood-pace.ts';
import { listOwed } from '../spool/owed.ts';
import { parseDeferredName } from '../spool/publish.ts';
import { OutboxScanner } from '../spool/scan.ts';
import { SettleWatch } from '../spool/settle.ts';
import { SlowSenders } from '../spool/slow-senders.ts';
import { AcceptedLetters, type ReadRecorded, readRecordedOf } from './accepted-letters.ts';
import { DeferralSchedule } from './deferral.ts';
import { DoorbellEvents } from './doorbell-events.ts';
import { DoorbellReader } from './doorbell-reader.ts';
import { HandledLetters } from './handled.ts';
import { Health } from './health.ts';
import { noteRows, type RowKeepers } from './note-rows.ts';
import type { PendingEvents } from './pending-events.ts';
import { ReportedStrays } from './reported.ts';
import type { HistoryNudge, Router } from './router.ts';

/** What a router is put together from. */
export interface RouterParts {
  fs: HiveFs;
  layout: HiveLayout;
  clock: Clock;
  /** The epoch of this start; everything a predecessor owed lies in it. */
  epoch: Epoch;
  history: HistoryNudge;
  /** Rows for the first pass to write; the router's own from now on. */
  pendingEvents: PendingEvents;
  /** Told of every row as it is written. */
  onRows?: ((rows: readonly LogRow[]) => void) | undefined;
  /** Reads messages from the history; by git when left out. */
  readRecorded?: ReadRecorded | undefined;
  /** Eight characters of `[0-9a-z]`, the tail of an id; a test may give its own. */
  random?: () => string;
}

/** How much of the log is read to remember by, in bytes. */
export const MEMORY_TAIL_BYTES = 8 * 1024 * 1024;

/**
 * Puts a router together and has it remember what the log and the disk tell. Knows no lock and starts
 * no process, so that a test can run many of them, one after the other, over files in memory.
 */
export function assembleRouter(parts: RouterParts): Router {
  const { fs, layout, clock, epoch, history, pendingEvents } = parts;
  const { onRows = () => {}, random = randomTail, readRecorded = readRecordedOf(layout) } = parts;
  const health = new Health(clock, ({ key, message }, state) => {
    const code = state === 'begins' ? key : `${key} over`;
    pendingEvents.push({ kind: 'warning', code, note: message });
  });
  const settings = firstSettings(fs, layout);
  const rules = routingRules(settings);
  const memory = new RoutingMemory();
  const ids = createIdSource({ now: () => clock.now(), random });
  const keepers: RowKeepers = {
    handled: new HandledLetters(),
    obligations: new Obligations(),
    activity: new Activity(),
  };
  const reported = new ReportedStrays(fs, layout.reported);
  for (const id of idsOnDisk(fs, epoch)) if (isMessageId(id)) ids.observe(id);
  const requireOwn = () => requireEpoch(fs, epoch);
  const log = new EventLog({
    ...logPlace(layout),
    ...{ fs, clock, epoch: epoch.number, requireOwn },
  });
  let rows: LogRow[];
  try {
    rows = log.tail(MEMORY_TAIL_BYTES);
    recall(rows, { memory, rules, ids });
    noteRows(keepers, rows, firstOrchestrator(fs, layout));
  } catch (error) {
    log.close();
    throw error;
  }
  return {
    ...{ fs, layout, clock, ids, epoch, log, history, health, memory, onRows, pendingEvents },
    ...{
      settings,
      rules,
      census: undefined,
      recheckHeld: true,
      personLookMs: 0,
      heldRetry: { failures: 0, atMs: 0 },
      seen: {},
    },
    ...{ committed: new Set(), incomplete: new Set(), unanswered: new Map() },
    scanner: new OutboxScanner(fs, layout),
    floodPace: new FloodPace(),
    settling: new SettleWatch(),
    slowSenders: new SlowSenders(() => clock.monotonic()),
    deferral: new DeferralSchedule(),
    doorbells: new DoorbellEvents(rows),
    doorbellReader: new DoorbellReader(),
    reported,
    ...keepers,
    accepted: new AcceptedLetters(readRecorded),
  };
}

function recall(rows: readonly LogRow[], to: Pick<Router, 'memory' | 'rules' | 'ids'>): void {
  for (const row of rows) {
    recallRow(row, to.memory, to.rules);
    // What hooks say was announced need not be an id that a router has issued.
    const issued = row.kind === 'announced' ? [] : [row.id, row.batch];
    for (const id of issued) if (isMessageId(id)) to.ids.observe(id);
  }
  to.memory.commit();
}

/** Reads the settings that the log is recalled with; what is wrong with them the first pass reports. */
function firstSettings(fs: HiveFs, layout: HiveLayout): HiveSettings {
  try {
    return readSettings(fs, layout.settings);
  } catch (error) {
    if (!(error instanceof HivemailError) && systemCode(error) === undefined) throw error;
    return defaultSettings();
  }
}

/** Reads who the orchestrator is; what is wrong with the registry the first pass reports. */
function firstOrchestrator(fs: HiveFs, layout: HiveLayout): string | undefined {
  try {
    return rosterOf(readRegistry(fs, layout.registry)).orchestrator;
  } catch (error) {
    if (!(error instanceof HivemailError) && systemCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Lists the ids that a predecessor issued and that no row may tell of yet. */
function idsOnDisk(fs: HiveFs, epoch: Epoch): (string | undefined)[] {
  const plans = listOwed(fs, epoch).batches.map(({ plan }) => plan);
  return [
    ...fs.list(epoch.claim).map((name) => parseClaimName(name)?.id),
    ...plans.flatMap(({ batch, rows }) => [batch, ...rows.map(({ id }) => id)]),
    ...fs.list(epoch.deferred).map((name) => parseDeferredName(name)?.batch),
  ];
}
