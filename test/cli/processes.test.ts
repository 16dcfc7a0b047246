/** The command line as processes: signals, two routers, pipes that close, and the launcher. */
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Child, type ChildOptions, runChild, startChild } from '../clients/child.ts';
import { scrubbedEnvironment } from '../clients/environment.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { makeHive, type TestHive } from './command-line.ts';

const ROOT = join(import.meta.dirname, '../..');
const LIMIT_MS = 60_000;
const SOON = { timeout: 30_000 };

function program(args: string[], entry = 'main.ts'): ChildOptions {
  return {
    file: process.execPath,
    args: ['--import', 'tsx', join(ROOT, 'src/cli', entry), ...args],
    cwd: ROOT,
    env: scrubbedEnvironment({ HOME: '/nonexistent' }),
    timeLimitMs: LIMIT_MS,
  };
}

async function startUp({ dir }: TestHive, ...args: string[]): Promise<Child> {
  const router = await startChild(program(['up', dir, '--poll-ms', '50', ...args]));
  await expect.poll(() => router.stderr(), SOON).toContain('Ready.');
  return router;
}

describe('up', { timeout: LIMIT_MS }, () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('ends cleanly on %s', async (signal) => {
    const hive = await makeHive();
    await using router = await startUp(hive);
    const args = '--agent planner --to coder --act inform --subject x'.split(' ');
    expect((await hive.cli('send', ...args)).stdout).toContain('delivered to coder');
    router.signal(signal);
    const ended = await router.result();
    expect(ended).toMatchObject({ exitCode: 0, signal: null, stdout: '' });
    const lines = ended.stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ level, pid }) => ({ level, pid }))).toEqual(
      lines.map(() => ({ level: 'info', pid: router.pid })),
    );
    expect(lines.at(-1)).toMatchObject({ msg: expect.stringMatching(/^Stopped\./) });
    expect(await hive.json('status')).toMatchObject({ router: 'down' });
  });

  it('ends with 5 when another router is up, and names it', async () => {
    const hive = await makeHive();
    await using router = await startUp(hive);
    const second = await runChild(program(['up', hive.dir]));
    expect(second.exitCode).toBe(5);
    expect(second.stderr).toContain(`Process ${router.pid} on `);
    expect(second.stderr).toContain('`hivemail up --takeover`');
  });

  it('ends with 5 when another router takes over', async () => {
    const hive = await makeHive();
    await using first = await startUp(hive);
    await using second = await startUp(hive, '--takeover');
    const ended = await first.result();
    expect(ended.exitCode).toBe(5);
    expect(ended.stderr).toMatch(/^hivemail: .*\n/m);
    expect(await hive.json('status')).toMatchObject({ owner: { pid: second.pid } });
  });

  it('stays up with a roster that can not be read, and takes it in once it is mended', async () => {
    const hive = await makeHive();
    const registry = join(hive.dir, 'registry.json');
    const good = readFileSync(registry);
    writeFileSync(registry, '{');
    await using router = await startUp(hive);
    expect(router.stderr()).toContain('registry.json');
    writeFileSync(registry, good);
    const args = '--agent planner --to coder --act inform --subject x'.split(' ');
    expect((await hive.cli('send', ...args)).stdout).toContain('delivered to coder');
    router.signal('SIGTERM');
    expect(await router.result()).toMatchObject({ exitCode: 0 });
  });

  it('shows each row as JSON when asked', async () => {
    const hive = await makeHive();
    await using router = await startUp(hive, '--json');
    router.signal('SIGTERM');
    const { stdout } = await router.result();
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({
      kind: 'router',
      code: 'start',
    });
  });
});

describe('log -f', { timeout: LIMIT_MS }, () => {
  it('shows the last rows, then each new one once, and ends quietly when nobody reads', async () => {
    const hive = await makeHive();
    const log = join(hive.dir, 'log.jsonl');
    const write = (seq: number): void => {
      const row = {
        seq,
        ts: '2026-11-30T00:00:00.000Z',
        epoch: 1,
        kind: 'warning',
        note: `N${seq}.`,
      };
      appendFileSync(log, `${JSON.stringify(row)}\n`);
    };
    for (let seq = 0; seq < 5; seq++) write(seq);
    const args = ['log', '-f', '-n', '2', '--json', '--hive', hive.dir];
    await using following = await startChild(program(args));
    await expect.poll(() => following.stdout(), SOON).toContain('N4.');
    for (let seq = 5; seq < 8; seq++) write(seq);
    await expect.poll(() => following.stdout(), SOON).toContain('N7.');
    const rows = following
      .stdout()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).seq);
    expect(rows).toEqual([3, 4, 5, 6, 7]);

    const { file, args: words, ...options } = program(['log', '-f', '--hive', hive.dir]);
    const script = '"$@" | head -n 1; echo "${PIPESTATUS[0]}"';
    await using piped = await startChild({
      ...options,
      file: 'bash',
      args: ['-c', script, 'bash', file, ...words],
    });
    await expect.poll(() => piped.stdout(), SOON).toContain('N0.');
    write(8);
    const ended = await piped.result();
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ended.stdout).toMatch(/N0\.\n0\n$/);
  });
});

describe('the launcher', { timeout: LIMIT_MS }, () => {
  it('makes files that only their owner may read, whatever the umask', async () => {
    const dir = join(tempDir(), 'hive');
    const { args } = program(['init', dir], 'hivemail.cts');
    const script = 'umask 000; exec "$@"';
    const ran = await runChild({
      ...program([]),
      file: 'sh',
      args: ['-c', script, 'sh', process.execPath, ...args],
    });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(statSync(join(dir, 'agents')).mode & 0o777).toBe(0o700);
    expect(statSync(join(dir, 'registry.json')).mode & 0o777).toBe(0o600);
  });

  it('tells an old Node what is needed', async () => {
    const old =
      'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"18.20.0"})';
    const { args, ...options } = program(['--version'], 'hivemail.cts');
    const ran = await runChild({
      ...options,
      args: [...args.slice(0, 2), '--import', old, ...args.slice(2)],
    });
    expect(ran).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^hivemail: Hivemail needs Node 20\.19 or newer; .*\n$/);
  });

  it('starts commands with their arguments', async () => {
    const hive = await makeHive();
    const ran = await runChild(program(['agent', 'list', '--hive', hive.dir], 'hivemail.cts'));
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^coder /m);
    expect(readFileSync(join(ROOT, 'src/cli/hivemail.cts'), 'utf8')).toMatch(
      /^#!\/usr\/bin\/env node\n/,
    );
  });
});
