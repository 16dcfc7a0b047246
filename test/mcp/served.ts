import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { HIVEMAIL, type Place } from '../e2e/built.ts';

/** What a tool gave back, as the tests look at it. */
export interface Called {
  text: string;
  data: Record<string, unknown>;
  isError: boolean;
}

/** A client that is connected to a server of its own. */
export interface Served extends AsyncDisposable {
  client: Client;
  call(name: string, args?: Record<string, unknown>): Promise<Called>;
}

/** Starts the built server for an agent and connects the official client library to it. */
export async function serve(place: Place, agent: string): Promise<Served> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StdioClientTransport(serverOf(place, agent)));
  return {
    client,
    call: async (name, args = {}) => toCalled(await client.callTool({ name, arguments: args })),
    [Symbol.asyncDispose]: async () => client.close(),
  };
}

/** How a client starts the server. */
export function serverOf({ hive, env }: Place, agent: string) {
  return {
    command: process.execPath,
    args: [HIVEMAIL, 'mcp', '--hive', hive, '--agent', agent],
    env: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  };
}

/** Reads a tool's result, from either version of the library. */
export function toCalled(result: unknown): Called {
  const { content, structuredContent, isError } = result as {
    content: { type: string; text?: string }[];
    structuredContent?: Record<string, unknown>;
    isError?: boolean;
  };
  return {
    text: content.map(({ text }) => text ?? '').join('\n'),
    data: structuredContent ?? {},
    isError: isError === true,
  };
}
