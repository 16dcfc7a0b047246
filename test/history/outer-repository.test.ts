import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  excludeFromOuterRepository,
  findOuterExclusion,
} from '../../src/history/outer-repository.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import * as hives from './hive.ts';

function outerTree(): string {
  const tree = tempDir();
  hives.git(tree, 'init', '-q', '-b', 'main');
  writeFileSync(join(tree, 'a.txt'), 'a');
  return tree;
}

async function hiveIn(tree: string, ...path: string[]): Promise<string> {
  const hive = hives.makeHive(join(tree, ...path));
  writeFileSync(join(hive.layout.root, 'hive.json'), '{}');
  await hives.prepare(hive);
  return hive.layout.root;
}

test('a hive in a work tree breaks git there; excluded, it does not and is not listed', async () => {
  const tree = outerTree();
  const hive = await hiveIn(tree, 'deep', 'hive');
  expect(hives.tryGit(tree, 'add', '-A').status).not.toBe(0);
  const file = join(tree, '.git/info/exclude');
  expect(excludeFromOuterRepository(hive)).toEqual({ outcome: 'excluded', file });
  expect(hives.tryGit(tree, 'add', '-A')).toMatchObject({ status: 0, stderr: '' });
  expect(hives.git(tree, 'status', '--porcelain')).toBe('A  a.txt\n');
  hives.git(tree, 'commit', '-q', '-m', 'all');
  expect(hives.git(tree, 'ls-files')).toBe('a.txt\n');
});

test('the line is added once, and foreign lines are kept', async () => {
  const tree = outerTree();
  const hive = await hiveIn(tree, 'hive');
  const file = join(tree, '.git/info/exclude');
  writeFileSync(file, '# mine\n*.tmp');
  expect(findOuterExclusion(hive)).toEqual({ file, pattern: '/hive/', present: false });
  excludeFromOuterRepository(hive);
  const text = readFileSync(file, 'utf8');
  expect(text).toMatch(/^# mine\n\*\.tmp\n#.*\n\/hive\/\n$/);
  expect(excludeFromOuterRepository(hive)).toEqual({ outcome: 'already', file });
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect(findOuterExclusion(hive)?.present).toBe(true);
});

test('a hive in no work tree needs nothing', async () => {
  const hive = await hiveIn(tempDir(), 'hive');
  expect(excludeFromOuterRepository(hive)).toEqual({ outcome: 'none' });
});

test('a repository without info gets it, as readable as the repository is', async () => {
  const tree = outerTree();
  const hive = await hiveIn(tree, 'hive');
  rmSync(join(tree, '.git/info'), { recursive: true });
  excludeFromOuterRepository(hive);
  const mode = (path: string): number => statSync(join(tree, path)).mode & 0o777;
  expect(mode('.git/info/exclude')).toBe(mode('.git/HEAD'));
  expect(mode('.git/info')).toBe(mode('.git'));
  expect(hives.tryGit(tree, 'add', '-A').status).toBe(0);
});

test('in a linked work tree the line goes where all work trees of the repository look', async () => {
  const tree = outerTree();
  hives.git(tree, 'commit', '-q', '--allow-empty', '-m', 'x');
  const linked = join(tempDir(), 'linked');
  hives.git(tree, 'worktree', 'add', '-q', linked);
  const hive = await hiveIn(linked, 'hive');
  const file = join(tree, '.git/info/exclude');
  expect(excludeFromOuterRepository(hive)).toEqual({ outcome: 'excluded', file });
  expect(hives.tryGit(linked, 'add', '-A').status).toBe(0);
  expect(hives.git(linked, 'status', '--porcelain')).toBe('');
});

test('in a submodule the line goes to the submodule', async () => {
  const tree = outerTree();
  hives.git(tree, 'commit', '-q', '--allow-empty', '-m', 'x');
  const outer = outerTree();
  hives.git(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', tree, 'sub');
  const hive = await hiveIn(outer, 'sub', 'hive');
  const file = join(outer, '.git/modules/sub/info/exclude');
  expect(excludeFromOuterRepository(hive)).toEqual({ outcome: 'excluded', file });
  expect(hives.git(join(outer, 'sub'), 'status', '--porcelain')).toBe('');
});

test.each(['#a [b]*?', 'ä 😀', ' lead', '!x', 'a\\b', 'line\nfeed'])(
  'a path of special characters is excluded exactly: %j',
  async (name) => {
    const tree = outerTree();
    const hive = await hiveIn(tree, name, 'hive');
    mkdirSync(join(tree, 'a  bb', 'hive'), { recursive: true });
    writeFileSync(join(tree, 'a  bb', 'hive', 'theirs'), '');
    excludeFromOuterRepository(hive);
    expect(hives.tryGit(tree, 'add', '-A').status).toBe(0);
    expect(hives.git(tree, 'ls-files')).toBe('a  bb/hive/theirs\na.txt\n');
  },
);

test('a hive reached through a link is excluded where it really lies', async () => {
  const tree = outerTree();
  await hiveIn(tree, 'hive');
  const link = join(tempDir(), 'link');
  symlinkSync(join(tree, 'hive'), link);
  expect(excludeFromOuterRepository(link)).toMatchObject({ outcome: 'excluded' });
  expect(hives.tryGit(tree, 'add', '-A').status).toBe(0);
});

test('a directory named .git that is no repository is passed over', async () => {
  const tree = outerTree();
  mkdirSync(join(tree, 'sub', '.git'), { recursive: true });
  const hive = await hiveIn(tree, 'sub', 'hive');
  expect(findOuterExclusion(hive)?.pattern).toBe('/sub/hive/');
});

test('nothing of the outer repository is run', async () => {
  const tree = outerTree();
  const hive = await hiveIn(tree, 'hive');
  const trace = join(tree, 'trace');
  appendFileSync(join(tree, '.git/config'), `[core]\n\tfsmonitor = touch ${trace}\n`);
  excludeFromOuterRepository(hive);
  expect(statSync(trace, { throwIfNoEntry: false })).toBeUndefined();
});

test('an exclude file that can not be written is an error that says what to add', async () => {
  const tree = outerTree();
  const hive = await hiveIn(tree, 'hive');
  rmSync(join(tree, '.git/info'), { recursive: true });
  writeFileSync(join(tree, '.git/info'), '');
  expect(() => excludeFromOuterRepository(hive)).toThrow(
    expect.objectContaining({ code: 'io', message: expect.stringContaining('"/hive/"') }),
  );
});
