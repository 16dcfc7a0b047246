import * as z from 'zod';
import type { OfferedTool, Reply } from '../turn.ts';
import {
  type Dialect,
  readToolSchema,
  type ServerSentEvent,
  textOf,
  turnOf,
  type Utterance,
} from './dialect.ts';

const itemSchema = z.looseObject({
  type: z.string().default('message'),
  role: z.string().optional(),
  content: z.unknown().optional(),
  output: z.unknown().optional(),
});

const functionSchema = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  parameters: z.unknown().optional(),
});

const toolSchema = functionSchema.extend({ tools: z.array(functionSchema).optional() });

const requestSchema = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  input: z.union([z.string(), z.array(itemSchema)]),
  tools: z.array(toolSchema).default([]),
});

/** OpenAI Responses, streamed or whole: what Codex speaks. */
export const responses: Dialect = {
  name: 'responses',
  serves: (path) => path.endsWith('/responses'),
  read(body) {
    const { model, stream, input, tools: declared } = requestSchema.parse(body);
    const items = typeof input === 'string' ? [itemSchema.parse({ content: input })] : input;
    const utterances = items.flatMap(utteranceOf);
    const tools = declared.flatMap(offeredTools);
    return { model, stream, tools, turn: turnOf('responses', utterances, tools) };
  },
  write(reply, { model, stream }, newId) {
    const item = outputItem(reply, newId);
    const response = { id: newId('resp'), object: 'response', model };
    const begun = { ...response, status: 'in_progress', output: [] };
    const completed = { ...response, status: 'completed', output: [item], usage: USAGE };
    if (!stream) return { json: completed };
    const steps: Step[] = [
      { type: 'response.created', response: begun },
      { type: 'response.in_progress', response: begun },
      ...itemSteps(item),
      { type: 'response.completed', response: completed },
    ];
    return { events: steps.map(numbered) };
  },
};

const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
};

function utteranceOf(item: z.infer<typeof itemSchema>): Utterance[] {
  if (item.type.endsWith('_output')) return [{ by: 'tool', text: textOf(item.output) }];
  if (item.type.endsWith('_call')) return [{ by: 'model', text: '' }];
  if (item.type !== 'message') return [];
  return [{ by: item.role === 'assistant' ? 'model' : 'user', text: textOf(item.content) }];
}

/** A declared tool is a function or a namespace of functions; hosted tools can't be called back. */
function offeredTools(declared: z.infer<typeof toolSchema>): OfferedTool[] {
  const members = declared.type === 'namespace' ? (declared.tools ?? []) : [declared];
  const namespace = declared.type === 'namespace' ? declared.name : undefined;
  return members.flatMap(({ type, name, parameters }) =>
    type === 'function' && name !== undefined
      ? [{ name, namespace, schema: readToolSchema(parameters) }]
      : [],
  );
}

function outputItem(reply: Reply, newId: (prefix: string) => string) {
  if ('text' in reply) {
    return {
      type: 'message' as const,
      id: newId('msg'),
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: reply.text, annotations: [] }],
    };
  }
  return {
    type: 'function_call' as const,
    id: newId('fc'),
    call_id: newId('call'),
    name: reply.tool.name,
    ...(reply.tool.namespace !== undefined && { namespace: reply.tool.namespace }),
    arguments: JSON.stringify(reply.args),
    status: 'completed',
  };
}

/** An event of the stream, before it has its number. */
type Step = { type: string } & Record<string, unknown>;

/** The events that tell of one output item, from its announcement to its end. */
function itemSteps(item: ReturnType<typeof outputItem>): Step[] {
  const at = { item_id: item.id, output_index: 0 };
  const empty = item.type === 'message' ? { content: [] } : { arguments: '' };
  const added = {
    type: 'response.output_item.added',
    output_index: 0,
    item: { ...item, ...empty, status: 'in_progress' },
  };
  const done = { type: 'response.output_item.done', output_index: 0, item };
  if (item.type === 'function_call') {
    const name = 'response.function_call_arguments';
    return [
      added,
      { type: `${name}.delta`, ...at, delta: item.arguments },
      { type: `${name}.done`, ...at, arguments: item.arguments },
      done,
    ];
  }
  return [added, ...textSteps(item.content, at), done];
}

function textSteps(content: { text: string }[], at: object): Step[] {
  return content.flatMap((part, index) => {
    const place = { ...at, content_index: index };
    return [
      { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
      { type: 'response.output_text.delta', ...place, delta: part.text },
      { type: 'response.output_text.done', ...place, text: part.text },
      { type: 'response.content_part.done', ...place, part },
    ];
  });
}

function numbered(step: Step, index: number): ServerSentEvent {
  return { event: step.type, data: { ...step, sequence_number: index } };
}
