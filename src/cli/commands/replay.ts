import { HivemailError, type RecordedMessage, systemClock } from '../../index.ts';
import type { Context } from '../context.ts';
import { type FilterOptions, parseFilter } from '../log-options.ts';
import { parseMoment } from '../moment.ts';
import { withProgress } from '../progress.ts';
import { showRecorded } from '../show-recorded.ts';
import { showAddressed } from '../thread-lines.ts';

/** Options of `replay`. `--agent` of the command line is a filter here. */
export interface ReplayOptions extends FilterOptions {
  bodies?: true;
  into?: string;
}

/** Shows the history as a timeline. */
export async function replay(context: Context, options: ReplayOptions): Promise<void> {
  const filter = parseFilter(options, context.options.agent, systemClock.now());
  if (options.into !== undefined) return await rebuild(context, options.into, options);
  let count = 0;
  await withProgress(context.surface, 'reading the history', async ({ show, clear }) => {
    for await (const message of context.hive.timeline({ ...filter, onProgress: show })) {
      clear();
      print(context, message, options.bodies === true);
      count += 1;
    }
  });
  if (count === 0 && !context.json) context.note('Nothing was said then.');
}

async function rebuild(context: Context, into: string, options: ReplayOptions): Promise<void> {
  const { since, conversation, bodies, until } = options;
  const others = [since, conversation, bodies, context.options.agent];
  if (others.some((option) => option !== undefined)) {
    const sentence = '--into rebuilds the whole hive: of the other options it takes --until alone.';
    throw new HivemailError('usage', sentence);
  }
  const nowMs = systemClock.now();
  const moment = until === undefined ? new Date(nowMs).toISOString() : parseMoment(until, nowMs);
  const wanted = { into: context.path(into), until: moment };
  const report = await withProgress(context.surface, 'rebuilding the hive', ({ show }) =>
    context.hive.replayInto({ ...wanted, onProgress: show }),
  );
  if (context.json) return context.printJson(report);
  const { dir, unhandled, handled, held, missing } = report;
  context.print(`${dir} shows the hive as it stood at ${report.until}:`);
  context.print(`${unhandled} letters unhandled, ${handled} handled, ${held} held.`);
  for (const sentence of missing) context.note(sentence);
}

function print(context: Context, message: RecordedMessage, bodies: boolean): void {
  if (context.json) return context.printJson(message, 'line');
  if (bodies) return context.print(`${showRecorded(message)}\n`);
  const time = message.created_at.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace('T', ' ');
  context.print(`${time}  ${showAddressed(message)}  ${message.id}`);
}
