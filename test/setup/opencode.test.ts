import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { installSetup, type SetupPlace, showSetups, uninstallSetup } from '../../src/index.ts';
import { tempDir } from '../helpers/temp-dir.ts';

let dir: string;

beforeEach(() => {
  dir = tempDir();
  mkdirSync(join(dir, 'project'));
});

function placeOf(agent: string, hive = 'hive', env: SetupPlace['env'] = {}): SetupPlace {
  const root = join(dir, hive, 'agents', agent);
  mkdirSync(root, { recursive: true });
  return {
    kind: 'hooks',
    owner: { client: 'opencode', hive: join(dir, hive), agent },
    root,
    env: { HOME: join(dir, 'home'), PATH: '/usr/bin:/bin', ...env },
    cwd: join(dir, 'project'),
    launcher: join(dir, 'package', 'dist', 'cli', 'hivemail.cjs'),
  };
}

const PROJECT = { scope: 'project' } as const;
const pluginFile = () => join(dir, 'project', '.opencode', 'plugins', 'hivemail.js');

/** Loads the written file as opencode does, and calls what it exports. */
async function load(file: string): Promise<unknown> {
  const { Hivemail } = (await import(pathToFileURL(file).href)) as {
    Hivemail: (input: object) => Promise<unknown>;
  };
  return await Hivemail({ directory: dir });
}

describe('the hooks of opencode', () => {
  it('are a plugin of the project, and gone without a trace', async () => {
    const report = await installSetup(placeOf('coder'), PROJECT);
    expect(report).toMatchObject({ file: pluginFile(), did: 'installed' });
    expect(showSetups(placeOf('coder'))).toMatchObject([{ state: 'as installed' }]);
    expect(await installSetup(placeOf('coder'), PROJECT)).toMatchObject({ did: 'nothing' });
    expect(uninstallSetup(placeOf('coder'))).toMatchObject([{ did: 'removed' }]);
    expect(readdirSync(join(dir, 'project'))).toEqual([]);
  });

  it('leave what opencode keeps beside them', async () => {
    const other = join(dir, 'project', '.opencode', 'plugins', 'other.js');
    mkdirSync(join(dir, 'project', '.opencode', 'plugins'), { recursive: true });
    writeFileSync(other, 'export {};');
    await installSetup(placeOf('coder'), PROJECT);
    uninstallSetup(placeOf('coder'));
    expect(readFileSync(other, 'utf8')).toBe('export {};');
    expect(existsSync(pluginFile())).toBe(false);
  });

  it('are the same in every mode', async () => {
    await installSetup(placeOf('coder'), PROJECT, 'notify');
    const before = readFileSync(pluginFile(), 'utf8');
    expect(await installSetup(placeOf('coder'), PROJECT, 'continue')).toMatchObject({
      did: 'nothing',
      mode: 'continue',
    });
    expect(readFileSync(pluginFile(), 'utf8')).toBe(before);
  });

  it.each([
    [{}, 'home/.config/opencode/plugins'],
    [{ XDG_CONFIG_HOME: '/xdg' }, '/xdg/opencode/plugins'],
    [{ OPENCODE_CONFIG_DIR: 'own' }, 'own/plugins'],
  ])('stand in the directory of the person with %o', async (env, expected) => {
    const inDir = Object.fromEntries(Object.entries(env).map(([k, v]) => [k, join(dir, v)]));
    const { file } = await installSetup(placeOf('coder', 'hive', inDir), { scope: 'user' });
    expect(file).toBe(join(dir, expected, 'hivemail.js'));
  });

  it('are those of one agent: a session reads the mail of one', async () => {
    await installSetup(placeOf('coder'), PROJECT);
    await expect(installSetup(placeOf('tester'), PROJECT)).rejects.toThrow('is there already');
    expect(uninstallSetup(placeOf('tester'), PROJECT)).toMatchObject([{ did: 'nothing' }]);
    expect(existsSync(pluginFile())).toBe(true);
  });

  it('load what comes with hivemail, and name their owner whatever the path of the hive', async () => {
    const hive = `it's "a"\u2028hive`;
    await installSetup(placeOf('coder', hive), PROJECT);
    const home = join(dir, 'package', 'dist', 'doorbell', 'opencode');
    mkdirSync(home, { recursive: true });
    mkdirSync(join(dir, 'package', 'dist', 'cli'));
    writeFileSync(join(dir, 'package', 'dist', 'cli', 'hivemail.cjs'), '');
    writeFileSync(join(dir, 'package', 'package.json'), '{"type":"module"}');
    writeFileSync(
      join(home, 'plugin.js'),
      'export const connectOpencode = (input, hook) => ({ input, hook });',
    );
    expect(await load(pluginFile())).toMatchObject({
      input: { directory: dir },
      hook: {
        command: [expect.any(String), expect.stringContaining('hivemail.cjs'), 'hook', 'opencode'],
        flags: ['--hive', join(dir, hive), '--agent', 'coder'],
      },
    });
  });

  it('let opencode start when hivemail is gone', async () => {
    await installSetup(placeOf('coder'), PROJECT);
    expect(await load(pluginFile())).toEqual({});
  });
});
