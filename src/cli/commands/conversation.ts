import type { ConversationPart } from '../../index.ts';
import type { Context } from '../context.ts';
import { showRecorded } from '../show-recorded.ts';
import { showAddressed } from '../thread-lines.ts';

/** Shows a conversation as a transcript. */
export async function conversation(context: Context, name: string): Promise<void> {
  let count = 0;
  for await (const part of context.hive.conversation(name)) {
    if (context.json) context.printJson(part, 'line');
    else context.print(`${count > 0 ? '\n' : ''}${showPart(part)}`);
    count += 1;
  }
}

function showPart({ entry, message }: ConversationPart): string {
  if (message !== undefined) return showRecorded(message);
  return `${showAddressed(entry)}  ${entry.id}\n(no message was made of it, or nothing has it any more)`;
}
