/**
 * Shows the log: its last rows, and on demand every row from then on. Reads back from the end in growing
 * stretches, so that a look at the last rows costs the same however long the log is.
 */
import { statSync } from 'node:fs';
import { formatRow, type LogRow, systemClock } from '../../index.ts';
import type { Context } from '../context.ts';
import { parseKinds, parseSince } from '../log-options.ts';

/** Options of `log`. `--agent` of the command line is a filter here. */
export interface LogOptions {
  follow?: true;
  kind?: string;
  since?: string;
  lines?: number;
}

const LINES = 20;
const FIRST_TAIL_BYTES = 256 * 1024;
const GROWTH = 8;

interface Filter {
  kinds: ReadonlySet<string> | undefined;
  agent: string | undefined;
  /** ISO 8601, UTC. */
  since: string | undefined;
}

/** Shows the log. */
export async function log(context: Context, options: LogOptions): Promise<void> {
  const { kind, since } = options;
  const filter: Filter = {
    kinds: kind === undefined ? undefined : parseKinds(kind),
    agent: context.options.agent?.toLowerCase(),
    since: since === undefined ? undefined : parseSince(since, systemClock.now()),
  };
  const most = options.lines ?? (since === undefined ? LINES : Number.POSITIVE_INFINITY);
  if (options.follow) return follow(context, filter, most);
  const rows = lastRows(context, filter, most);
  const print = printerOf(context, rows);
  rows.forEach(print);
  if (rows.length === 0 && !context.json) context.note('No rows.');
}

async function follow(context: Context, filter: Filter, most: number): Promise<void> {
  const following = context.hive.follow(new AbortController().signal);
  // Begins before the last rows are read, so that none is written in between; those seen twice are skipped.
  let next = following.next();
  const seen = newestSeq(context);
  const rows = lastRows(context, filter, most);
  const print = printerOf(context, rows);
  rows.filter(({ seq }) => seq <= seen).forEach(print);
  for (let step = await next; !step.done; step = await next) {
    const row = step.value;
    if (row.seq > seen && passes(row, filter)) print(row);
    next = following.next();
  }
}

/** Sequence number of the last row that is there now. */
function newestSeq({ hive }: Context): number {
  let seq = -1;
  for (const row of hive.rows({ tailBytes: FIRST_TAIL_BYTES })) seq = row.seq;
  return seq;
}

function lastRows({ hive }: Context, filter: Filter, most: number): LogRow[] {
  const sizeBytes = statSync(hive.layout.log, { throwIfNoEntry: false })?.size ?? 0;
  for (let tailBytes = FIRST_TAIL_BYTES; ; tailBytes *= GROWTH) {
    const { rows, reachesBack } = wantedRows(hive.rows({ tailBytes }), filter, most);
    if (reachesBack || tailBytes >= sizeBytes) return rows;
  }
}

/**
 * Picks the last rows that are wanted.
 * @returns them, and whether no earlier row of the log could be among them
 */
function wantedRows(
  all: Iterable<LogRow>,
  filter: Filter,
  most: number,
): { rows: LogRow[]; reachesBack: boolean } {
  const rows: LogRow[] = [];
  let isBeforeSince = false;
  for (const row of all) {
    isBeforeSince ||= filter.since !== undefined && row.ts < filter.since;
    if (!passes(row, filter)) continue;
    rows.push(row);
    if (rows.length > most) rows.shift();
  }
  return { rows, reachesBack: rows.length >= most || isBeforeSince };
}

function passes(row: LogRow, { kinds, agent, since }: Filter): boolean {
  if (kinds !== undefined && !kinds.has(row.kind)) return false;
  if (since !== undefined && row.ts < since) return false;
  return agent === undefined || row.from === agent || [row.to].flat().includes(agent);
}

function printerOf(context: Context, rows: readonly LogRow[]): (row: LogRow) => void {
  if (context.json) return (row) => context.printJson(row, 'line');
  const today = new Date(systemClock.now()).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const date = rows.some(({ ts }) => !ts.startsWith(today));
  const { color } = context;
  return (row) => context.printRow(formatRow(row, { color, date, width: context.width }));
}
