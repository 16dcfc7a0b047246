import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { type Git, openGit } from '../../src/history/git.ts';
import { recordBatches } from '../../src/history/recorder.ts';
import { findInPath } from '../../src/hive/path-lookup.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import * as hives from './hive.ts';

function script(dir: string, name: string, body: string): string {
  const path = join(dir, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o700);
  return path;
}

async function shimmed(body: string): Promise<Git> {
  const home = tempDir();
  const gitPath = script(
    home,
    'git',
    `case "$*" in *--version) echo git version 2.39.5;; *) ${body};; esac`,
  );
  return await openGit({ gitPath, gitDir: home, home });
}

test('a git that lies in the hive is not taken, wherever on PATH it stands', async () => {
  const hive = tempDir();
  const [home, bin] = [join(hive, '.router'), join(hive, 'agents', 'coder', 'bin')];
  for (const dir of [home, bin]) mkdirSync(dir, { recursive: true });
  script(bin, 'git', `touch ${join(hive, 'ran')}; echo git version 9.9`);
  const PATH = [bin, hive, process.env['PATH']].join(delimiter);
  const git = await openGit({ gitDir: home, home, env: { PATH } });
  expect(git.path.startsWith(hive)).toBe(false);
  expect(existsSync(join(hive, 'ran'))).toBe(false);
  expect(findInPath('git', [bin, hive].join(delimiter), hive)).toBeUndefined();
  expect(findInPath('git', bin, join(hive, 'agents', 'code'))).toBe(join(bin, 'git'));
});

test('git is found on PATH by its absolute path, and never below where one stands', () => {
  const [dir, later] = [tempDir(), tempDir()];
  mkdirSync(join(dir, 'git'));
  writeFileSync(join(later, 'git'), 'no program', { mode: 0o600 });
  const found = script(tempDir(), 'git', 'true');
  const below = relative(process.cwd(), dirname(found));
  expect(findInPath('git', ['', '.', below, dir, later].join(delimiter))).toBeUndefined();
  expect(findInPath('git', [below, dir, later, dirname(found), '.'].join(delimiter))).toBe(found);
});

test('no git is an error that says what to do', async () => {
  const home = tempDir();
  await expect(openGit({ env: { PATH: '' }, gitDir: home, home })).rejects.toMatchObject({
    code: 'git',
    message: expect.stringContaining('Install git 2.36 or newer'),
  });
  await expect(openGit({ gitPath: '/nowhere/git', gitDir: home, home })).rejects.toMatchObject({
    code: 'git',
    message: expect.stringContaining('could not be started'),
    surroundings: true,
  });
});

test.each([
  ['2.35.9', false],
  ['2.36.0', true],
  ['2.39.5 (Apple Git-154)', true],
  ['2.46.GIT', true],
  ['3.0.1.windows.2', true],
  ['nonsense', false],
])('git %s syncs all it writes: %s', async (said, syncsAll) => {
  const home = tempDir();
  const gitPath = script(home, 'git', `echo 'git version ${said}'`);
  expect(await openGit({ gitPath, gitDir: home, home })).toMatchObject({ syncsAll });
});

test('an old git is reported, and what it writes is recorded all the same', async () => {
  const hive = hives.makeHive();
  const real = findInPath('git', process.env['PATH'] ?? '');
  const bin = tempDir();
  script(
    bin,
    'git',
    `case "$*" in *--version) echo git version 2.30.2;; *) exec ${real} "$@";; esac`,
  );
  const history = await hives.open(hive, { env: { PATH: bin } });
  hives.enqueue(hive, hives.makeBatch(hive));
  expect(await history.flush({ timeoutMs: 20_000 })).toBe(true);
  expect(hive.reports.map(({ kind }) => kind)).toEqual(['old-git']);
  expect(history.state()).toMatchObject({ ok: true, gitVersion: '2.30.2' });
});

