import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type ClientName,
  installSetup,
  type SetupPlace,
  showSetups,
  uninstallSetup,
} from '../../src/index.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const LAUNCHER = '/opt/hivemail/dist/cli/hivemail.cjs';
const SETTINGS: [client: ClientName, file: string, before: string][] = [
  ['claude', '.mcp.json', '{\n  // mine\n  "mcpServers": { "other": { "command": "x" } }\n}\n'],
  ['gemini', '.gemini/settings.json', '{"theme":"dark"}'],
  ['opencode', 'opencode.json', '{\r\n\t"model": "x/y",\r\n}\r\n'],
  ['codex', '.codex/config.toml', 'model = "x"\n\n[mcp_servers.other]\ncommand = "x"'],
];

function placeIn(dir: string, client: ClientName, agent = 'coder'): SetupPlace {
  const hive = join(dir, 'hive');
  const root = join(hive, 'agents', agent);
  mkdirSync(root, { recursive: true });
  mkdirSync(join(dir, 'project'), { recursive: true });
  const env = { HOME: join(dir, 'home'), PATH: '/usr/bin:/bin' };
  const owner = { client, hive, agent };
  return { kind: 'mcp', owner, root, env, cwd: join(dir, 'project'), launcher: LAUNCHER };
}

describe('the server of a mailbox in the settings of a client', () => {
  it.each(SETTINGS)('%s: is added once, shown, and taken out without a trace', async (...row) => {
    const [client, name, before] = row;
    const place = placeIn(tempDir(), client);
    const file = join(place.cwd, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, before);
    const target = { scope: 'project' } as const;
    expect((await installSetup(place, target)).did).toBe('installed');
    expect((await installSetup(place, target)).did).toBe('nothing');
    const text = readFileSync(file, 'utf8');
    for (const word of [LAUNCHER, 'mcp', '--agent', 'coder']) expect(text).toContain(word);
    expect(text).toContain('hivemail');
    expect(showSetups(place)).toMatchObject([{ client, file, state: 'as installed' }]);
    expect(uninstallSetup(place)).toEqual([{ file, did: 'restored' }]);
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(showSetups(place)).toEqual([]);
  });

  it.each(SETTINGS)('%s: makes a file that was missing, and removes it again', async (...row) => {
    const [client, name] = row;
    const place = placeIn(tempDir(), client);
    await installSetup(place, { scope: 'project' });
    expect(existsSync(join(place.cwd, name))).toBe(true);
    expect(uninstallSetup(place)).toMatchObject([{ did: 'removed' }]);
    expect(existsSync(join(place.cwd, name.split('/')[0] ?? ''))).toBe(false);
  });

  it.each(SETTINGS)('%s: leaves a server of that name that is not from here', async (...row) => {
    const [client, name] = row;
    const place = placeIn(tempDir(), client);
    const file = join(place.cwd, name);
    const theirs =
      client === 'codex'
        ? '[mcp_servers.hivemail]\ncommand = "theirs"\n'
        : JSON.stringify({
            [client === 'opencode' ? 'mcp' : 'mcpServers']: { hivemail: { command: 'theirs' } },
          });
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, theirs);
    await expect(installSetup(place, { scope: 'project' })).rejects.toMatchObject({
      code: 'refused',
    });
    expect(readFileSync(file, 'utf8')).toBe(theirs);
  });

  it('leaves the list of another server, which goes while ours is there', async () => {
    const place = placeIn(tempDir(), 'claude');
    const file = join(place.cwd, '.mcp.json');
    const other = '"other":{"command":"x"}';
    writeFileSync(file, `{"mcpServers":{${other}}}`);
    await installSetup(place, { scope: 'project' });
    writeFileSync(file, readFileSync(file, 'utf8').replace(`${other},`, ''));
    uninstallSetup(place);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ mcpServers: {} });
  });

  it('refuses a second agent in one file, since a session is one agent', async () => {
    const dir = tempDir();
    await installSetup(placeIn(dir, 'claude'), { scope: 'project' });
    const second = installSetup(placeIn(dir, 'claude', 'tester'), { scope: 'project' });
    await expect(second).rejects.toMatchObject({ code: 'refused' });
  });

  it('writes what a TOML reader reads back, whatever the path holds', async () => {
    const dir = join(tempDir(), 'a "b" \\ c');
    const place = placeIn(dir, 'codex');
    await installSetup(place, { scope: 'project' });
    const text = readFileSync(join(place.cwd, '.codex/config.toml'), 'utf8');
    const args = /^args = (.*)$/m.exec(text)?.[1] ?? '';
    expect(JSON.parse(args)).toEqual([
      LAUNCHER,
      'mcp',
      '--hive',
      place.owner.hive,
      '--agent',
      'coder',
    ]);
  });
});
