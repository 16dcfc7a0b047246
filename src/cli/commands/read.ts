import { HivemailError, randomTail, showMessage } from '../../index.ts';
import type { Context } from '../context.ts';

/** Options of `read`. */
export interface ReadOptions {
  raw?: true;
}

/** Shows a letter. */
export async function read(context: Context, id: string, options: ReadOptions): Promise<void> {
  const agent = context.agent();
  if (options.raw) return context.print(context.hive.readText(agent, id).trimEnd());
  const entry = context.hive.read(agent, id);
  if (context.json) return context.printJson(entry);
  const { message } = entry;
  if (message === undefined) {
    const sentence = `${entry.id} holds no message. See the file with \`hivemail read ${entry.id} --raw\`.`;
    throw new HivemailError('not-found', sentence);
  }
  const nonce = randomTail();
  const shown = showMessage(message, { nonce, redact: true });
  context.print(shown.trimEnd());
  if (shown !== showMessage(message, { nonce, redact: false })) {
    context.note('What looks like a secret is hidden; --raw shows the file as it is.');
  }
}
