import { formatRow, type LogRow, type RowFilter, systemClock } from '../../index.ts';
import type { Context } from '../context.ts';
import { type FilterOptions, parseFilter } from '../log-options.ts';

/** Options of `log`. `--agent` of the command line is a filter here. */
export interface LogOptions extends FilterOptions {
  follow?: true;
  lines?: number;
}

const LINES = 20;
const MOST_TIMER_MS = 2 ** 31 - 1;

/** Shows rows of the log: the last ones, or all of a time; on demand every row from then on. */
export async function log(context: Context, options: LogOptions): Promise<void> {
  const filter = parseFilter(options, context.options.agent, systemClock.now());
  const last = options.lines ?? (isBounded(filter) ? undefined : LINES);
  if (options.follow) return follow(context, filter, last);
  const rows = await read(context, filter, last);
  rows.forEach(printerOf(context, rows));
  if (rows.length === 0 && !context.json) context.note('No rows.');
}

async function follow(
  context: Context,
  filter: RowFilter,
  last: number | undefined,
): Promise<void> {
  const { hive } = context;
  const following = hive.follow({ filter, signal: endingAt(filter.until) });
  // Begins before the last rows are read, so that none is written in between; those seen twice are skipped.
  let next = following.next();
  const [newest] = [...hive.rows({ last: 1 })];
  const seen = newest?.seq ?? -1;
  const rows = (await read(context, filter, last)).filter(({ seq }) => seq <= seen);
  const print = printerOf(context, rows);
  rows.forEach(print);
  for (let step = await next; !step.done; step = await next) {
    if (step.value.seq > seen) print(step.value);
    next = following.next();
  }
}

/** Rows of a time may be in the history alone; the last ones are in the hive. */
async function read(
  { hive }: Context,
  filter: RowFilter,
  last: number | undefined,
): Promise<LogRow[]> {
  if (!isBounded(filter)) return [...hive.rows({ filter, last })];
  const rows: LogRow[] = [];
  for await (const row of hive.pastRows({ filter, last })) rows.push(row);
  return rows;
}

function isBounded({ since, until }: RowFilter): boolean {
  return since !== undefined || until !== undefined;
}

/** Ends the following when no row can pass any more. */
function endingAt(until: string | undefined): AbortSignal {
  if (until === undefined) return new AbortController().signal;
  const leftMs = Math.max(0, Date.parse(until) - systemClock.now());
  return AbortSignal.timeout(Math.min(leftMs, MOST_TIMER_MS));
}

function printerOf(context: Context, rows: readonly LogRow[]): (row: LogRow) => void {
  if (context.json) return (row) => context.printJson(row, 'line');
  const today = new Date(systemClock.now()).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const date = rows.some(({ ts }) => !ts.startsWith(today));
  const { color } = context;
  return (row) => context.printRow(formatRow(row, { color, date, width: context.width }));
}
