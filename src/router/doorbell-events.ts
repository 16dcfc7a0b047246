/**
 * Takes what the hooks of agents leave in `.doorbell/events/` into the log: what a session was told of,
 * and where a person has to decide. Apart from delivery, a few files at a time.
 *
 * Invariants: who wrote such a file is not known, so no link is followed, nothing is waited for, and all
 * that is read is bounded and checked; a file that is no event is removed, which its owner's row in the
 * log tells once. A row is written before its file goes. One that was cut off in between is known by the
 * name of its file, which stands in the row, as far back as the log was read at the start.
 */
import { join } from 'node:path';
import { announcedNote, type DoorbellEvent } from '../doorbell/events.ts';
import { MOST_EVENT_BYTES, parseEvent, parseEventName } from '../doorbell/read-event.ts';
import { AnchoredPaths } from '../hive/anchored-paths.ts';
import type { FileStat, HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { systemError } from '../hive/write-file.ts';
import type { EventLog } from '../log/event-log.ts';
import { rowKey } from '../log/rows.ts';
import type { AgentId } from '../protocol/addresses.ts';
import type { Clock } from '../protocol/clock.ts';
import { systemCode } from '../protocol/errors.ts';
import type { HiveEvent, LogRow } from '../protocol/event.ts';
import type { RoutingMemory } from '../routing/memory.ts';
import { DoorbellRounds, type Look } from './doorbell-rounds.ts';
import type { Health } from './health.ts';

/** Files of one agent that one look takes. */
const MOST_FILES = 64;
/** Rows of one look, over all agents; what is left waits for the next. */
const MOST_ROWS = 2000;
/** Rows that are remembered; a file outlives its rows only where it can't be removed. */
const MOST_WRITTEN = 20_000;

/** Not the machine's trouble but what stands there: a link, a pipe, a directory, a locked file. */
const NO_EVENT = new Set(['ELOOP', 'EINVAL', 'EISDIR', 'EACCES', 'ENXIO']);

/** An event, and the file that it was read from. */
interface Taken {
  agent: AgentId;
  file: string;
  rows: HiveEvent[];
}

/** What of a router the events are taken with. */
export interface EventsContext {
  fs: HiveFs;
  layout: HiveLayout;
  clock: Clock;
  log: EventLog;
  health: Health;
  memory: RoutingMemory;
  /** Rows for the pass to write. */
  pendingEvents: { push(event: HiveEvent): void };
  onRows: (rows: readonly LogRow[]) => void;
}

interface Files {
  fs: HiveFs;
  paths: AnchoredPaths;
}

/** See the head of this file. */
export class DoorbellEvents {
  readonly #rounds = new DoorbellRounds();
  readonly #written: Set<string>;
  readonly #told = new Set<AgentId>();
  /** The log could not be written after this row, so what stands behind it has to be looked at. */
  #unsureAfter: number | undefined;

  /** @param rows - the end of the log, as the router remembers by it */
  constructor(rows: Iterable<LogRow>) {
    this.#written = new Set([...rows].filter(isOfDoorbell).map(rowKey));
  }

  /** Looks at the doorbells whose turn it is, and logs what is new in them. */
  async take(agents: readonly AgentId[], router: EventsContext): Promise<void> {
    const { clock, fs, layout } = router;
    const due = this.#rounds.due(router, agents, clock.monotonic());
    if (due.length === 0) return;
    using paths = new AnchoredPaths(fs, layout);
    const taken: Taken[] = [];
    let rows = 0;
    for (const look of due) {
      if (rows < MOST_ROWS) taken.push(...this.#collect(look, router, paths));
      else this.#rounds.lookAgain(look.agent);
      rows = taken.reduce((sum, each) => sum + each.rows.length, 0);
    }
    if (taken.length > 0 && (await this.#write(taken, router))) {
      for (const { agent, file } of taken) this.#remove({ agent, file }, { fs, paths });
    }
  }

  #collect(look: Look, router: EventsContext, paths: AnchoredPaths): Taken[] {
    const { agent } = look;
    const key = `doorbell/${agent}`;
    try {
      if (look.problem !== undefined) throw systemError(look.problem, 'lstat', 'as before');
      const taken = look.isThere ? this.#list(agent, router, paths) : [];
      router.health.clear(key);
      return taken;
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      if (code === 'ENOENT') return [];
      this.#rounds.lookAgain(agent);
      const message = `The doorbell of ${agent} can't be read (${code}): the log lacks what its sessions were told. Mail flows.`;
      router.health.report(key, { red: false, message });
      return [];
    }
  }

  #list(agent: AgentId, router: EventsContext, paths: AnchoredPaths): Taken[] {
    const { fs, clock } = router;
    const dir = paths.of(agent, 'doorbellEvents');
    const names = fs.list(dir, MOST_FILES + 1).sort();
    if (names.length > MOST_FILES) this.#rounds.lookAgain(agent);
    return names.slice(0, MOST_FILES).flatMap((file) => {
      if (file.startsWith('.')) return removeIfOld(fs, join(dir, file), clock.now());
      return this.#read({ agent, file }, router, paths) ?? [];
    });
  }

  #read(
    { agent, file }: { agent: AgentId; file: string },
    router: EventsContext,
    paths: AnchoredPaths,
  ): Taken | undefined {
    const name = parseEventName(file);
    const event = name === undefined ? 'none' : readEvent(router.fs, pathOf(agent, file, paths));
    if (event === undefined) return undefined;
    if (event !== 'none' && name !== undefined) {
      const rows = rowsOf(event, agent, name).filter((row) => isPossible(row, agent, router));
      return { agent, file, rows };
    }
    this.#remove({ agent, file }, { fs: router.fs, paths });
    if (this.#told.has(agent)) return undefined;
    this.#told.add(agent);
    const note = `Something in agents/${agent}/.doorbell/events is no event of a doorbell. It was taken away, and so is what follows.`;
    router.pendingEvents.push({ kind: 'warning', code: 'doorbell-event', from: agent, note });
    return undefined;
  }

  /** @returns whether all of them stand in the log */
  async #write(taken: readonly Taken[], { log, health, onRows }: EventsContext): Promise<boolean> {
    const before = log.seq;
    try {
      const unsure = this.#unsureAfter;
      const logged = unsure === undefined ? new Set<string>() : log.keysAfter(unsure);
      const all = new Map(taken.flatMap((each) => each.rows).map((row) => [rowKey(row), row]));
      const isNew = (key: string): boolean => !this.#written.has(key) && !logged.has(key);
      const rows = await log.append([...all].flatMap(([key, row]) => (isNew(key) ? [row] : [])));
      this.#unsureAfter = undefined;
      this.#remember(all.keys());
      if (rows.length > 0) health.clear('log');
      onRows(rows);
      return true;
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined || code === 'fenced') throw error;
      this.#unsureAfter ??= before;
      for (const { agent } of taken) this.#rounds.lookAgain(agent);
      const message = `log.jsonl can't be written (${code}).`;
      health.report('log', { red: true, message });
      return false;
    }
  }

  #remember(keys: Iterable<string>): void {
    for (const key of keys) this.#written.add(key);
    for (const key of this.#written) {
      if (this.#written.size <= MOST_WRITTEN) break;
      this.#written.delete(key);
    }
  }

  #remove({ agent, file }: { agent: AgentId; file: string }, { fs, paths }: Files): void {
    const path = pathOf(agent, file, paths);
    try {
      if (fs.stat(path)?.kind === 'directory') fs.rmdir(path);
      else fs.unlink(path);
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      // A directory that holds something stays where it is: nobody looks into it.
      if (code !== 'ENOENT' && code !== 'ENOTEMPTY') this.#rounds.lookAgain(agent);
    }
  }
}

