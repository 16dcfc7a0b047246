import type { HiveFs } from '../hive/hive-fs.ts';
import type { LogRow } from '../protocol/event.ts';
import { readRows } from './rows.ts';
import type { ClosedSegment } from './segment-names.ts';

const SLICE_BYTES = 128 * 1024;
const STRETCH_BYTES = 256 * 1024;

/** From which row to which a segment goes; times in ISO 8601, UTC. */
export interface RowSpan {
  firstSeq: number;
  lastSeq: number;
  /** The earliest and the latest: a clock may have been set back in between. */
  firstTime: string;
  lastTime: string;
}

/**
 * Finds out from which row to which a segment goes, a slice at a time.
 * @returns after each slice nothing; at the end the span, or nothing when there is no row
 */
export function* scanSegment(
  fs: HiveFs,
  { path, sizeBytes }: ClosedSegment,
): Generator<undefined, RowSpan | undefined> {
  let span: RowSpan | undefined;
  for (let at = 0; at < sizeBytes; ) {
    const { rows, to } = readRows(fs, path, at, SLICE_BYTES);
    if (to <= at) break;
    for (const row of rows) span = widened(span, row);
    at = to;
    yield undefined;
  }
  return span;
}

function widened(span: RowSpan | undefined, { seq, ts }: LogRow): RowSpan {
  if (span === undefined) return { firstSeq: seq, lastSeq: seq, firstTime: ts, lastTime: ts };
  return {
    firstSeq: Math.min(span.firstSeq, seq),
    lastSeq: Math.max(span.lastSeq, seq),
    firstTime: ts < span.firstTime ? ts : span.firstTime,
    lastTime: ts > span.lastTime ? ts : span.lastTime,
  };
}

/** Reads the bytes of a segment, a stretch at a time; fewer when it was cut meanwhile. */
export function* segmentBytes(
  fs: HiveFs,
  { path, sizeBytes }: ClosedSegment,
): Generator<Uint8Array> {
  for (let at = 0; at < sizeBytes; ) {
    const { bytes } = fs.read(path, Math.min(STRETCH_BYTES, sizeBytes - at), at);
    if (bytes.length === 0) return;
    yield bytes;
    at += bytes.length;
  }
}
