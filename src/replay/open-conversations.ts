import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { readRegistry, rosterOf } from '../hive/registry.ts';
import { LogReader } from '../log/log-reader.ts';
import { rangeOf } from '../log/read-log.ts';
import { compileFilter } from '../log/row-filter.ts';
import { logPlace } from '../log/segments.ts';
import { foldCase } from '../protocol/addresses.ts';
import { HivemailError } from '../protocol/errors.ts';
import { type Obligation, Obligations } from '../routing/obligations.ts';
import type { Roster } from '../routing/roster.ts';

/** An answer that is owed, and whether anyone is there to give it. */
export interface OwedAnswer extends Obligation {
  /** The one who owes is archived: nobody works there. */
  archived: boolean;
}

/** A conversation in which someone owes an answer. */
export interface OpenConversation {
  conversation: string;
  /** ISO 8601, UTC: when the oldest of what is owed was asked. */
  since: string;
  /** Oldest first. */
  owed: OwedAnswer[];
}

/** Which open conversations are wanted. */
export interface OpenConversationsOptions {
  /** Only what this agent owes or is owed. */
  agent?: string | undefined;
  /** ISO 8601: only what was asked since then. */
  since?: string | undefined;
  /** Told how far the log is read, from 0 to 1. */
  onProgress?: ((share: number) => void) | undefined;
}

/**
 * Lists the conversations in which someone owes an answer, the longest open first, as the log tells it.
 * @throws HivemailError `usage` for a time that is none
 */
export function listOpenConversations(
  { fs, layout }: { fs: HiveFs; layout: HiveLayout },
  { since, agent, onProgress }: OpenConversationsOptions = {},
): OpenConversation[] {
  const roster = readRoster(fs, layout);
  const obligations = new Obligations({ most: Number.POSITIVE_INFINITY });
  const log = new LogReader(fs, logPlace(layout));
  const wanted = compileFilter({ since });
  for (const { rows, to } of log.stretches(rangeOf(log, wanted))) {
    for (const row of rows) obligations.note(row, roster?.orchestrator);
    onProgress?.(to / log.sizeBytes);
  }
  const name = agent === undefined ? undefined : foldCase(agent);
  const owed = obligations
    .open()
    .filter((each) => name === undefined || each.owes === name || each.to === name)
    .filter((each) => wanted.since === undefined || each.since >= wanted.since);
  return byConversation(owed, roster);
}

function byConversation(owed: readonly Obligation[], roster: Roster | undefined) {
  const open = new Map<string, OpenConversation>();
  for (const each of owed) {
    const { conversation, since } = each;
    const known = open.get(conversation) ?? { conversation, since, owed: [] };
    known.owed.push({ ...each, archived: isArchived(roster, each.owes) });
    open.set(conversation, known);
  }
  return [...open.values()];
}

function isArchived(roster: Roster | undefined, agent: string): boolean {
  const agents: ReadonlyMap<string, { archived: boolean }> = roster?.agents ?? new Map();
  return agents.get(agent)?.archived === true;
}

/** A roster that can't be read leaves open who is archived; what is owed is told all the same. */
function readRoster(fs: HiveFs, layout: HiveLayout): Roster | undefined {
  try {
    return rosterOf(readRegistry(fs, layout.registry));
  } catch (error) {
    if (!(error instanceof HivemailError)) throw error;
    return undefined;
  }
}
