import * as z from 'zod';
import type { DialectName, OfferedTool, Reply, Turn } from '../turn.ts';

/** A request as a dialect understands it. */
export interface ReadRequest {
  turn: Turn;
  tools: readonly OfferedTool[];
  /** Whether the session wants the answer as a stream of server-sent events. */
  stream: boolean;
  /** The model that it asked for. */
  model: string;
}

/** An answer on the wire: one JSON document, or server-sent events in order. */
export type WireAnswer = { json: unknown } | { events: readonly ServerSentEvent[] };

/** One server-sent event; `data` is sent as JSON, a string as it is. */
export interface ServerSentEvent {
  event?: string;
  data: unknown;
}

/** One wire format: reads what a session asks, writes what the model answers. */
export interface Dialect {
  name: DialectName;
  /** Tells whether a request for this path (without its query) speaks this dialect. */
  serves: (path: string) => boolean;
  /** Reads a request. @throws when the body is not of this dialect */
  read(body: unknown, url: URL): ReadRequest;
  /** Writes a reply. @param newId - makes an identity unique to this server, with a prefix */
  write(reply: Reply, request: ReadRequest, newId: (prefix: string) => string): WireAnswer;
}

const schemaOfTool = z.looseObject({
  properties: z.record(z.string(), z.looseObject({})).optional(),
  required: z.array(z.string()).optional(),
});

/** Reads what a JSON schema says about calling a tool; whatever it can't read counts as no arguments. */
export function readToolSchema(schema: unknown): OfferedTool['schema'] {
  const { data } = schemaOfTool.safeParse(schema);
  return { properties: data?.properties ?? {}, required: data?.required ?? [] };
}

/** Joins the text of a message's content: a string, or parts of which some carry text. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined ? '' : JSON.stringify(content);
  return content
    .map((part: unknown) => {
      if (typeof part === 'string') return part;
      const known = z.looseObject({ text: z.string() }).safeParse(part);
      return known.success ? known.data.text : JSON.stringify(part);
    })
    .join('\n');
}

/** One entry of a conversation, reduced to who speaks and what is said. */
export interface Utterance {
  /** `user` is everyone on the user's side of the model: the person, the client, its hooks. */
  by: 'user' | 'tool' | 'model';
  text: string;
}

/** Tells a conversation as a {@link Turn}. */
export function turnOf(
  dialect: DialectName,
  utterances: readonly Utterance[],
  tools: readonly OfferedTool[],
): Turn {
  const lastOfModel = utterances.findLastIndex(({ by }) => by === 'model');
  const sinceModel = utterances.slice(lastOfModel + 1);
  const texts = (part: readonly Utterance[]) => part.map(({ text }) => text);
  return {
    dialect,
    // Codex puts what a hook says of a tool call before the output of the tool.
    userText: texts(sinceModel.filter(({ by }) => by === 'user')).join('\n'),
    toolOutput: sinceModel.findLast(({ by }) => by === 'tool')?.text,
    toolOutputs: texts(utterances.filter(({ by }) => by === 'tool')),
    tools: tools.map(({ name }) => name),
  };
}
