import {
  ERRORS,
  escapeLine,
  formatRow,
  HivemailError,
  type LogRow,
  openHive,
  runOnce,
  startRouter,
  systemClock,
} from '../../index.ts';
import type { Context } from '../context.ts';
import { openDaemonLog } from '../daemon-log.ts';
import { listenForStop } from '../stop-signals.ts';

/** Options of `up`. */
export interface UpOptions {
  once?: true;
  pollMs?: number;
  watch: boolean;
  takeover?: true;
}

/**
 * Runs the router of a hive until it is told to stop, or once.
 * @returns the exit code: of one run that left something which it could not bring to its end, as of
 *   `status`
 */
export async function up(
  context: Context,
  given: string | undefined,
  options: UpOptions,
): Promise<number> {
  const dir = context.hiveDir(given);
  context.surface.keepRunning();
  if (options.once) return routeOnce(context, dir, options);
  const log = openDaemonLog(context.surface);
  using signals = listenForStop();
  log.info(`Starting the router of ${dir}.`);
  const router = await startRouter({
    dir,
    takeover: options.takeover === true,
    watch: options.watch,
    ...(options.pollMs === undefined ? {} : { pollMs: options.pollMs }),
    onRow: rowTeller(context, (note) => log.warn(note)),
    onTrouble: (error) => log.error('A pass could not be finished; it is tried again.', error),
  });
  const how = context.surface.stderr.isTTY === true ? ' Ctrl-C stops it.' : '';
  log.info(`Ready. Agents: ${namesOf(dir)}.${how}`);
  const signal = await Promise.race([router.ended, signals.first]);
  if (signal !== undefined) log.info(`${signal}: stopping.`);
  const { remains } = await router.stop();
  log.info('Stopped. Letters wait in their outboxes until a router is up again.');
  for (const sentence of remains) log.warn(sentence);
  return 0;
}

async function routeOnce(context: Context, dir: string, options: UpOptions): Promise<number> {
  const warn = (note: string): void => context.note(note);
  const tell = context.json ? warningTeller(warn) : rowTeller(context, warn);
  const report = await runOnce({
    dir,
    clock: systemClock,
    takeover: options.takeover === true,
    onRows: (rows) => rows.forEach(tell),
  });
  const exitCode = report.unhealthy ? ERRORS.unhealthy.exitCode : 0;
  if (context.json) {
    context.printJson(report);
    return exitCode;
  }
  const letters = report.letters === 1 ? '1 letter' : `${report.letters} letters`;
  context.print(`Routed ${letters}.`);
  if (report.waiting) context.print('Some files are not finished yet; they are routed next time.');
  for (const sentence of report.left) context.print(escapeLine(sentence));
  return exitCode;
}

/** Lists the agents; a roster that can't be read is the router's to tell of and to wait for. */
/** A line is to be read, also of a hive of a thousand. */
const MOST_NAMED = 20;

function namesOf(dir: string): string {
  try {
    const agents = openHive(dir).agents();
    const named = agents.slice(0, MOST_NAMED).map(({ id }) => id);
    const others = agents.length - named.length;
    return [...named, ...(others > 0 ? [`${others} others`] : [])].join(', ') || 'none';
  } catch (error) {
    if (!(error instanceof HivemailError)) throw error;
    return 'not known';
  }
}

/**
 * Tells of rows as they are written: to a person on a terminal all of them, to a program that asked for
 * JSON too; otherwise only what is amiss, since the rest stands in log.jsonl.
 */
function rowTeller(context: Context, warn: (note: string) => void): (row: LogRow) => void {
  const { color, surface } = context;
  if (context.json) return (row) => context.printJson(row, 'line');
  if (surface.stdout.isTTY !== true) return warningTeller(warn);
  return (row) => context.printRow(formatRow(row, { color, width: context.width }));
}

function warningTeller(warn: (note: string) => void): (row: LogRow) => void {
  return ({ kind, note }) => {
    if (kind === 'warning' && note !== undefined) warn(note);
  };
}
