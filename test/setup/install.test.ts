import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  installSetup,
  type SetupPlace,
  type SetupTarget,
  showSetups,
  uninstallSetup,
} from '../../src/index.ts';
import { tempDir } from '../helpers/temp-dir.ts';

let dir: string;
let file: string;

beforeEach(() => {
  dir = tempDir();
  file = join(dir, 'project', '.claude', 'settings.local.json');
});

/** An agent of a hive; `claude` is not in its PATH unless a version is named. */
function placeOf(agent: string, hive = 'hive', claude?: string): SetupPlace {
  const root = join(dir, hive, 'agents', agent);
  mkdirSync(root, { recursive: true });
  mkdirSync(join(dir, 'project'), { recursive: true });
  const bin = join(dir, `bin-${claude ?? 'none'}`);
  mkdirSync(bin, { recursive: true });
  if (claude !== undefined) {
    writeFileSync(join(bin, 'claude'), `#!/bin/sh\necho '${claude} (Claude Code)'\n`, {
      mode: 0o755,
    });
  }
  return {
    kind: 'hooks' as const,
    owner: { client: 'claude', hive: join(dir, hive), agent },
    root,
    env: { HOME: join(dir, 'home'), PATH: `${bin}:/usr/bin:/bin` },
    cwd: join(dir, 'project'),
    launcher: '/opt/hivemail/dist/cli/hivemail.cjs',
  };
}

const PROJECT: SetupTarget = { scope: 'project' };

function write(text: string, path = file): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const read = (path = file): string => readFileSync(path, 'utf8');

interface Hook {
  command: string;
  timeout: number;
  asyncRewake?: boolean;
}

/** The hooks in a settings file of one agent, as `event: command`. */
function hooksIn(path: string, agent: string): Record<string, Hook[]> {
  const { hooks } = JSON.parse(read(path)) as { hooks: Record<string, { hooks: Hook[] }[]> };
  return Object.fromEntries(
    Object.entries(hooks).map(([event, groups]) => [
      event,
      groups.flatMap((group) => group.hooks).filter((hook) => hook.command.endsWith(` ${agent}`)),
    ]),
  );
}

