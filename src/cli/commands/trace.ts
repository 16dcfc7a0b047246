import { type CopyNow, escapeLine, type Trace, type TraceStep } from '../../index.ts';
import type { Context } from '../context.ts';
import { showDuration } from '../duration.ts';
import { showAddressed, showThread } from '../thread-lines.ts';

const THREAD_LINES = 24;
const TOOK_WIDTH = 9;

/** Tells one message's life in one screen. */
export async function trace(context: Context, id: string): Promise<void> {
  const told = await context.hive.trace(id);
  if (context.json) return context.printJson(told);
  for (const line of traceLines(told)) context.print(line);
  for (const gap of told.gaps) context.note(gap);
}

function traceLines({ id, entry, steps, copies, thread }: Trace): string[] {
  const { conversation, hops } = entry;
  const where = conversation === undefined ? '' : `conversation ${escapeLine(conversation)}  `;
  return [
    `${id}  ${showAddressed(entry)}`,
    `${where}hops ${hops}`,
    '',
    ...steps.map(showStep),
    ...(copies.length === 0 ? [] : ['', `now: ${copies.map(showCopy).join('; ')}`]),
    ...(thread.length < 2
      ? []
      : ['', 'conversation:', ...showThread(thread, { marked: id, most: THREAD_LINES })]),
  ];
}

function showStep({ at, tookMs, kind, says, id }: TraceStep): string {
  const time = escapeLine(at).replace('T', ' ').replace('Z', '');
  const took = tookMs === undefined ? '' : `+${showDuration(tookMs)}`;
  const other = id === undefined ? '' : `  ${escapeLine(id)}`;
  return `${time}  ${took.padStart(TOOK_WIDTH)}  ${kind.padEnd(9)}  ${escapeLine(says)}${other}`;
}

const PLACES: Readonly<Record<CopyNow['place'], (agent: string) => string>> = {
  inbox: (agent) => `in the inbox of ${agent}`,
  done: (agent) => `handled by ${agent}`,
  held: (agent) => `held for ${agent}`,
  owed: (agent) => `owed to ${agent}`,
  removed: (agent) => `removed by ${agent}`,
  unknown: (agent) => `no longer in the mailbox of ${agent}`,
};

function showCopy({ agent, place }: CopyNow): string {
  return PLACES[place](escapeLine(agent));
}
