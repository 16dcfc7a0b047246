import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, it } from 'vitest';
import { makePlace, startRouter } from '../e2e/built.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { serverOf, toCalled } from './served.ts';

it('answers a client of the first version of the protocol library', async () => {
  const place = await makePlace(tempDir(), 'god,planner,coder');
  await using _router = await startRouter(place);
  const client = new Client({ name: 'test', version: '1.0.0' });
  try {
    await client.connect(new StdioClientTransport(serverOf(place, 'coder')));
    expect((await client.listTools()).tools).toHaveLength(8);
    const letter = { to: ['planner'], act: 'inform', subject: 'hello' };
    const sent = toCalled(await client.callTool({ name: 'send', arguments: letter }));
    expect(sent).toMatchObject({ isError: false, data: { outcome: 'delivered' } });
    expect(client.getInstructions()).toContain('coder');
  } finally {
    await client.close();
  }
}, 60_000);
