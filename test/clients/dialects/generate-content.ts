import * as z from 'zod';
import type { Reply } from '../turn.ts';
import { type Dialect, readToolSchema, turnOf, type Utterance } from './dialect.ts';

const partSchema = z.looseObject({
  text: z.string().optional(),
  functionResponse: z.looseObject({ response: z.unknown().optional() }).optional(),
});

const requestSchema = z.looseObject({
  contents: z.array(
    z.looseObject({ role: z.string().default('user'), parts: z.array(partSchema).default([]) }),
  ),
  tools: z
    .array(
      z.looseObject({
        functionDeclarations: z
          .array(
            z.looseObject({
              name: z.string(),
              parameters: z.unknown().optional(),
              parametersJsonSchema: z.unknown().optional(),
            }),
          )
          .default([]),
      }),
    )
    .default([]),
});

const PATH = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

/** Gemini generateContent and streamGenerateContent: what Gemini CLI speaks. */
export const generateContent: Dialect = {
  name: 'generate-content',
  serves: (path) => PATH.test(path),
  read(body, url) {
    const { contents, tools: declared } = requestSchema.parse(body);
    const [, model = '', method] = PATH.exec(url.pathname) ?? [];
    const tools = declared.flatMap(({ functionDeclarations }) =>
      functionDeclarations.map(({ name, parameters, parametersJsonSchema }) => ({
        name,
        schema: readToolSchema(parametersJsonSchema ?? parameters),
      })),
    );
    const utterances = contents.flatMap(({ role, parts }) =>
      parts.map((part) => utteranceOf(role, part)),
    );
    const stream = method === 'streamGenerateContent';
    return { model, stream, tools, turn: turnOf('generate-content', utterances, tools) };
  },
  write(reply, { model, stream }, newId) {
    const content = { role: 'model', parts: [partOf(reply)] };
    const answer = {
      candidates: [{ content, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      modelVersion: model,
      responseId: newId('resp'),
    };
    return stream ? { events: [{ data: answer }] } : { json: answer };
  },
};

function utteranceOf(role: string, part: z.infer<typeof partSchema>): Utterance {
  if (part.functionResponse) {
    return { by: 'tool', text: JSON.stringify(part.functionResponse.response) };
  }
  return { by: role === 'model' ? 'model' : 'user', text: part.text ?? '' };
}

function partOf(reply: Reply) {
  if ('text' in reply) return { text: reply.text };
  return { functionCall: { name: reply.tool.name, args: reply.args } };
}
