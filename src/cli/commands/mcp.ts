import { serveMailbox } from '../../mcp/serve.ts';
import type { Context } from '../context.ts';
import { version } from '../version.ts';

/** Serves an agent's mailbox to a client over standard input and output, until the client closes it. */
export async function mcp(context: Context): Promise<void> {
  const mailbox = { hive: context.hive, agent: context.agent() };
  await serve(mailbox, (sentence) => context.note(`hivemail mcp: ${sentence}`));
}

/**
 * Serves a mailbox, however the command was read.
 * @param tell - takes what goes wrong outside of a request; standard output belongs to the protocol
 */
export async function serve(
  mailbox: Parameters<typeof serveMailbox>[0],
  tell: (sentence: string) => void,
): Promise<void> {
  await serveMailbox(mailbox, { version: version(), onTrouble: ({ message }) => tell(message) });
}