function isOfDoorbell({ kind }: HiveEvent): boolean {
  return kind === 'announced' || kind === 'needs-human';
}

function pathOf(agent: AgentId, file: string, paths: AnchoredPaths): string {
  return join(paths.of(agent, 'doorbellEvents'), file);
}

/** Reads an event; `none` for what holds none, nothing for what is gone by now. */
function readEvent(fs: HiveFs, path: string): DoorbellEvent | 'none' | undefined {
  try {
    const { bytes, stat } = fs.read(path, MOST_EVENT_BYTES);
    if (stat.sizeBytes > MOST_EVENT_BYTES) return 'none';
    return parseEvent(Buffer.from(bytes).toString('utf8')) ?? 'none';
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'ENOENT') return undefined;
    if (NO_EVENT.has(code)) return 'none';
    throw error;
  }
}

const TEMPORARY = /^\.tmp-(\d{1,16})-[0-9a-z]{8}$/;
const OLD_MS = 3_600_000;

/** A hook that was killed may have left its temporary file; its name tells when. */
function removeIfOld(fs: HiveFs, path: string, now: number): [] {
  const written = Number(TEMPORARY.exec(path.slice(path.lastIndexOf('/') + 1))?.[1] ?? now);
  const kind: FileStat['kind'] | undefined =
    now - written > OLD_MS ? fs.stat(path)?.kind : undefined;
  if (kind === 'file') fs.unlink(path);
  return [];
}

/** One row for each letter, so that a letter's rows are found by its id. */
function rowsOf(event: DoorbellEvent, agent: AgentId, name: string): HiveEvent[] {
  const { at, client } = event;
  const batch = `${agent}:${name}`;
  if (event.kind === 'needs-human') {
    return [{ kind: event.kind, batch, from: agent, at, note: `${client}: ${event.what}` }];
  }
  const { moment: code, ids } = event;
  const note = announcedNote(event);
  return ids.map((id) => ({ kind: event.kind, batch, id, to: [agent], code, at, note }));
}

/** An agent is not told of letters that went to others, whatever it says. */
function isPossible({ id }: HiveEvent, agent: AgentId, { memory }: EventsContext): boolean {
  const known = memory.message(id ?? '');
  return known === undefined || known.to.includes(agent);
}
