import type { Dialogue } from '../hive/process-run.ts';
import { largeFileStream } from './import-stream.ts';
import { LOG, type RecordedSegment, segmentMessage } from './log-segments.ts';
import { importInto, type Repository, readTip } from './recorder.ts';

/** A closed segment of the log that is to be kept in the history. */
export interface SegmentToRecord extends RecordedSegment {
  /** What it names, as the file beside it has it; recorded with it. */
  names: Uint8Array;
  /** Reads its bytes, a stretch at a time. */
  stretches(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Names the file of the history that tells what a segment names. */
export function recordedNamesOf(name: string): string {
  return name.replace(/\.jsonl$/, '.names');
}

/**
 * Records a segment of the log in a commit of its own. It goes through memory in stretches, here and in
 * git, which keeps what is as large as it is: `core.bigFileThreshold`.
 * @param now - milliseconds since the epoch
 * @throws HivemailError `git`; the system's error. Then nothing of it is recorded
 */
async function recordSegment(
  repository: Repository,
  segment: SegmentToRecord,
  { now, signal }: { now: number; signal?: AbortSignal },
): Promise<void> {
  const tip = await readTip(repository, signal);
  const { name, sizeBytes, names } = segment;
  const commit = {
    message: segmentMessage(segment),
    atMs: now,
    changes: [{ path: `${LOG}/${recordedNamesOf(name)}`, bytes: names }],
  };
  const large = { path: `${LOG}/${name}`, sizeBytes, stretches: segment.stretches() };
  const dialogue: Dialogue = () => largeFileStream(commit, large, tip);
  await importInto(repository, dialogue, { signal, paced: true });
}

/** Keeps a segment that is to be recorded until it is. */
export class SegmentHistory {
  #offered: SegmentToRecord | undefined;

  /** Takes a segment on; one that was offered before and not recorded is forgotten. */
  offer(segment: SegmentToRecord): void {
    this.#offered = segment;
  }

  /**
   * Records what was offered. What fails is not tried again unless it is offered again: mail must not wait
   * for a segment that can't be read.
   */
  async record(repository: Repository, when: { now: number; signal?: AbortSignal }): Promise<void> {
    const segment = this.#offered;
    this.#offered = undefined;
    if (segment !== undefined) await recordSegment(repository, segment, when);
  }
}
