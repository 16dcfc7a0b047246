import { setTimeout as pause } from 'node:timers/promises';
import { escapeUnsafe } from '../index.ts';
import type { Context } from './context.ts';
import { listenForStop } from './stop-signals.ts';

/** One look, to be shown to a person or to a program. */
export interface Look {
  value: object;
  lines: () => string[];
  exitCode: number;
}

const CLEAR = '\x1b[2J';
const HOME = '\x1b[H';
const CLEAR_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';

/**
 * Shows a look again and again, until a signal ends it: on a terminal in place, elsewhere one below the
 * other, for a program as one line of JSON each.
 * @returns the exit code of the last look
 */
export async function showAgain(
  context: Context,
  everyMs: number,
  look: () => Look,
): Promise<number> {
  using signals = listenForStop();
  const stopping = new AbortController();
  const stopped = signals.first.then(() => stopping.abort());
  const { stdout } = context.surface;
  const onGone = (): void => stopping.abort();
  stdout.once('close', onGone);
  if (stdout.isTTY === true && !context.json) stdout.write(CLEAR);
  let last = look();
  try {
    for (let isFirst = true; !stopping.signal.aborted; isFirst = false) {
      if (!isFirst) last = look();
      show(context, last, isFirst);
      await Promise.race([pause(everyMs, undefined, { signal: stopping.signal }), stopped]).catch(
        onAbort,
      );
    }
  } finally {
    stdout.off('close', onGone);
  }
  return last.exitCode;
}

function onAbort(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
}

function show(context: Context, { value, lines }: Look, isFirst: boolean): void {
  const { stdout } = context.surface;
  if (context.json) context.printJson(value, 'line');
  else if (stdout.isTTY === true) stdout.write(frame(lines(), stdout.rows));
  else for (const line of [...(isFirst ? [] : ['']), ...lines()]) context.print(line);
}

/** Overwrites what stood there line by line, which does not flicker. */
function frame(lines: readonly string[], rows: number | undefined): string {
  const most = Math.max(1, (rows ?? Number.POSITIVE_INFINITY) - 1);
  const hidden = lines.length - most;
  const shown = hidden <= 0 ? lines : [...lines.slice(0, most - 1), `… ${hidden + 1} more lines`];
  const text = shown.map((line) => `${escapeUnsafe(line)}${CLEAR_LINE}\n`).join('');
  return `${HOME}${text}${CLEAR_BELOW}`;
}
