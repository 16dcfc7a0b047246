/**
 * Takes old segments out of `log/` once the history has them: the oldest first, one at a time. It is
 * recorded in git with what it names, then read back out of git byte for byte, and only then removed. So it
 * is in its place, in git, or in both, wherever a router ends; readers take the file while it is there.
 *
 * Apart from deliveries, in slices, and not at all while the history is in trouble. What a router that
 * begins anew remembers by is never taken: the last megabytes of the log.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { History, HistoryState } from '../history/history.ts';
import type { HistoryReader } from '../history/history-reader.ts';
import { versionOf } from '../hive/file-version.ts';
import { removeFile } from '../hive/remove-file.ts';
import { readTail } from '../log/rows.ts';
import { type RowSpan, scanSegment, segmentBytes } from '../log/scan-segment.ts';
import {
  type ClosedSegment,
  namesFileOf,
  readSegmentNames,
  renderSegmentNames,
} from '../log/segment-names.ts';
import { listSegments } from '../log/segments.ts';
import { systemCode } from '../protocol/errors.ts';
import { MEMORY_TAIL_BYTES } from './assemble-router.ts';
import type { Router } from './router.ts';

const ROUND_MS = 3_600_000;
const FIRST_MS = 60_000;
const AGAIN_MS = 10_000;
const REST_MS = 10;
const TAIL_BYTES = 64 * 1024;
/** The history as keeping the log in it takes. */
export interface LogRetentionHistory extends Pick<History, 'recordSegment'> {
  state(): Pick<HistoryState, 'ok' | 'behind'>;
  /** Opens a reader of it; nothing where there is none yet. */
  open(): Promise<
    (Pick<HistoryReader, 'segmentFiles' | 'stretches'> & AsyncDisposable) | undefined
  >;
}

/** What it is told besides. */
export interface LogRetentionOptions {
  /** Ends what is under way. */
  signal: AbortSignal;
  /** So much of the log's end always stays, in bytes. */
  keepBytes?: number;
}

interface Oldest extends ClosedSegment {
  version: string;
}

/** See the head of this file. */
export class LogRetention {
  readonly #router: Pick<Router, 'fs' | 'layout' | 'clock' | 'settings' | 'pendingEvents'>;
  readonly #history: LogRetentionHistory;
  readonly #signal: AbortSignal;
  readonly #keepBytes: number;
  #dueAtMs: number | undefined;
  #running: Promise<void> | undefined;

