import { LogReader } from '../log/log-reader.ts';
import { type ReadLogOptions, rowsOf } from '../log/read-log.ts';
import { compileFilter } from '../log/row-filter.ts';
import { logPlace } from '../log/segments.ts';
import type { LogRow } from '../protocol/event.ts';
import { Past, type PastOptions } from './past.ts';
import { PastLog, reachesBack } from './past-log.ts';

/**
 * Yields rows of the log, oldest first, also of segments that the hive has no more and its history has.
 * @throws HivemailError `usage` for a time in the filter that is none
 */
export async function* readPastRows(
  options: PastOptions,
  wanted: ReadLogOptions = {},
): AsyncGenerator<LogRow> {
  const { since, until, names } = compileFilter(wanted.filter);
  const sinceMs = since === undefined ? 0 : Date.parse(since);
  const here = new LogReader(options.fs, logPlace(options.layout));
  if (reachesBack(here, sinceMs)) return yield* rowsOf(here, wanted);
  await using past = await Past.open(options);
  using log = new PastLog(options, past);
  const untilMs = until === undefined ? undefined : Date.parse(until);
  yield* rowsOf(await log.reaching({ sinceMs, untilMs, names }), wanted);
}
