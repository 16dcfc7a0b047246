import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { connectOpencode, type OpencodeHooks } from '../../src/doorbell/opencode/plugin.ts';
import type { PromptRequest } from '../../src/doorbell/opencode/session.ts';
import { tempDir } from '../helpers/temp-dir.ts';

/** Plays the hook: notes its call, and answers what the test has put down for that event. */
const HOOK = `
const fs = require('node:fs');
const [event, ...words] = process.argv.slice(2);
const payload = JSON.parse(fs.readFileSync(0, 'utf8'));
const name = words.includes('--wake') ? 'wake' : event;
fs.appendFileSync('calls', JSON.stringify({ name, session: payload.session_id, payload }) + '\\n');
const answers = JSON.parse(fs.readFileSync('answers', 'utf8'));
if (answers[name] === 'hang') setInterval(() => {}, 1000);
else if (answers[name] === 'fail') throw new Error('broken');
else console.log(JSON.stringify(answers[name] ?? {}));
`;

const PARENTS: Record<string, string> = { child: 'main', grandchild: 'child' };

let dir: string;
let prompts: PromptRequest[];
let hooks: OpencodeHooks;

beforeEach(() => {
  dir = tempDir();
  prompts = [];
  writeFileSync(join(dir, 'hook.cjs'), HOOK);
  answer({});
  hooks = connect();
  return () => hooks.dispose();
});

function connect(command = [process.execPath, join(dir, 'hook.cjs')]): OpencodeHooks {
  const session = {
    get: async ({ path: { id } }: { path: { id: string } }) =>
      id === 'unknown' ? {} : { data: { id, parentID: PARENTS[id] } },
    promptAsync: async (request: PromptRequest) => {
      prompts.push(request);
      return request.path.id === 'refused' ? { error: 'busy' } : {};
    },
  };
  return connectOpencode({ directory: dir, client: { session } }, { command, flags: [] });
}

const answer = (answers: object) => writeFileSync(join(dir, 'answers'), JSON.stringify(answers));

/** Names the calls so far, but for waiters, which run beside them. */
function calls(): string[] {
  const path = join(dir, 'calls');
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const parsed = lines.map((line) => JSON.parse(line) as { name: string; session: string });
  return parsed
    .filter(({ name }) => name !== 'wake')
    .map(({ name, session }) => `${name} ${session}`);
}

const happens = (type: string, properties: Record<string, unknown>) =>
  hooks.event({ event: { type, properties } });

async function prompt(id: string) {
  const message = { id: 'msg_1', agent: 'plan', model: { providerID: 'p', modelID: 'm' } };
  const output = { message, parts: [{ id: 'prt_1', type: 'text', text: 'Go on.' }] };
  await hooks['chat.message']({ sessionID: id, variant: 'high' }, output);
  return output.parts;
}

async function runTool(id: string, output: object = { output: 'worked' }) {
  await hooks['tool.execute.after']({ sessionID: id, tool: 'bash' }, output);
  return output;
}

