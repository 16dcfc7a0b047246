import {
  escapeLine,
  type InboxEntry,
  randomTail,
  showMessage,
  showMessageLine,
} from '../../index.ts';
import type { Context } from '../context.ts';

/** Options of `inbox`. */
export interface InboxOptions {
  done?: true;
  bodies?: true;
}

/** Lists the letters of an agent. */
export async function inbox(context: Context, options: InboxOptions): Promise<void> {
  const agent = context.agent();
  const entries = context.hive.inbox(agent, { handled: options.done === true });
  if (context.json) return context.printJson(entries);
  if (entries.length === 0) {
    return context.print(`No ${options.done ? 'handled letters' : 'letters'} for ${agent}.`);
  }
  if (options.bodies !== true) return printLines(context, entries);
  context.print(entries.map((entry) => inFull(entry)).join('\n\n'));
}

/** Columns of a line before the subject. */
const BEFORE_SUBJECT = 60;
const SHORTEST_SUBJECT = 20;

/** Prints one line for each letter. */
export function printLines(context: Context, entries: readonly InboxEntry[]): void {
  const { width } = context;
  const room =
    width === undefined
      ? {}
      : { subjectLength: Math.max(SHORTEST_SUBJECT, width - BEFORE_SUBJECT) };
  for (const { id, message } of entries) {
    context.print(
      message === undefined ? noMessage(id) : showMessageLine(message, { redact: true, ...room }),
    );
  }
}

function inFull({ id, message }: InboxEntry): string {
  if (message === undefined) return noMessage(id);
  return showMessage(message, { nonce: randomTail(), redact: true }).trimEnd();
}

function noMessage(id: string): string {
  return escapeLine(`${id}  (holds no message; see it with \`hivemail read ${id} --raw\`)`);
}
