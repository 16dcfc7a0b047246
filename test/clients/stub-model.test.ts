import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { startStubModel } from './stub-model.ts';
import type { Decide, DialectName } from './turn.ts';

const SHELL_SCHEMA = {
  type: 'object',
  properties: { command: { type: 'string' }, description: { type: 'string' } },
  required: ['command', 'description'],
};

/** How a client of each dialect asks: where, and how it writes what has been said so far. */
const ASKING: Record<DialectName, { path: string; body: (said: Said) => object }> = {
  responses: {
    path: '/v1/responses',
    body: ({ prompt, output, offers = ['exec_command'] }) => ({
      model: 'stub-model',
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] },
        ...(output === undefined
          ? []
          : [
              { type: 'function_call', call_id: 'c', name: 'exec_command', arguments: '{}' },
              { type: 'function_call_output', call_id: 'c', output },
            ]),
      ],
      tools: offers.map((name) => ({ type: 'function', name, parameters: SHELL_SCHEMA })),
    }),
  },
  'chat-completions': {
    path: '/v1/chat/completions',
    body: ({ prompt, output, offers = ['bash'] }) => ({
      model: 'stub-model',
      messages: [
        { role: 'user', content: prompt },
        ...(output === undefined
          ? []
          : [
              { role: 'assistant', content: null, tool_calls: [{ id: 'c' }] },
              { role: 'tool', tool_call_id: 'c', content: output },
            ]),
      ],
      tools: offers.map((name) => ({
        type: 'function',
        function: { name, parameters: SHELL_SCHEMA },
      })),
    }),
  },
  messages: {
    path: '/v1/messages?beta=true',
    body: ({ prompt, output, offers = ['Bash'] }) => ({
      model: 'stub-model',
      messages: [
        { role: 'user', content: prompt },
        ...(output === undefined
          ? []
          : [
              {
                role: 'assistant',
                content: [{ type: 'tool_use', id: 'c', name: 'Bash', input: {} }],
              },
              {
                role: 'user',
                content: [{ type: 'tool_result', tool_use_id: 'c', content: output }],
              },
            ]),
      ],
      tools: offers.map((name) => ({ name, input_schema: SHELL_SCHEMA })),
    }),
  },
  'generate-content': {
    path: '/v1beta/models/stub-model:generateContent',
    body: ({ prompt, output, offers = ['run_shell_command'] }) => ({
      contents: [
        { role: 'user', parts: [{ text: prompt }] },
        ...(output === undefined
          ? []
          : [
              { role: 'model', parts: [{ functionCall: { name: 'run_shell_command', args: {} } }] },
              {
                role: 'user',
                parts: [{ functionResponse: { name: 'run_shell_command', response: { output } } }],
              },
            ]),
      ],
      tools: [
        {
          functionDeclarations: offers.map((name) => ({
            name,
            parametersJsonSchema: SHELL_SCHEMA,
          })),
        },
      ],
    }),
  },
};

interface Said {
  prompt: string;
  output?: string;
  offers?: string[];
}

async function ask(dialect: DialectName, said: Said, decide?: Decide) {
  await using stub = await startStubModel(decide);
  const { path, body } = ASKING[dialect];
  const response = await fetch(stub.url + path, {
    method: 'POST',
    body: JSON.stringify(body(said)),
  });
  return { status: response.status, answer: await response.text(), stub };
}

describe.each(Object.keys(ASKING) as DialectName[])('a stub model that speaks %s', (dialect) => {
  it('calls the shell tool with the command that the prompt names', async () => {
    const { answer, stub } = await ask(dialect, { prompt: 'Please TOOL{{ls -a "x"}} now.' });
    expect(stub.turns()[0]?.userText).toBe('Please TOOL{{ls -a "x"}} now.');
    expect(JSON.parse(answer)).toSatisfy(callsShellWith('ls -a "x"'));
  });

  it('tells what a tool has put out', async () => {
    const { answer, stub } = await ask(dialect, { prompt: 'TOOL{{ls}}', output: 'a.txt' });
    expect(stub.turns()[0]?.toolOutputs).toEqual([stub.turns()[0]?.toolOutput]);
    expect(answer).toMatch(/DONE .*a\.txt/);
  });

  it('acknowledges anything else', async () => {
    expect((await ask(dialect, { prompt: 'Good morning.' })).answer).toContain('ACK Good morning.');
  });

  it('does as the given script decides', async () => {
    const decide: Decide = ({ toolOutputs }) => ({ text: `step ${toolOutputs.length}` });
    expect((await ask(dialect, { prompt: 'Hi', output: '1' }, decide)).answer).toContain('step 1');
  });

  it('calls a tool by the end of its name, where a client puts the server before it', async () => {
    const decide: Decide = () => ({ call: 'inbox', args: { unread: true } });
    const { answer } = await ask(dialect, { prompt: 'Mail?', offers: ['hive_inbox'] }, decide);
    expect(answer).toContain('"hive_inbox"');
    expect(answer).toMatch(/\\?"unread\\?":true/);
  });

  it('leaves requests that offer no tools to themselves', async () => {
    const { stub } = await ask(dialect, { prompt: 'TOOL{{ls}} Find a title.', offers: [] });
    expect(stub.requests()).toHaveLength(1);
    expect(stub.turns()).toEqual([]);
  });

  it('ends the session when the script fails, and keeps the reason', async () => {
    const { status, answer, stub } = await ask(dialect, { prompt: 'Hi' }, () => {
      throw new Error('No PROTOCOL.md in sight.');
    });
    expect(status).toBe(400);
    expect(answer).toContain('No PROTOCOL.md in sight.');
    expect(stub.requests()[0]?.problem).toBe('No PROTOCOL.md in sight.');
  });
});

describe('a stub model', () => {
  it('refuses and records what is meant for another host', async () => {
    await using stub = await startStubModel();
    const socket = connect(Number(new URL(stub.url).port), '127.0.0.1');
    socket.end('CONNECT elsewhere.invalid:443 HTTP/1.1\r\nhost: elsewhere.invalid:443\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 403 /);
    expect(stub.strays()).toEqual(['elsewhere.invalid:443']);
  });

  it('streams the events of a Responses answer in the order that the vendor sends them', async () => {
    await using stub = await startStubModel();
    const { path, body } = ASKING.responses;
    const response = await fetch(stub.url + path, {
      method: 'POST',
      body: JSON.stringify({ ...body({ prompt: 'Hi' }), stream: true }),
    });
    const names = [...(await response.text()).matchAll(/^event: response\.(.*)$/gm)];
    expect(names.map(([, name]) => name)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
  });

  it('says which path it does not serve', async () => {
    await using stub = await startStubModel();
    const response = await fetch(`${stub.url}/v1/embeddings`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('does not serve POST /v1/embeddings');
  });
});

/** Looks anywhere in an answer for a call's arguments, which dialects carry as an object or as JSON. */
function callsShellWith(command: string): (answer: unknown) => boolean {
  const found = (value: unknown): boolean => {
    if (typeof value === 'string' && value.startsWith('{')) return found(JSON.parse(value));
    if (typeof value !== 'object' || value === null) return false;
    if ('command' in value) return value.command === command && 'description' in value;
    return Object.values(value).some(found);
  };
  return found;
}
