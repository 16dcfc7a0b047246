import type { Readable } from 'node:stream';
import { ByteReader } from './byte-reader.ts';
import type { ReadingGit } from './git.ts';

/** Where the history keeps segments of the log that the hive has no more. */
export const LOG = 'log';

/** From which row to which a segment of the log goes. */
export interface SegmentSpan {
  firstSeq: number;
  lastSeq: number;
  /** ISO 8601, UTC: the earliest and the latest time of its rows. */
  firstTime: string;
  lastTime: string;
  sizeBytes: number;
}

/** A segment of the log as a commit tells of it. */
export interface RecordedSegment extends SegmentSpan {
  /** Its name below `log/` in the history. */
  name: string;
}

const MARK = 'Log-Segment';
const NAME = /^\d{12}(-\d+)?\.jsonl$/;

/** Writes the commit message of a segment: a line for people, then trailers that say what is in it. */
export function segmentMessage(segment: RecordedSegment): string {
  const { name, firstSeq, lastSeq, firstTime, lastTime, sizeBytes } = segment;
  const day = (time: string): string => time.slice(0, 'YYYY-MM-DD'.length);
  const subject = `log: rows ${firstSeq} to ${lastSeq}, ${day(firstTime)} to ${day(lastTime)}`;
  const trailers = [
    `${MARK}: ${LOG}/${name}`,
    `Bytes: ${sizeBytes}`,
    `First-Seq: ${firstSeq}`,
    `Last-Seq: ${lastSeq}`,
    `First-Time: ${firstTime}`,
    `Last-Time: ${lastTime}`,
  ];
  return `${subject}\n\n${trailers.join('\n')}\n`;
}

/**
 * Lists the segments that the commits up to a tip have recorded, oldest first; reads none of them.
 * @param tip - the commit to go back from
 */
export async function findSegments(
  git: ReadingGit,
  tip: string,
  signal?: AbortSignal,
): Promise<RecordedSegment[]> {
  const found = new Map<string, RecordedSegment>();
  await git.run(['rev-list', `--grep=^${MARK}: ${LOG}/`, '--format=%B', '--reverse', tip], {
    dialogue: (output) => listen(output, found),
    signal,
    timeoutMs: Number.POSITIVE_INFINITY,
  });
  return [...found.values()];
}

/** Reads what git prints, and tells it nothing. */
async function* listen(
  output: Readable,
  found: Map<string, RecordedSegment>,
): AsyncGenerator<Uint8Array> {
  const lines = new ByteReader(output);
  let trailers = new Map<string, string>();
  const take = (): void => {
    const segment = parseTrailers(trailers);
    if (segment !== undefined) found.set(segment.name, segment);
  };
  for (let line = await lines.line(); line !== undefined; line = await lines.line()) {
    const [, key = '', value = ''] = /^([A-Z][A-Za-z-]+): (.*)$/.exec(line) ?? [];
    if (line.startsWith('commit ')) take();
    if (line.startsWith('commit ')) trailers = new Map();
    else if (key !== '') trailers.set(key, value);
  }
  take();
  yield* [];
}

function parseTrailers(trailers: ReadonlyMap<string, string>): RecordedSegment | undefined {
  const name = trailers.get(MARK)?.slice(`${LOG}/`.length) ?? '';
  const [sizeBytes, firstSeq, lastSeq] = ['Bytes', 'First-Seq', 'Last-Seq'].map((key) =>
    Number(trailers.get(key) ?? Number.NaN),
  ) as [number, number, number];
  const [firstTime = '', lastTime = ''] = ['First-Time', 'Last-Time'].map((key) =>
    trailers.get(key),
  );
  const isWhole = [sizeBytes, firstSeq, lastSeq].every(Number.isSafeInteger);
  const hasTimes = [firstTime, lastTime].every((time) => !Number.isNaN(Date.parse(time)));
  if (!NAME.test(name) || !isWhole || !hasTimes) return undefined;
  return { name, sizeBytes, firstSeq, lastSeq, firstTime, lastTime };
}
