import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ClientName, installSetup, type SetupPlace, showSetups } from '../../src/index.ts';
import { makeScene, type Scene } from './scene.ts';

let scene: Scene;
let env: Record<string, string>;
let bin: string;

beforeEach(async () => {
  scene = await makeScene();
  const home = join(scene.dir, '..');
  bin = join(home, 'bin');
  mkdirSync(bin);
  env = { HOME: home, PATH: `${bin}:/usr/bin:/bin` };
});

function placeOf(client: ClientName, kind: SetupPlace['kind'] = 'hooks'): SetupPlace {
  const owner = { client, hive: scene.dir, agent: 'coder' };
  const { root } = scene.agent('coder');
  return { kind, owner, root, env, cwd: join(scene.dir, '..', 'project') };
}

async function install(client: ClientName, kind?: SetupPlace['kind']): Promise<string> {
  const { file } = await installSetup(placeOf(client, kind), { scope: 'user' });
  return file;
}

const look = () => scene.look('hooks', { env });

/** A `codex` that answers what it is asked by a script. */
function answerAs(answer: string): void {
  const program = `#!${process.execPath}
const lines = require('node:readline').createInterface({ input: process.stdin });
const say = (message) => console.log(JSON.stringify(message));
lines.on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') say({ id, result: {} });
  if (method !== 'hooks/list') return;
  const file = process.env.CODEX_HOME + '/hooks.json';
  const groups = Object.values(JSON.parse(require('node:fs').readFileSync(file, 'utf8')).hooks).flat();
  const hooks = groups.flatMap(({ hooks }) => hooks).map(({ command }) =>
    ({ command, sourcePath: file, enabled: true, trustStatus: 'trusted' }));
  say({ method: 'configWarning', params: {} });
  ${answer}
});
`;
  writeFileSync(join(bin, 'codex'), program, { mode: 0o755 });
}

const LISTED = 'say({ id, result: { data: [{ cwd: params.cwds[0], hooks }] } });';

describe('installations in clients', () => {
  it('are none, or in place', async () => {
    expect(await look()).toMatchObject([{ level: 'ok', what: expect.stringContaining('Nothing') }]);
    await install('claude');
    await install('gemini', 'mcp');
    expect(await look()).toMatchObject([
      { level: 'ok', what: expect.stringContaining('2 installations') },
    ]);
  });

  it('that somebody took out are told of', async () => {
    const file = await install('claude');
    writeFileSync(file, '{}');
    expect(await look()).toMatchObject([
      {
        level: 'warning',
        what: `Somebody took the hooks of coder for claude out of ${file}.`,
        means: expect.stringContaining('no mail'),
        advice: expect.stringContaining('hivemail hooks install claude --agent coder'),
      },
    ]);
    const server = await install('gemini', 'mcp');
    rmSync(server);
    expect((await look()).map(({ what }) => what).join()).toContain('MCP server of coder');
  });

  it('that are not whole, or stand in a file that can’t be read, are told of', async () => {
    const file = await install('gemini');
    const [shown] = showSetups(placeOf('gemini'));
    expect(shown?.state).toBe('as installed');
    const settings = JSON.parse(readFileSync(file, 'utf8'));
    delete settings.hooks.AfterTool;
    writeFileSync(file, JSON.stringify(settings));
    expect(await look()).toMatchObject([
      { level: 'note', advice: expect.stringContaining('up to date') },
    ]);
    writeFileSync(file, '{');
    expect(await look()).toMatchObject([{ level: 'warning', what: expect.stringContaining(file) }]);
  });

  it.each([
    ['trusts them', LISTED, 'ok', 'in place'],
    ['trusts all but one', `hooks[0].trustStatus = 'modified'; ${LISTED}`, 'warning', 'leaves out'],
    ['has one turned off', `hooks[0].enabled = false; ${LISTED}`, 'warning', 'leaves out'],
    ['does not list them', 'say({ id, result: { data: [] } });', 'warning', 'does not read'],
    ['answers with nonsense', 'say({ id, result: 7 });', 'warning', 'does not read'],
    ['ends without an answer', 'process.exit(3);', 'note', 'could not be asked'],
    [
      'does not know the question',
      'say({ id, error: { code: 1 } });',
      'note',
      'could not be asked',
    ],
  ])('of Codex, which %s', async (_, answer, level, what) => {
    answerAs(answer);
    await install('codex');
    expect(await look()).toMatchObject([{ level, what: expect.stringContaining(what) }]);
  });

  it('of Codex, which is not in PATH, are not known to be trusted', async () => {
    await install('codex');
    expect(await look()).toMatchObject([
      { level: 'note', what: expect.stringContaining('could not be asked') },
    ]);
  });
});
