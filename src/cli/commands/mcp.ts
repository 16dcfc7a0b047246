import { serveMailbox } from '../../mcp/serve.ts';
import type { Context } from '../context.ts';
import { version } from '../version.ts';

/** Serves an agent's mailbox to a client over standard input and output, until the client closes it. */
export async function mcp(context: Context): Promise<void> {
  const mailbox = { hive: context.hive, agent: context.agent() };
  await serveMailbox(mailbox, {
    version: version(),
    onTrouble: ({ message }) => context.note(`hivemail mcp: ${message}`),
  });
}
