import { type RecordedMessage, systemClock } from '../../index.ts';
import type { Context } from '../context.ts';
import { type FilterOptions, parseFilter } from '../log-options.ts';
import { openProgress } from '../progress.ts';
import { showRecorded } from '../show-recorded.ts';
import { showAddressed } from '../thread-lines.ts';

/** Options of `replay`. `--agent` of the command line is a filter here. */
export interface ReplayOptions extends FilterOptions {
  bodies?: true;
}

/** Shows the history as a timeline. */
export async function replay(context: Context, options: ReplayOptions): Promise<void> {
  const filter = parseFilter(options, context.options.agent, systemClock.now());
  const progress = openProgress(context.surface, 'reading the history');
  let count = 0;
  try {
    const onProgress = progress.show;
    for await (const message of context.hive.timeline({ ...filter, onProgress })) {
      progress.clear();
      print(context, message, options.bodies === true);
      count += 1;
    }
  } finally {
    progress.clear();
  }
  if (count === 0 && !context.json) context.note('Nothing was said then.');
}

function print(context: Context, message: RecordedMessage, bodies: boolean): void {
  if (context.json) return context.printJson(message, 'line');
  if (bodies) return context.print(`${showRecorded(message)}\n`);
  const time = message.created_at.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace('T', ' ');
  context.print(`${time}  ${showAddressed(message)}  ${message.id}`);
}
