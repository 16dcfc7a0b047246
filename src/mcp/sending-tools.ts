import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { ACTS, isLost, type SendResult, sendResultLines } from '../index.ts';
import type { Mailbox } from './mailbox.ts';
import { answered, toolResult } from './tool-result.ts';

const act = z
  .enum(ACTS)
  .describe(
    'request, query, propose ask for an answer; inform, agree, refuse, done end an exchange',
  );

/** Adds the tools that send. Both write a letter into the outbox, as an agent without tools does. */
export function addSendingTools(server: McpServer, { hive, agent }: Mailbox): void {
  server.registerTool(
    'send',
    {
      description:
        'Send a new letter; tells what became of it. `queued` means on its way: do not send it again.',
      inputSchema: z.object({
        to: z
          .union([z.string(), z.array(z.string())])
          .describe('agent ids, role:<role>, orchestrator, human, broadcast'),
        act,
        subject: z.string().describe('one line'),
        body: z.string().optional(),
        conversation: z.string().optional().describe('name that ties letters together'),
        reply_by: z.string().optional().describe('when an answer is wanted'),
      }),
      annotations: { destructiveHint: false },
    },
    async ({ to, act: chosen, subject, body, conversation, reply_by: replyBy }) =>
      answered(async () => {
        const letter = {
          ...{ to, act: chosen, subject },
          ...(body === undefined ? {} : { body }),
          ...(conversation === undefined ? {} : { conversation }),
          ...(replyBy === undefined ? {} : { replyBy }),
        };
        return sent(await hive.send(letter, { agent }), hive.dir);
      }),
  );
  server.registerTool(
    'reply',
    {
      description: 'Answer a letter, to its sender. Then ack it.',
      inputSchema: z.object({
        id: z.string().describe('the letter I answer'),
        act,
        body: z.string(),
        subject: z.string().optional(),
      }),
      annotations: { destructiveHint: false },
    },
    async ({ id, ...answer }) =>
      answered(async () => sent(await hive.reply(id, answer, { agent }), hive.dir)),
  );
}

function sent(result: SendResult, hive: string): ReturnType<typeof toolResult> {
  const lines = sendResultLines(result, hive);
  const text = lines.join('\n');
  const note = lines.slice(1).join(' ') || undefined;
  if (result.status === 'queued') {
    return toolResult(text, { status: 'queued', file: result.file, note });
  }
  const { id, outcome, code, delivered, held, owed, failed } = result.row;
  const data = { status: 'routed', id, outcome, code, delivered, held, owed, failed, note };
  return { ...toolResult(text, data), ...(isLost(result.row) ? { isError: true } : {}) };
}