describe('installSetup', () => {
  it('writes commands that say all they need', async () => {
    const report = await installSetup(placeOf('coder'), PROJECT);
    expect(report).toMatchObject({ file, did: 'installed', mode: 'notify' });
    const { Stop = [] } = hooksIn(file, 'coder');
    expect(Stop.map(({ command }) => command)).toEqual([
      `${process.execPath} /opt/hivemail/dist/cli/hivemail.cjs hook claude Stop --hive ${dir}/hive --agent coder`,
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('does nothing the second time', async () => {
    await installSetup(placeOf('coder'), PROJECT);
    const [text, { mtimeNs }] = [read(), statSync(file, { bigint: true })];
    expect(await installSetup(placeOf('coder'), PROJECT)).toMatchObject({ did: 'nothing' });
    expect(read()).toBe(text);
    expect(statSync(file, { bigint: true }).mtimeNs).toBe(mtimeNs);
  });

  it('brings hooks of an older installation up to date, and they still go without a trace', async () => {
    write('{ "a": 1 }\n');
    const older = { ...placeOf('coder'), launcher: '/old/hivemail.cjs' };
    await installSetup(older, PROJECT);
    await installSetup(placeOf('planner'), PROJECT);
    expect(await installSetup(placeOf('coder'), PROJECT)).toMatchObject({ did: 'updated' });
    expect(read()).not.toContain('/old/');
    expect(hooksIn(file, 'coder')['Stop']).toHaveLength(1);
    uninstallSetup(placeOf('planner'));
    uninstallSetup(placeOf('coder'));
    expect(read()).toBe('{ "a": 1 }\n');
  });

  it('wakes idle sessions in mode continue of a client that can, and only there', async () => {
    const waiters = (agent: string) =>
      Object.entries(hooksIn(file, agent)).flatMap(([event, hooks]) =>
        hooks.filter((hook) => hook.asyncRewake).map(({ timeout }) => [event, timeout]),
      );
    await installSetup(placeOf('coder', 'hive', '2.1.200'), PROJECT, 'continue');
    expect(waiters('coder')).toEqual([
      ['SessionStart', 86_400],
      ['Stop', 86_400],
    ]);
    await installSetup(placeOf('coder', 'hive', '2.1.200'), PROJECT, 'notify');
    expect(waiters('coder')).toEqual([]);
    const old = await installSetup(placeOf('planner', 'hive', '2.0.14'), PROJECT, 'continue');
    expect(waiters('planner')).toEqual([]);
    expect(old.notes.join(' ')).toContain('takes Claude Code 2.1.197, and this is 2.0.14');
    expect(Object.keys(hooksIn(file, 'planner'))).toContain('PostToolUse');
    expect(hooksIn(file, 'planner')['PermissionRequest']).toEqual([]);
    const none = await installSetup(placeOf('tester'), PROJECT, 'continue');
    expect(none.notes.join(' ')).toContain('did not say its version');
  });

  it('keeps the mode of an agent unless one is given', async () => {
    await installSetup(placeOf('coder'), PROJECT, 'continue');
    expect(await installSetup(placeOf('coder'), { scope: 'user' })).toMatchObject({
      mode: 'continue',
    });
  });

  it('writes where the client looks', async () => {
    const user = await installSetup(placeOf('coder'), { scope: 'user' });
    expect(user.file).toBe(join(dir, 'home', '.claude', 'settings.json'));
    const { env, ...place } = placeOf('coder');
    const elsewhere = { ...place, env: { ...env, CLAUDE_CONFIG_DIR: join(dir, 'config') } };
    expect((await installSetup(elsewhere, { scope: 'user' })).file).toBe(
      join(dir, 'config', 'settings.json'),
    );
    const named = { scope: 'file', file: join(dir, 'my.json') } as const;
    expect((await installSetup(placeOf('coder'), named)).file).toBe(named.file);
  });

  it('allows keystrokes only where that was asked for, and until it is taken back', async () => {
    const place = placeOf('coder');
    const settings = join(place.root, '.doorbell', 'settings.json');
    expect(await installSetup(place, PROJECT)).toMatchObject({ tmux: false });
    expect(read(settings)).not.toContain('tmux');
    expect(await installSetup(place, PROJECT, 'continue', true)).toMatchObject({ tmux: true });
    expect(await installSetup(place, PROJECT)).toMatchObject({ tmux: true, mode: 'continue' });
    expect(JSON.parse(read(settings))).toEqual({ mode: 'continue', tmux: true });
    expect(await installSetup(place, PROJECT, undefined, false)).toMatchObject({ tmux: false });
  });

  it('writes through a link, and keeps the mode of the file', async () => {
    const target = join(dir, 'dotfiles', 'claude.json');
    write('{}\n', target);
    chmodSync(target, 0o640);
    mkdirSync(dirname(file), { recursive: true });
    symlinkSync('../../dotfiles/claude.json', file);
    await installSetup(placeOf('coder'), PROJECT);
    expect(hooksIn(target, 'coder')['Stop']).toHaveLength(1);
    expect(statSync(target).mode & 0o777).toBe(0o640);
    uninstallSetup(placeOf('coder'), PROJECT);
    expect(read(target)).toBe('{}\n');
    expect(readdirSync(dirname(target))).toEqual(['claude.json']);
  });

  it.each([
    ['{ "hooks": ', /is not valid JSON .* line 1, column 12\)\. Nothing was changed\./],
    ['{ "hooks": 1 }', /other than an object under "hooks"/],
    [Buffer.from('{ "a": "\xff" }', 'latin1'), /is not UTF-8/],
    [Buffer.from('{}', 'utf16le'), /is not valid JSON/],
  ])('refuses %j, and writes nothing', async (text, why) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    const place = placeOf('coder');
    await expect(installSetup(place, PROJECT)).rejects.toThrow(why);
    expect(readFileSync(file)).toEqual(Buffer.from(text));
    expect(readdirSync(dirname(file))).toHaveLength(1);
    expect(showSetups(place)).toEqual([]);
  });

  it('says so where nothing can be written, and remembers nothing', async () => {
    write('not a directory', join(dir, 'project', '.claude'));
    const place = placeOf('coder');
    await expect(installSetup(place, PROJECT)).rejects.toThrow(/ENOTDIR|EEXIST|not a directory/);
    expect(showSetups(place)).toEqual([]);
  });
});

describe('uninstallSetup', () => {
  it.each([
    ['text', '{\r\n\t"env": { "KEY": "v" }, // mine\r\n}'],
    ['a byte order mark', '\uFEFF{ "a": 1 }\n'],
    ['nothing', ''],
  ])('brings back a file with %s', async (_, text) => {
    write(text);
    const bytes = readFileSync(file);
    await installSetup(placeOf('coder'), PROJECT);
    expect(uninstallSetup(placeOf('coder'))).toEqual([{ file, did: 'restored' }]);
    expect(readFileSync(file)).toEqual(bytes);
  });

  it('removes the file and the directories that were made', async () => {
    await installSetup(placeOf('coder'), PROJECT);
    await installSetup(placeOf('planner'), PROJECT);
    uninstallSetup(placeOf('coder'));
    expect(uninstallSetup(placeOf('planner'))).toEqual([{ file, did: 'removed' }]);
    expect(readdirSync(join(dir, 'project'))).toEqual([]);
  });

  it('keeps a directory that something else was put into', async () => {
    await installSetup(placeOf('coder'), PROJECT);
    write('x', join(dirname(file), 'other'));
    uninstallSetup(placeOf('coder'));
    expect(readdirSync(dirname(file))).toEqual(['other']);
  });

  it('tells agents of one name in two hives apart, in either order', async () => {
    write('{ "hooks": { "Stop": [] } }');
    const [one, other] = [placeOf('coder', 'one'), placeOf('coder', 'it’s "other"')];
    await installSetup(one, PROJECT);
    await installSetup(other, PROJECT);
    expect(hooksIn(file, 'coder')['Stop']).toHaveLength(2);
    uninstallSetup(one);
    expect(hooksIn(file, 'coder')['Stop']).toHaveLength(1);
    uninstallSetup(other);
    expect(read()).toBe('{ "hooks": { "Stop": [] } }');
  });

  it('takes only ours out of a file that was edited meanwhile', async () => {
    write('{\n  "model": "x"\n}\n');
    await installSetup(placeOf('coder'), PROJECT);
    write(read().replace('"x"', '"y"').replace(/\}\n$/, '} // end\n'));
    uninstallSetup(placeOf('coder'));
    expect(read()).toBe('{\n  "model": "y"\n} // end\n');
  });

  it('takes ours out when the records are gone', async () => {
    write('{\n  "model": "x"\n}\n');
    const place = placeOf('coder');
    await installSetup(place, PROJECT);
    const gone = { ...place, root: join(dir, 'gone') };
    expect(uninstallSetup(gone)).toEqual([{ file, did: 'restored' }]);
    expect(read()).toBe('{\n  "model": "x"\n}\n');
  });

  it('takes them out of every file, or of the one that is named', async () => {
    const place = placeOf('coder');
    await installSetup(place, PROJECT);
    const { file: user } = await installSetup(place, { scope: 'user' });
    expect(uninstallSetup(place, { scope: 'user' })).toEqual([{ file: user, did: 'removed' }]);
    expect(existsSync(file)).toBe(true);
    await installSetup(place, { scope: 'user' });
    expect(uninstallSetup(place)).toHaveLength(2);
    expect(existsSync(file) || existsSync(user)).toBe(false);
    expect(uninstallSetup(place)).toEqual([{ file, did: 'nothing' }]);
  });

  it('refuses what is broken, and writes nothing', async () => {
    await installSetup(placeOf('coder'), PROJECT);
    const broken = read().slice(0, -3);
    write(broken);
    expect(() => uninstallSetup(placeOf('coder'))).toThrow('Correct it, then try again.');
    expect(read()).toBe(broken);
    expect(showSetups(placeOf('coder'))).toMatchObject([{ state: 'unreadable' }]);
  });
});

describe('showSetups', () => {
  it('tells whether they are still there', async () => {
    const place = placeOf('coder');
    await installSetup(place, PROJECT, 'continue');
    const shown = () => showSetups(place).map(({ state, mode, file: at }) => [state, mode, at]);
    expect(shown()).toEqual([['as installed', 'continue', file]]);
    write(read().replace('"timeout": 5', '"timeout": 6'));
    expect(shown()).toEqual([['older', 'continue', file]]);
    write('{}');
    expect(shown()).toEqual([['gone', 'continue', file]]);
    uninstallSetup(place);
    expect(shown()).toEqual([]);
    expect(read()).toBe('{}');
  });
});
