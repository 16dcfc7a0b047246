/**
 * Has every closed segment of the log tell what it names, so that looking something up need not read it
 * (log/segment-names.ts). Apart from deliveries, a slice at a time with a rest after each. A router that
 * ends in between has written less, and what it has written is a hint and no more.
 */
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { versionOf } from '../hive/file-version.ts';
import { namesIn } from '../hive/names-in.ts';
import { randomTail } from '../hive/random.ts';
import { replaceFile } from '../hive/replace-file.ts';
import {
  type ClosedSegment,
  collectSegmentNames,
  namesFileOf,
  readSegmentNames,
} from '../log/segment-names.ts';
import { listSegments } from '../log/segments.ts';
import { systemCode } from '../protocol/errors.ts';
import type { Router } from './router.ts';

const ROUND_MS = 30_000;
/** After a slice, which takes about two milliseconds. */
const REST_MS = 20;

/** See the head of this file. */
export class SegmentNaming {
  readonly #router: Pick<Router, 'fs' | 'layout' | 'clock'>;
  readonly #signal: AbortSignal;
  /** Segments that are known to have their names, by their versions. */
  readonly #named = new Map<string, string>();
  #dueAtMs = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;

  /** @param signal - ends what is under way */
  constructor(router: Pick<Router, 'fs' | 'layout' | 'clock'>, signal: AbortSignal) {
    [this.#router, this.#signal] = [router, signal];
  }

  /**
   * Begins to look for segments that lack their names when it is time to. The pass need not wait for it.
   * @throws what is no error of the machine
   */
  async stepIfDue(): Promise<void> {
    const nowMs = this.#router.clock.monotonic();
    if (this.#running !== undefined || nowMs < this.#dueAtMs || this.#signal.aborted) return;
    this.#running = this.#round();
    try {
      await this.#running;
    } catch (error) {
      // The machine refuses, or the router ends; without them all is read.
      if (systemCode(error) === undefined) throw error;
    } finally {
      this.#dueAtMs = this.#router.clock.monotonic() + ROUND_MS;
      this.#running = undefined;
    }
  }

  /** Settles when nothing is under way any more. */
  async settled(): Promise<void> {
    await this.#running?.catch(() => undefined);
  }

  async #round(): Promise<void> {
    const { fs, layout } = this.#router;
    const paths = listSegments(fs, layout.logSegments);
    this.#removeLeftOver(paths);
    for (const path of paths) {
      const stat = fs.stat(path);
      const version = versionOf(stat);
      if (stat?.kind !== 'file' || this.#named.get(path) === version) continue;
      const segment = { path, sizeBytes: stat.sizeBytes, mtimeNs: stat.mtimeNs };
      if (readSegmentNames(fs, segment) === undefined) await this.#write(segment);
      this.#named.set(path, version);
    }
  }

  async #write(segment: ClosedSegment): Promise<void> {
    const { fs } = this.#router;
    const collecting = collectSegmentNames(fs, segment);
    for (;;) {
      const { done, value } = collecting.next();
      if (done === true) return await replaceFile(fs, namesFileOf(segment.path), value, randomTail);
      await pause(REST_MS, undefined, { signal: this.#signal });
    }
  }

  /** Removes what tells of segments that are gone. */
  #removeLeftOver(paths: readonly string[]): void {
    const { fs, layout } = this.#router;
    const told = new Set(paths.map((path) => basename(namesFileOf(path))));
    for (const name of namesIn(fs, layout.logSegments)) {
      if (/^\d{12}(-\d+)?\.names$/.test(name) && !told.has(name))
        fs.unlink(join(layout.logSegments, name));
    }
    for (const path of this.#named.keys()) if (!paths.includes(path)) this.#named.delete(path);
  }
}
