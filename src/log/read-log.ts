import type { HiveFs } from '../hive/hive-fs.ts';
import type { LogRow } from '../protocol/event.ts';
import { type LogRange, LogReader } from './log-reader.ts';
import { type CompiledFilter, compileFilter, type RowFilter } from './row-filter.ts';
import type { LogPlace } from './segments.ts';

/** How far rows that are out of their order are looked for. */
const CAUTION_BYTES = 512 * 1024;

/** Which rows are to be read. */
export interface ReadLogOptions {
  filter?: RowFilter | undefined;
  /** Only so many of them, the latest; they are then looked for from the end. */
  last?: number | undefined;
}

/**
 * Yields rows of a log over all its segments, oldest first. Costs what the rows between the two times of
 * the filter cost, or those from the first of the last ones on; not what the log holds besides.
 * @throws HivemailError `usage` for a time in the filter that is none
 */
export function* readLog(fs: HiveFs, place: LogPlace, options?: ReadLogOptions): Generator<LogRow> {
  yield* rowsOf(new LogReader(fs, place), options);
}

/** Yields rows of a log that is open, as {@link readLog} does. */
export function* rowsOf(log: LogReader, { filter, last }: ReadLogOptions = {}): Generator<LogRow> {
  const wanted = compileFilter(filter);
  const range = rangeOf(log, wanted);
  if (last === undefined || last === Number.POSITIVE_INFINITY) {
    for (const row of log.rows(range)) if (wanted.passes(row)) yield row;
  } else {
    yield* lastRows(log, wanted, { ...range, last });
  }
}

/** Finds the part of a log that holds all rows which a filter lets pass, and others. */
export function rangeOf(log: LogReader, wanted: CompiledFilter): LogRange {
  const { needles, names } = wanted;
  return { from: startAt(log, wanted), to: endAt(log, wanted), needles, names };
}

function lastRows(
  log: LogReader,
  wanted: CompiledFilter,
  { last, ...range }: LogRange & { last: number },
): LogRow[] {
  const parts: LogRow[][] = [];
  let left = last;
  for (const { rows } of log.backwards(range)) {
    if (left <= 0) break;
    const passing = rows.filter(wanted.passes).slice(-left);
    parts.unshift(passing);
    left -= passing.length;
  }
  return parts.flat();
}

/**
 * Finds where the rows of a time begin. A clock that was set back puts later times before earlier ones;
 * so half a megabyte before the place found is looked at too, and more before each such row.
 */
function startAt(log: LogReader, { since }: CompiledFilter): number {
  if (since === undefined) return 0;
  let start = log.seek(({ ts }) => ts < since);
  for (const { rows, from } of log.backwards({ to: start })) {
    if (rows.some(({ ts }) => ts >= since)) start = from;
    else if (start - from >= CAUTION_BYTES) break;
  }
  return start;
}

/** Finds where the rows of a time end, with the same caution. */
function endAt(log: LogReader, { until }: CompiledFilter): number {
  if (until === undefined) return log.sizeBytes;
  let end = log.seek(({ ts }) => ts <= until);
  for (const { rows, to } of log.stretches({ from: end })) {
    if (rows.some(({ ts }) => ts <= until)) end = to;
    else if (to - end >= CAUTION_BYTES) break;
  }
  return end;
}