  constructor(
    router: Pick<Router, 'fs' | 'layout' | 'clock' | 'settings' | 'pendingEvents'>,
    history: LogRetentionHistory,
    { signal, keepBytes = MEMORY_TAIL_BYTES }: LogRetentionOptions,
  ) {
    [this.#router, this.#history] = [router, history];
    [this.#signal, this.#keepBytes] = [signal, keepBytes];
  }

  /**
   * Begins to look at the oldest segment when it is time to. The pass need not wait for it.
   * @throws what is no error of the machine or of git
   */
  async stepIfDue(): Promise<void> {
    const nowMs = this.#router.clock.monotonic();
    this.#dueAtMs ??= nowMs + FIRST_MS;
    if (this.#running !== undefined || nowMs < this.#dueAtMs || this.#signal.aborted) return;
    this.#running = this.#step();
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

  async #step(): Promise<void> {
    let again = false;
    try {
      again = await this.#retain();
    } catch (error) {
      // The machine or git refuses, or the router ends; the next hour looks again.
      if (systemCode(error) === undefined) throw error;
    }
    this.#dueAtMs = this.#router.clock.monotonic() + (again ? AGAIN_MS : ROUND_MS);
  }

  /** @returns whether there may be more to do soon */
  async #retain(): Promise<boolean> {
    const { logMs } = this.#router.settings.retention;
    const { ok, behind } = this.#history.state();
    if (logMs === 0 || !ok || behind > 0) return false;
    const oldest = this.#oldest();
    const span = oldest && (await this.#spanIfPast(oldest, this.#router.clock.now() - logMs));
    if (oldest === undefined || span === undefined) return false;
    await using history = await this.#history.open();
    if (history === undefined) return false;
    const { name, isKept } = await this.#findIn(history, oldest);
    return isKept ? this.#remove(oldest, name, span) : this.#record(oldest, name, span);
  }

  /** Reads from where to where a segment goes; nothing when one of its rows is not old enough. */
  async #spanIfPast(segment: Oldest, sinceMs: number): Promise<RowSpan | undefined> {
    const { fs } = this.#router;
    const isPast = (time: string | undefined): boolean => Date.parse(time ?? '') < sinceMs;
    // Most often the last row says enough.
    if (!isPast(readTail(fs, segment.path, TAIL_BYTES).at(-1)?.ts)) return undefined;
    const span = await this.#resting(scanSegment(fs, segment));
    return isPast(span?.lastTime) ? span : undefined;
  }

  /** Has a segment recorded; the next look finds it in the history, unless that failed. */
  #record(segment: Oldest, name: string, span: RowSpan): boolean {
    const { fs } = this.#router;
    const filter = readSegmentNames(fs, segment);
    if (filter === undefined) return false;
    const names = renderSegmentNames({ ...segment, path: name, mtimeNs: 0n }, filter);
    const { sizeBytes } = segment;
    const stretches = () => segmentBytes(fs, segment);
    this.#history.recordSegment({ name, sizeBytes, ...span, names, stretches });
    return true;
  }

  /** Finds the oldest segment, if there is enough of the log without it. */
  #oldest(): Oldest | undefined {
    const { fs, layout } = this.#router;
    const [path, ...newer] = listSegments(fs, layout.logSegments);
    const stat = path === undefined ? undefined : fs.stat(path);
    if (path === undefined || stat?.kind !== 'file') return undefined;
    const sizes = [...newer, layout.log].map((each) => fs.stat(each)?.sizeBytes ?? 0);
    if (sizes.reduce((sum, size) => sum + size, 0) < this.#keepBytes) return undefined;
    return { path, sizeBytes: stat.sizeBytes, mtimeNs: stat.mtimeNs, version: versionOf(stat) };
  }

  /**
   * Looks under which name the history has a segment, or may have it: one that was begun anew after its
   * log was lost has the name of another.
   */
  async #findIn(
    history: Pick<HistoryReader, 'segmentFiles' | 'stretches'>,
    oldest: Oldest,
  ): Promise<{ name: string; isKept: boolean }> {
    const files = new Map((await history.segmentFiles()).map(({ name, oid }) => [name, oid]));
    const wanted = createHash('sha256');
    for (const bytes of segmentBytes(this.#router.fs, oldest)) {
      wanted.update(bytes);
      await this.#rest();
    }
    const digest = wanted.digest('hex');
    const stem = basename(oldest.path, '.jsonl');
    for (let copy = 0; ; copy++) {
      const name = `${stem.replace(/-\d+$/, '')}${suffixOf(stem, copy)}.jsonl`;
      const oid = files.get(name);
      if (oid === undefined) return { name, isKept: false };
      const kept = createHash('sha256');
      await history.stretches(oid, (stretch) => kept.update(stretch));
      if (kept.digest('hex') === digest) return { name, isKept: true };
    }
  }

  /** With no wait between the look at the file and its end: it is the one that was compared. */
  #remove({ path, version }: Oldest, name: string, span: RowSpan): boolean {
    const { fs, pendingEvents } = this.#router;
    if (versionOf(fs.stat(path)) !== version) return true;
    fs.unlink(path);
    const note = `Rows ${span.firstSeq} to ${span.lastSeq} of the log, up to ${span.lastTime}, were taken out of log/; the history has them as log/${name}.`;
    pendingEvents.push({ kind: 'router', code: 'retention', note });
    removeFile(fs, namesFileOf(path));
    return true;
  }

  async #resting<Result>(slices: Generator<undefined, Result>): Promise<Result> {
    for (;;) {
      const { done, value } = slices.next();
      if (done === true) return value;
      await this.#rest();
    }
  }

  async #rest(): Promise<void> {
    await pause(REST_MS, undefined, { signal: this.#signal });
  }
}

/** A segment that shares its first row with another has a number of its own; further ones follow it. */
function suffixOf(stem: string, copy: number): string {
  const own = Number(/-(\d+)$/.exec(stem)?.[1] ?? 0);
  return own + copy === 0 ? '' : `-${own + copy}`;
}
