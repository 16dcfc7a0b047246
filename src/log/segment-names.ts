/**
 * What a closed segment of the log names, in a small file beside it: `log/<seq>.names`. Who looks for a
 * message or a conversation need not read the segments that can't name it.
 *
 * A hint, never truth: what is missing, torn, altered or made of another file counts as not there, and the
 * segment is read. It is made of whole segments alone, which nobody writes any more, and says of which.
 */
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import type { FileStat, HiveFs } from '../hive/hive-fs.ts';
import { systemCode } from '../protocol/errors.ts';
import type { LogRow } from '../protocol/event.ts';
import { NameFilter } from './name-filter.ts';
import { readRows } from './rows.ts';

/** A segment that is written no more. */
export interface ClosedSegment extends Pick<FileStat, 'sizeBytes' | 'mtimeNs'> {
  /** Absolute path. */
  path: string;
}

const SLICE_BYTES = 128 * 1024;
/** A letter takes some 500 bytes of a log, and has one or two names: twenty bits or more for each. */
const SEGMENT_BYTES_A_BYTE = 128;
const LEAST_BYTES = 64;
const MOST_HEAD_BYTES = 1024;
const LINE_FEED = 0x0a;

/** Names the file that tells what a segment names. */
export function namesFileOf(segment: string): string {
  return segment.replace(/\.jsonl$/, '.names');
}

/** What a row can be found by: the messages it is about, and their conversation. */
function namesIn({ id, of, in_reply_to: parent, conversation }: LogRow): string[] {
  return [id, of, parent, conversation].filter((name) => typeof name === 'string');
}

/** Reads what a segment names; nothing when that is not known. */
export function readSegmentNames(fs: HiveFs, segment: ClosedSegment): NameFilter | undefined {
  const most = filterBytes(segment) + MOST_HEAD_BYTES;
  try {
    return parseSegmentNames(fs.read(namesFileOf(segment.path), most).bytes, segment);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

/**
 * Takes what a segment names out of the content of the file beside it.
 * @returns nothing when it is cut or altered, or was made of another state of the segment
 */
export function parseSegmentNames(
  bytes: Uint8Array,
  segment: ClosedSegment,
): NameFilter | undefined {
  const end = bytes.indexOf(LINE_FEED) + 1;
  const filter = bytes.subarray(end);
  const isWhole = Buffer.from(bytes.subarray(0, end)).toString() === headOf(segment, filter);
  return isWhole && filter.length === filterBytes(segment) ? new NameFilter(filter) : undefined;
}

/** Writes the content of the file beside a segment. */
export function renderSegmentNames(segment: ClosedSegment, { bytes }: NameFilter): Uint8Array {
  return Buffer.concat([Buffer.from(headOf(segment, bytes)), bytes]);
}

/**
 * Collects what a segment names, a slice at a time: reading all of it at once would hold up deliveries.
 * @returns after each slice nothing; at the end the content of the file beside it
 * @throws the system's error
 */
export function* collectSegmentNames(
  fs: HiveFs,
  segment: ClosedSegment,
): Generator<undefined, Uint8Array> {
  const filter = new NameFilter(new Uint8Array(filterBytes(segment)));
  for (let at = 0; at < segment.sizeBytes; ) {
    const { rows, to } = readRows(fs, segment.path, at, SLICE_BYTES);
    if (to <= at) break;
    for (const row of rows) for (const name of namesIn(row)) filter.add(name);
    at = to;
    yield undefined;
  }
  return renderSegmentNames(segment, filter);
}

/** Says of which file a filter was made, and what the filter is. */
function headOf({ path, sizeBytes, mtimeNs }: ClosedSegment, filter: Uint8Array): string {
  const head = { version: 1, segment: basename(path), sizeBytes, mtimeNs: String(mtimeNs) };
  return `${JSON.stringify({ ...head, filterBytes: filter.length, crc32: crc32(filter) })}\n`;
}

function filterBytes({ sizeBytes }: ClosedSegment): number {
  return Math.max(LEAST_BYTES, Math.ceil(sizeBytes / SEGMENT_BYTES_A_BYTE));
}
