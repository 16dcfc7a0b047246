import * as z from 'zod';
import type { Reply } from '../turn.ts';
import { type Dialect, readToolSchema, textOf, turnOf, type Utterance } from './dialect.ts';

const requestSchema = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })),
  tools: z
    .array(
      z.looseObject({
        function: z.looseObject({ name: z.string(), parameters: z.unknown().optional() }),
      }),
    )
    .default([]),
});

/** OpenAI chat completions, streamed or whole: what opencode speaks to a provider of one's own. */
export const chatCompletions: Dialect = {
  name: 'chat-completions',
  serves: (path) => path.endsWith('/chat/completions'),
  read(body) {
    const { model, stream, messages, tools: declared } = requestSchema.parse(body);
    const tools = declared.map(({ function: { name, parameters } }) => ({
      name,
      schema: readToolSchema(parameters),
    }));
    const utterances = messages.map(
      ({ role, content }): Utterance => ({ by: speakerOf(role), text: textOf(content ?? '') }),
    );
    return { model, stream, tools, turn: turnOf('chat-completions', utterances, tools) };
  },
  write(reply, { model, stream }, newId) {
    const message = assistantMessage(reply, newId);
    const finish_reason = 'tool_calls' in message ? 'tool_calls' : 'stop';
    const base = { id: newId('chatcmpl'), created: 0, model };
    if (!stream) {
      const choices = [{ index: 0, message, finish_reason }];
      return { json: { ...base, object: 'chat.completion', choices, usage: USAGE } };
    }
    const chunk = { ...base, object: 'chat.completion.chunk' };
    return {
      events: [
        { data: { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] } },
        { data: { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage: USAGE } },
        { data: '[DONE]' },
      ],
    };
  },
};

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

function speakerOf(role: string): Utterance['by'] {
  if (role === 'assistant') return 'model';
  return role === 'tool' ? 'tool' : 'user';
}

function assistantMessage(reply: Reply, newId: (prefix: string) => string) {
  if ('text' in reply) return { role: 'assistant', content: reply.text };
  const call = { name: reply.tool.name, arguments: JSON.stringify(reply.args) };
  return {
    role: 'assistant',
    content: null,
    tool_calls: [{ index: 0, id: newId('call'), type: 'function', function: call }],
  };
}
