import type { ControlResult } from '../hive/control.ts';
import type { SeenVersion } from '../hive/file-version.ts';
import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import type { Registry } from '../hive/registry.ts';
import type { HiveSettings } from '../hive/settings.ts';
import type { EventLog } from '../log/event-log.ts';
import type { AgentId } from '../protocol/addresses.ts';
import type { Clock } from '../protocol/clock.ts';
import type { LogRow } from '../protocol/event.ts';
import type { IdSource } from '../protocol/ids.ts';
import type { Activity } from '../routing/activity.ts';
import type { RoutingMemory } from '../routing/memory.ts';
import type { Obligations } from '../routing/obligations.ts';
import type { Roster } from '../routing/roster.ts';
import type { RoutingRules } from '../routing/rules.ts';
import type { Epoch } from '../spool/epoch.ts';
import type { FloodPace } from '../spool/flood-pace.ts';
import type { OutboxScanner } from '../spool/scan.ts';
import type { SettleWatch } from '../spool/settle.ts';
import type { SlowSenders } from '../spool/slow-senders.ts';
import type { AcceptedLetters } from './accepted-letters.ts';
import type { DeferralSchedule } from './deferral.ts';
import type { DoorbellEvents } from './doorbell-events.ts';
import type { DoorbellReader } from './doorbell-reader.ts';
import type { HandledLetters } from './handled.ts';
import type { Health } from './health.ts';
import type { PendingEvents } from './pending-events.ts';
import type { ReportedStrays } from './reported.ts';

/** Which version of the files that people edit a router has read. */
export interface SeenFiles {
  settings?: SeenVersion;
  registry?: SeenVersion;
  agents?: string;
}

/** The part of the history that a pass needs: to be told that something waits in its queue. */
export interface HistoryNudge {
  nudge(): void;
}

/** Everything a pass works with. One router, one epoch; only passes change it. */
export interface Router {
  readonly fs: HiveFs;
  readonly layout: HiveLayout;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly epoch: Epoch;
  readonly log: EventLog;
  readonly history: HistoryNudge;
  readonly health: Health;
  readonly memory: RoutingMemory;
  readonly scanner: OutboxScanner;
  readonly floodPace: FloodPace;
  readonly settling: SettleWatch;
  readonly slowSenders: SlowSenders;
  readonly deferral: DeferralSchedule;
  readonly reported: ReportedStrays;
  readonly doorbells: DoorbellEvents;
  readonly doorbellReader: DoorbellReader;
  readonly handled: HandledLetters;
  /** Who owes whom an answer, as far back as the log was recalled. */
  readonly obligations: Obligations;
  /** When agents were last heard of, and how much passes. */
  readonly activity: Activity;
  readonly accepted: AcceptedLetters;
  /** Told of every row as it is written. */
  readonly onRows: (rows: readonly LogRow[]) => void;
  /** Batches that this router committed and that its memory knows of. */
  readonly committed: Set<string>;
  /** Which version of hive.json, registry.json and `agents/` was read last. */
  readonly seen: SeenFiles;
  /** Rows that belong to no batch, written at the end of the pass. */
  readonly pendingEvents: PendingEvents;
  /** Results of requests that were carried out and could not be answered yet. */
  readonly unanswered: Map<string, ControlResult>;
  /** Agents whose directory could not be made whole yet. */
  incomplete: Set<AgentId>;
  /** Monotonic: when letters for the person are looked at again. */
  personLookMs: number;
  settings: HiveSettings;
  /** The numbers of {@link settings} that routing goes by. */
  rules: RoutingRules;
  /** The last good roster; nothing while there has never been one. */
  census: Census | undefined;
  /** Agents whose hold may have ended, so that `held/` is looked at. */
  recheckHeld: boolean;
  /** How often in a row something in `held/` could not be read, and when to look again; monotonic. */
  heldRetry: { failures: number; atMs: number };
}

/** The roster as stored and as routing knows it. */
export interface Census {
  registry: Registry;
  roster: Roster;
}