describe('the plugin of opencode', () => {
  it('puts mail behind what a tool or an MCP server has put out', async () => {
    answer({ 'tool.execute.after': { append: 'MAIL' } });
    expect(await runTool('main')).toEqual({ output: 'worked\n\nMAIL' });
    const content = [{ type: 'text', text: 'worked' }];
    expect(await runTool('main', { content })).toEqual({
      content: [
        { type: 'text', text: 'worked' },
        { type: 'text', text: 'MAIL' },
      ],
    });
  });

  it('puts mail behind a prompt, as a part that is not the words of the person', async () => {
    answer({ 'chat.message': { append: 'MAIL' } });
    const [first, second] = await prompt('main');
    expect(first).toMatchObject({ text: 'Go on.' });
    expect(second).toMatchObject({ text: 'MAIL', synthetic: true, messageID: 'msg_1' });
    expect(String(second?.id) > 'prt_1').toBe(true);
  });

  it('goes on at the end of a turn as whom the session was last prompted', async () => {
    answer({ 'session.idle': { prompt: 'MAIL' } });
    await prompt('main');
    await happens('session.idle', { sessionID: 'main' });
    await vi.waitFor(() => expect(prompts).toHaveLength(1));
    expect(prompts[0]).toEqual({
      path: { id: 'main' },
      body: {
        agent: 'plan',
        ...{ model: { providerID: 'p', modelID: 'm' }, variant: 'high' },
        parts: [{ type: 'text', text: 'MAIL' }],
      },
    });
  });

  it('wakes an idle session by a waiter', async () => {
    answer({ wake: { prompt: 'MAIL' } });
    await happens('session.created', { sessionID: 'main', info: { id: 'main' } });
    await vi.waitFor(() => expect(prompts[0]?.body.parts[0]?.text).toBe('MAIL'), 5000);
  });

  it('keeps one waiter a session', async () => {
    answer({ wake: 'hang' });
    await prompt('main');
    await happens('session.idle', { sessionID: 'main' });
    await happens('session.idle', { sessionID: 'main' });
    const waits = () => readFileSync(join(dir, 'calls'), 'utf8').split('"wake"').length - 1;
    await vi.waitFor(() => expect(waits()).toBe(1));
  });

  it('meets a session before anything else, once', async () => {
    await prompt('main');
    await runTool('main');
    expect(calls()).toEqual([
      'session.created main',
      'chat.message main',
      'tool.execute.after main',
    ]);
  });

  it('says that the session is idle after all when it does not take the turn', async () => {
    answer({ 'session.idle': { prompt: 'MAIL' } });
    await happens('session.idle', { sessionID: 'refused' });
    await vi.waitFor(() =>
      expect(calls()).toEqual([
        'session.created refused',
        'session.idle refused',
        'session.idle refused',
      ]),
    );
    expect(readFileSync(join(dir, 'calls'), 'utf8')).toContain('"failed":true');
  });

  it('lets a person who has stopped a turn have the word', async () => {
    answer({ wake: 'hang' });
    await prompt('main');
    await happens('session.error', { sessionID: 'main', error: { name: 'MessageAbortedError' } });
    await happens('session.idle', { sessionID: 'main' });
    expect(readFileSync(join(dir, 'calls'), 'utf8')).toContain('"failed":true');
    expect(prompts).toEqual([]);
  });

  it('tells a subagent nothing, but that a person has to decide something for it', async () => {
    answer({ 'tool.execute.after': { append: 'MAIL' } });
    expect(await runTool('grandchild')).toEqual({ output: 'worked' });
    await prompt('child');
    await happens('session.idle', { sessionID: 'child' });
    expect(calls()).toEqual([]);
    const asked = { id: 'per_1', sessionID: 'grandchild', permission: 'bash' };
    await happens('permission.asked', asked);
    expect(calls()).toEqual(['permission.asked main']);
  });

  it('has several open dialogs be over with the last one', async () => {
    await happens('permission.asked', { id: 'a', sessionID: 'main', permission: 'bash' });
    await happens('question.asked', { id: 'b', sessionID: 'main' });
    await happens('permission.replied', { requestID: 'a', sessionID: 'main' });
    expect(calls().slice(1)).toEqual(['permission.asked main']);
    await happens('question.rejected', { requestID: 'b', sessionID: 'main' });
    expect(calls().slice(2)).toEqual(['question.rejected main']);
  });

  it('is silent in a session that opencode does not know, and when the hook is broken or gone', async () => {
    answer({ 'tool.execute.after': 'fail' });
    expect(await runTool('unknown')).toEqual({ output: 'worked' });
    expect(await runTool('main')).toEqual({ output: 'worked' });
    const other = connect(['/no/such/program']);
    const output = { output: 'worked' };
    await other['tool.execute.after']({ sessionID: 'main', tool: 'bash' }, output);
    expect(output).toEqual({ output: 'worked' });
    await other.dispose();
  });
});
