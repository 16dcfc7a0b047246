/**
 * Takes away what is done with and in the history: letters in `.done` and `.sent` that are old, and more
 * than an agent may keep. Never a letter in an inbox, in `held/` or owed, none that an answer is still owed
 * to, none that git does not hold word for word, and nothing at all while the history is in trouble.
 *
 * Apart from deliveries: one directory at a time, each once an hour, a few hundred files of it at once. A
 * router that ends in between has removed less, and nothing else.
 */
import { join } from 'node:path';
import type { HistoryState } from '../history/history.ts';
import type { HistoryReader } from '../history/history-reader.ts';
import { AnchoredPaths } from '../hive/anchored-paths.ts';
import { type AgentId, DESK } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import { parseDeferredName } from '../spool/publish.ts';
import { isRecorded, type Recorded, readRecorded } from './is-recorded.ts';
import { type OldLetter, pickOld } from './old-letters.ts';
import type { Router } from './router.ts';

const ROUND_MS = 3_600_000;
const AGAIN_MS = 2000;
/** Names of a directory that are looked at: listing more would hold up deliveries. */
const MOST_NAMES = 20_000;
const MOST_AT_ONCE = 200;
const PLACES = ['done', 'sent'] as const;

/** The history as retention needs it. */
export interface RetentionHistory {
  state(): Pick<HistoryState, 'ok' | 'behind'>;
  /** Opens a reader of it; nothing where there is none yet. */
  open(): Promise<(Pick<HistoryReader, 'messages' | 'original'> & AsyncDisposable) | undefined>;
}

interface Place {
  agent: AgentId;
  place: (typeof PLACES)[number];
}

/** See the head of this file. */
export class Retention {
  readonly #router: Router;
  readonly #history: RetentionHistory;
  #turn = 0;
  /** Of the directory whose turn it is, the letters up to this id were looked at. */
  #after = '';
  #dueAtMs: number | undefined;
  #running: Promise<void> | undefined;

  constructor(router: Router, history: RetentionHistory) {
    this.#router = router;
    this.#history = history;
  }

  /**
   * Begins to look at the next directory when it is time to. The pass need not wait for it.
   * @throws what is no error of the machine or of git
   */
  async stepIfDue(): Promise<void> {
    const nowMs = this.#router.clock.monotonic();
    // Asked in every pass: the places are listed only when one of them has its turn.
    if (this.#running !== undefined || nowMs < (this.#dueAtMs ?? nowMs)) return;
    const places = this.#places();
    const everyMs = ROUND_MS / Math.max(1, places.length);
    this.#dueAtMs ??= nowMs + Math.min(everyMs, AGAIN_MS);
    if (nowMs < this.#dueAtMs) return;
    const place = places[this.#turn % Math.max(1, places.length)];
    if (place === undefined) return;
    this.#running = this.#step(place, everyMs);
    try {
      await this.#running;
    } finally {
      this.#running = undefined;
    }
  }

  /** Settles when nothing is under way any more. */
  async settled(): Promise<void> {
    await this.#running?.catch(() => undefined);
  }

  #places(): Place[] {
    const agents = [...(this.#router.census?.roster.agents.keys() ?? []), DESK];
    return agents.flatMap((agent) => PLACES.map((place) => ({ agent, place })));
  }

  async #step(place: Place, everyMs: number): Promise<void> {
    const { clock } = this.#router;
    let again = false;
    try {
      again = await this.#clean(place);
    } catch (error) {
      // The machine or git refuses; the next hour looks again.
      if (systemCode(error) === undefined) throw error;
    }
    if (!again) {
      this.#turn += 1;
      this.#after = '';
    }
    this.#dueAtMs = clock.monotonic() + (again ? Math.min(everyMs, AGAIN_MS) : everyMs);
  }

  /** @returns whether there is more to look at in the same directory */
  async #clean({ agent, place }: Place): Promise<boolean> {
    const { settings, clock } = this.#router;
    const { handledMs, handledLetters } = settings.retention;
    const { ok, behind } = this.#history.state();
    if (handledMs === 0 || !ok || behind > 0) return false;
    const sinceMs = clock.now() - handledMs;
    const names = this.#names(agent, place);
    const all = pickOld(names, place, { letters: handledLetters, sinceMs });
    const old = all.filter(({ id }) => id > this.#after);
    const some = old.slice(0, MOST_AT_ONCE);
    const last = some.at(-1);
    if (last === undefined) return false;
    await using history = await this.#history.open();
    if (history === undefined) return false;
    const recorded = await readRecorded(history, some);
    this.#tell(this.#remove(some, recorded, { agent, place, sinceMs }), { agent, place });
    this.#after = last.id;
    return old.length > some.length;
  }

  #tell(removed: number, { agent, place }: Place): void {
    if (removed === 0) return;
    const where = place === 'done' ? 'handled' : 'sent';
    const note = `${removed} letters that ${agent} had ${where} were taken out of its directory; the history has them.`;
    this.#router.pendingEvents.push({ kind: 'router', code: 'retention', note });
  }

  #names(agent: AgentId, place: Place['place']): string[] {
    using paths = new AnchoredPaths(this.#router.fs, this.#router.layout);
    try {
      return this.#router.fs.list(paths.of(agent, place), MOST_NAMES);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return [];
    }
  }

  /** Ids of letters that someone is still to get, or to answer. */
  #spokenFor(): Set<string> {
    const { fs, layout, epoch, obligations } = this.#router;
    const ids = new Set(obligations.open().map(({ id }) => id));
    for (const name of fs.list(epoch.deferred)) {
      const id = parseDeferredName(name)?.id;
      if (id !== undefined) ids.add(id);
    }
    for (const holder of fs.list(layout.held)) {
      const dir = join(layout.held, holder);
      if (fs.stat(dir)?.kind !== 'directory') continue;
      for (const name of fs.list(dir)) ids.add(name.replace(/\.json$/, ''));
    }
    return ids;
  }

  /** Reached anew, and no wait from the look at a file to its end: the directory may be another by now. */
  #remove(
    letters: readonly OldLetter[],
    recorded: readonly Recorded[],
    at: Place & { sinceMs: number },
  ): number {
    const { fs, layout } = this.#router;
    const spoken = this.#spokenFor();
    using paths = new AnchoredPaths(fs, layout);
    let removed = 0;
    for (const [index, letter] of letters.entries()) {
      const known = recorded[index];
      const dir = paths.of(at.agent, at.place);
      if (known === undefined || spoken.has(letter.id)) continue;
      if (!isRecorded(fs, letter, { ...at, dir }, known)) continue;
      fs.unlink(join(dir, letter.name));
      removed += 1;
    }
    return removed;
  }
}
