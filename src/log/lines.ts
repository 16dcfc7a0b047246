import type { HiveFs } from '../hive/hive-fs.ts';

const LINE_FEED = 0x0a;

/** Reads at most so many bytes of a file from an offset on; fewer only at its end. */
export type ByteSource = (most: number, from: number) => Uint8Array;

/** Whole lines of a file, and where they begin and end. */
export interface LineStretch {
  bytes: Buffer;
  /** Offset in bytes of the first line. */
  from: number;
  /** Offset in bytes after the last one. */
  to: number;
}

/** Takes a file as a source of bytes. */
export function fileSource(fs: HiveFs, path: string): ByteSource {
  return (most, from) => fs.read(path, most, from).bytes;
}

/**
 * Reads whole lines.
 * @param from - offset in bytes; when it falls inside a line, reading begins at the next one
 * @param most - bytes at most; more where a single line is longer
 * @returns a stretch of no bytes when there is no whole line
 */
export function readLines(source: ByteSource, from: number, most: number): LineStretch {
  const begin = Math.max(0, from - 1);
  for (let wanted = Math.max(1, most); ; wanted *= 2) {
    const read = source(wanted, begin);
    const buffer = Buffer.from(read.buffer, read.byteOffset, read.byteLength);
    const lead = from === 0 ? 0 : buffer.indexOf(LINE_FEED) + 1;
    const end = buffer.lastIndexOf(LINE_FEED) + 1;
    if (end > lead && (from === 0 || lead > 0)) {
      return { bytes: buffer.subarray(lead, end), from: begin + lead, to: begin + end };
    }
    if (read.byteLength < wanted) {
      const none = Math.max(from, begin + lead);
      return { bytes: buffer.subarray(0, 0), from: none, to: none };
    }
  }
}

/**
 * Picks the lines that hold one of several texts, without decoding the others: a hundredth of what
 * parsing them costs.
 * @param needles - all lines when there are none
 * @returns lines in their order, each once, without their line feeds
 */
export function linesWith(bytes: Buffer, needles: readonly string[] = []): string[] {
  if (needles.length === 0) return bytes.toString('utf8').split('\n');
  const starts = new Set<number>();
  for (const needle of needles) addLinesWith(bytes, Buffer.from(needle), starts);
  return [...starts]
    .sort((a, b) => a - b)
    .map((start) => bytes.toString('utf8', start, endOfLine(bytes, start)));
}

function addLinesWith(bytes: Buffer, needle: Buffer, starts: Set<number>): void {
  for (let at = bytes.indexOf(needle); at >= 0; ) {
    starts.add(at === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, at - 1) + 1);
    at = bytes.indexOf(needle, endOfLine(bytes, at));
  }
}

function endOfLine(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(LINE_FEED, from);
  return end < 0 ? bytes.length : end;
}
