import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../helpers/temp-dir.ts';
import { hivemail, makeHive } from './command-line.ts';

function registryOf(dir: string): { godId: string | null; agents: object } {
  return JSON.parse(readFileSync(join(dir, 'registry.json'), 'utf8'));
}

describe('init', () => {
  it('makes ./hive with god, planner and coder, and says what to do next', async () => {
    const cwd = tempDir();
    const ran = await hivemail(['init'], { cwd });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toContain(`Made a hive in ${join(cwd, 'hive')}`);
    expect(ran.stdout).toContain('god (orchestrator), planner, coder');
    expect(ran.stdout).toMatch(/^ +hivemail up$/m);
    expect(ran.stdout).toContain('eval "$(hivemail agent env planner)"');
    expect(registryOf(join(cwd, 'hive'))).toMatchObject({ godId: 'god' });
  });

  it.each([
    [['--agents', 'a, b'], null],
    [['--agents', 'a,b', '--orchestrator', 'b'], 'b'],
    [['--no-orchestrator'], null],
    [['--agents', ''], null],
  ])('%j makes the orchestrator %j', async (args, godId) => {
    const cwd = tempDir();
    const ran = await hivemail(['init', 'mail', '--json', ...args], { cwd });
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: true, orchestrator: godId });
    expect(registryOf(join(cwd, 'mail'))).toMatchObject({ godId });
  });

  it('quotes a directory that a shell would take apart', async () => {
    const cwd = tempDir();
    const ran = await hivemail(['init', "it's mine"], { cwd });
    expect(ran.stdout).toContain(String.raw`hivemail up '${cwd}/it'\''s mine'`);
  });

  it('completes an existing hive and changes nothing else', async () => {
    const { dir, cli } = await makeHive();
    writeFileSync(join(dir, 'board.md'), '# Mine\n');
    writeFileSync(join(dir, 'hive.json'), '{"pollMs":100}');
    const ran = await hivemail(['init', dir, '--agents', 'other']);
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toContain('There is a hive already in');
    expect(ran.stdout).toContain('Add agents with `hivemail agent add ID`.');
    expect(readFileSync(join(dir, 'board.md'), 'utf8')).toBe('# Mine\n');
    expect(Object.keys(registryOf(dir).agents)).toEqual(['god', 'planner', 'coder']);
    expect((await cli('agent', 'list')).exitCode).toBe(0);
  });

  it('refuses a directory that holds something else, and names that can be no agents', async () => {
    const cwd = tempDir();
    mkdirSync(join(cwd, 'full'));
    writeFileSync(join(cwd, 'full/notes.txt'), '');
    expect(await hivemail(['init', 'full'], { cwd })).toMatchObject({ exitCode: 4 });
    for (const args of [
      ['--agents', 'Not An Id'],
      ['--agents', 'a', '--orchestrator', 'b'],
      ['--orchestrator', ''],
    ]) {
      expect(await hivemail(['init', 'new', ...args], { cwd })).toMatchObject({ exitCode: 2 });
    }
    expect(existsSync(join(cwd, 'new'))).toBe(false);
  });
});

describe('up --once', () => {
  it('routes what waits and tells how much', async () => {
    const hive = await makeHive();
    await hive.cli('send', ...'--agent planner --to coder --act inform --subject x'.split(' '));
    const ran = await hive.cli('up', '--once');
    expect(ran).toEqual({ exitCode: 0, stdout: 'Routed 1 letter.\n', stderr: '' });
    expect(await hive.json('inbox', '--agent', 'coder')).toHaveLength(1);
    const again = await hivemail(['up', hive.dir, '--once']);
    expect(again.stdout).toBe('Routed 0 letters.\n');
    const report = { letters: 0, waiting: false, recorded: true, left: [], unhealthy: false };
    expect(await hive.json('up', '--once')).toEqual(report);
  });

  it('ends with 6 when it leaves something, and says what', async () => {
    const hive = await makeHive();
    const inbox = join(hive.dir, 'agents/coder/inbox');
    renameSync(inbox, join(hive.dir, '..', 'inbox'));
    writeFileSync(inbox, 'in its place');
    await hive.cli('send', ...'--agent planner --to coder --act inform --subject x'.split(' '));
    const ran = await hive.cli('up', '--once');
    expect(ran.exitCode).toBe(6);
    expect(ran.stdout).toContain('coder');
    const json = await hive.cli('up', '--once', '--json');
    expect(json.exitCode).toBe(6);
    expect(JSON.parse(json.stdout).left.join()).toContain('coder');
  });

  it('ends with 5 and names the router that is up', async () => {
    const hive = await makeHive();
    await using _router = await hive.up();
    const ran = await hive.cli('up', '--once');
    expect(ran).toMatchObject({ exitCode: 5, stdout: '' });
    expect(ran.stderr).toContain(`Process ${process.pid} on `);
  });
});

describe('help', () => {
  const COMMANDS = [
    ...['init', 'up', 'send', 'inbox', 'read', 'ack', 'reply', 'wait'],
    ...['status', 'log', 'held', 'release', 'agent'],
  ];
  const CHANGES = ['add', 'list', 'show', 'env', 'set', 'rename', 'archive', 'restore', 'hold'];

  it('lists every command', async () => {
    const { stdout, exitCode } = await hivemail(['--help']);
    expect(exitCode).toBe(0);
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    const agent = await hivemail(['agent', '--help']);
    for (const change of CHANGES) expect(agent.stdout).toMatch(new RegExp(`^  ${change} `, 'm'));
  });

  it.each([...COMMANDS, ...CHANGES.map((change) => `agent ${change}`)])(
    'explains %s with examples',
    async (command) => {
      const { stdout, stderr, exitCode } = await hivemail([...command.split(' '), '--help']);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout).toMatch(/^Examples:\n {2}\S/m);
      expect(stdout).toContain('--hive <dir>');
    },
  );

  it('knows its version', async () => {
    const manifest = new URL('../../package.json', import.meta.url);
    const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
    expect((await hivemail(['--version'])).stdout).toBe(`${version}\n`);
  });
});

describe('a wrong call', () => {
  it.each([
    [['sned'], "hivemail: unknown command 'sned'. Did you mean send?\n"],
    [['inbox', '--jsn'], "hivemail: unknown option '--jsn'. Did you mean --json?\n"],
    [['agent', 'ad', 'x'], "hivemail: unknown command 'ad'. Did you mean add?\n"],
    [['read'], "hivemail: missing required argument 'id'.\n"],
    [['inbox', 'x'], /^hivemail: too many arguments for 'inbox'\..*\n$/],
  ])('%j gets a sentence and exit code 2', async (args, stderr) => {
    const ran = await hivemail(args);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toMatch(stderr);
    const json = await hivemail([...args, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: 'usage' } });
  });

  it('without a command shows the help, as an error', async () => {
    for (const args of [[], ['agent']]) {
      const ran = await hivemail(args);
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ran.stderr).toContain('Usage: hivemail');
    }
  });

  it('takes options of every command before and after it; the later one wins', async () => {
    const { dir } = await makeHive();
    for (const args of [
      ['--hive', dir, '--agent', 'coder', '--json', 'inbox'],
      ['--hive', '/nowhere', '--agent', 'god', 'inbox', '--hive', dir, '--json', '--agent=coder'],
    ]) {
      expect(await hivemail(args)).toEqual({ exitCode: 0, stdout: '[]\n', stderr: '' });
    }
  });
});