test('nothing of the environment leads git elsewhere or runs through it', async () => {
  const hive = hives.makeHive();
  const foreign = tempDir();
  hives.git(foreign, 'init', '-q', '--bare', '.');
  const home = tempDir();
  const trace = join(home, 'trace');
  mkdirSync(join(home, 'hooks'));
  script(join(home, 'hooks'), 'reference-transaction', `touch ${trace}; exit 1`);
  script(join(home, 'hooks'), 'pager', `touch ${trace}`);
  const hooks = `[core]\n\thooksPath = ${join(home, 'hooks')}\n`;
  writeFileSync(join(home, '.gitconfig'), hooks);
  const planted: NodeJS.ProcessEnv = {
    HOME: home,
    XDG_CONFIG_HOME: home,
    GIT_CONFIG_GLOBAL: join(home, '.gitconfig'),
    GIT_DIR: foreign,
    GIT_OBJECT_DIRECTORY: join(foreign, 'objects'),
    GIT_WORK_TREE: home,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.hooksPath',
    GIT_CONFIG_VALUE_0: home,
    GIT_TRACE: trace,
    GIT_PAGER: join(home, 'hooks', 'pager'),
    GIT_EXEC_PATH: home,
    NODE_OPTIONS: '--no-such-option',
    LD_PRELOAD: '/nowhere.so',
    GIT_DEFAULT_HASH: 'sha256',
  };
  const before = { ...process.env };
  Object.assign(process.env, planted);
  try {
    await recordBatches(await hives.prepare(hive), [hives.makeBatch(hive)]);
  } finally {
    for (const name of Object.keys(planted)) delete process.env[name];
    Object.assign(process.env, before);
  }
  expect(hives.commitCount(hive)).toBe(1);
  expect(hives.git(foreign, 'rev-list', '--all')).toBe('');
  expect(existsSync(trace)).toBe(false);
});

test('what git prints never acts on a terminal, and is kept short', async () => {
  const git = await shimmed(`printf 'fatal: \\033]0;x\\007 %01000d\\n' 1 >&2; exit 128`);
  const failure: unknown = await git.run(['log']).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'git', exitCode: 128, surroundings: false });
  const { message, cause } = failure as Error;
  expect(message).toMatch(
    /^git log failed with exit code 128: fatal: \\u001b\]0;x\\u0007 0+\. Mail/,
  );
  expect(message.length).toBeLessThan(500);
  expect((cause as Error).message).not.toContain('\u001b');
});

test.each(['No space left on device', 'Permission denied', 'Too many open files'])(
  'a failure for "%s" is one of the surroundings',
  async (reason) => {
    const git = await shimmed(`echo 'error: unable to write x: ${reason}' >&2; exit 128`);
    await expect(git.run(['log'])).rejects.toMatchObject({ surroundings: true });
  },
);

test('a git that floods its output is ended, one that floods its errors is not', async () => {
  const flood = await shimmed('yes');
  await expect(flood.run(['log'])).rejects.toMatchObject({ code: 'git' });
  const errors = await shimmed('head -c 300000 /dev/zero >&2; exit 0');
  expect(await errors.run(['log'])).toEqual({ exitCode: 0, stdout: '' });
});

test('a git that hangs is ended with all it started: in time, or by the signal', async () => {
  const dir = tempDir();
  const git = await shimmed(`sleep 600 & echo $! > ${dir}/$$; wait`);
  await expect(git.run(['log'], { timeoutMs: 300 })).rejects.toMatchObject({ code: 'timeout' });
  const closing = new AbortController();
  const reason = new Error('closing');
  const run = git.run(['log'], { signal: closing.signal });
  closing.abort(reason);
  await expect(run).rejects.toBe(reason);
  await expect(git.run(['log'], { signal: closing.signal })).rejects.toBe(reason);
  expect(readdirSync(dir).length).toBeLessThanOrEqual(2);
});

test('a git that is ended is asked first, so that it can remove its locks', async () => {
  const trace = join(tempDir(), 'asked');
  const started = `${trace}.started`;
  const git = await shimmed(
    `trap 'echo x > ${trace}; exit 0' TERM; echo x > ${started}; while :; do sleep 0.02; done`,
  );
  const closing = new AbortController();
  const run = git.run(['log'], { signal: closing.signal });
  while (!existsSync(started)) await new Promise((resolve) => setTimeout(resolve, 10));
  closing.abort(new Error('closing'));
  await expect(run).rejects.toThrow('closing');
  expect(existsSync(trace)).toBe(true);
});
