import * as z from 'zod';
import type { Reply } from '../turn.ts';
import {
  type Dialect,
  readToolSchema,
  type ServerSentEvent,
  textOf,
  turnOf,
  type Utterance,
} from './dialect.ts';

const blockSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  content: z.unknown().optional(),
});

type Block = z.infer<typeof blockSchema>;

const requestSchema = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(
    z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(blockSchema)]) }),
  ),
  tools: z
    .array(z.looseObject({ name: z.string(), input_schema: z.unknown().optional() }))
    .default([]),
});

/** Anthropic Messages, streamed or whole: what Claude Code speaks. */
export const messages: Dialect = {
  name: 'messages',
  serves: (path) => path.endsWith('/v1/messages'),
  read(body) {
    const { model, stream, messages: entries, tools: declared } = requestSchema.parse(body);
    const tools = declared.map(({ name, input_schema }) => ({
      name,
      schema: readToolSchema(input_schema),
    }));
    const utterances = entries.flatMap(({ role, content }) => {
      const blocks: Block[] =
        typeof content === 'string' ? [{ type: 'text', text: content }] : content;
      return blocks.flatMap((block) => utteranceOf(role, block));
    });
    return { model, stream, tools, turn: turnOf('messages', utterances, tools) };
  },
  write(reply, { model, stream }, newId) {
    const block = contentBlock(reply, newId);
    const stop = {
      stop_reason: block.type === 'text' ? 'end_turn' : 'tool_use',
      stop_sequence: null,
    };
    const message = { id: newId('msg'), type: 'message', role: 'assistant', model };
    if (!stream) return { json: { ...message, content: [block], ...stop, usage: USAGE } };
    const begun = { ...message, content: [], stop_reason: null, stop_sequence: null, usage: USAGE };
    return { events: streamOf(block, begun, stop) };
  },
};

const USAGE = {
  input_tokens: 10,
  output_tokens: 5,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

function utteranceOf(role: string, block: Block): Utterance[] {
  if (role === 'assistant') return [{ by: 'model', text: block.text ?? '' }];
  if (block.type === 'tool_result') return [{ by: 'tool', text: textOf(block.content) }];
  return block.type === 'text' ? [{ by: 'user', text: block.text ?? '' }] : [];
}

function contentBlock(reply: Reply, newId: (prefix: string) => string) {
  if ('text' in reply) return { type: 'text' as const, text: reply.text };
  const { tool, args } = reply;
  return { type: 'tool_use' as const, id: newId('toolu'), name: tool.name, input: args };
}

function streamOf(
  block: ReturnType<typeof contentBlock>,
  message: object,
  stop: object,
): ServerSentEvent[] {
  const [empty, delta] =
    block.type === 'text'
      ? [
          { ...block, text: '' },
          { type: 'text_delta', text: block.text },
        ]
      : [
          { ...block, input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
        ];
  const steps = [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: empty },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: stop, usage: { output_tokens: USAGE.output_tokens } },
    { type: 'message_stop' },
  ];
  return steps.map((data) => ({ event: data.type, data }));
}
