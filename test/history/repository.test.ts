import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openGit } from '../../src/history/git.ts';
import { recordBatches } from '../../src/history/recorder.ts';
import { prepareRepository } from '../../src/history/repository.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import * as hives from './hive.ts';

type Hive = hives.TestHive;

const kinds = (hive: Hive): string[] => hive.reports.map(({ kind }) => kind);
const aside = (hive: Hive): string[] =>
  readdirSync(hive.layout.root)
    .filter((name) => name.startsWith('.git.'))
    .sort();

test('a new hive gets a bare repository on main, without templates, and nothing to report', async () => {
  const hive = hives.makeHive();
  await hives.prepare(hive);
  const { root, git } = hive.layout;
  expect(hives.git(root, 'config', '--get', 'core.bare')).toBe('true\n');
  expect(hives.git(root, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main\n');
  expect(readdirSync(git)).not.toContain('hooks');
  expect(readdirSync(hive.layout.router)).toEqual(['history']);
  expect(hive.reports).toEqual([]);
});

test('a repository of ours is kept as it is by the next router', async () => {
  const hive = hives.makeHive();
  await recordBatches(await hives.prepare(hive), [hives.makeBatch(hive)]);
  const tip = hives.git(hive.layout.root, 'rev-parse', 'main');
  for (const first of [true, false]) await hives.prepare(hive, first);
  expect(hives.git(hive.layout.root, 'rev-parse', 'main')).toBe(tip);
  expect(hive.reports).toEqual([]);
  expect(aside(hive)).toEqual([]);
});

test('what a killed router left of a repository in the making is made anew', async () => {
  const hive = hives.makeHive();
  mkdirSync(join(hive.layout.router, 'new-.git', 'objects'), { recursive: true });
  await recordBatches(await hives.prepare(hive), [hives.makeBatch(hive)]);
  expect(hives.commitCount(hive)).toBe(1);
});

test('an own repository of the hive is set aside whole, under a name that is free', async () => {
  const hive = hives.makeHive();
  const { root } = hive.layout;
  hives.git(root, 'init', '-q');
  hives.git(root, 'commit', '-q', '--allow-empty', '-m', 'theirs');
  mkdirSync(join(root, '.git.before-hivemail'));
  await recordBatches(await hives.prepare(hive), [hives.makeBatch(hive)]);
  expect(aside(hive)).toEqual(['.git.before-hivemail', '.git.before-hivemail-2']);
  const theirs = hives.git(root, '--git-dir=.git.before-hivemail-2', 'log', '--format=%s', '--all');
  expect(theirs).toBe('theirs\n');
  expect(hives.subjects(hive)).toHaveLength(1);
  expect(kinds(hive)).toEqual(['foreign-repository']);
  expect(hive.reports[0]?.sentence).toContain('.git.before-hivemail-2');
});

test.each([
  [
    'a file that leads to another repository',
    (path: string) => writeFileSync(path, 'gitdir: ../x\n'),
  ],
  ['a link that leads to another repository', (path: string) => symlinkSync('../elsewhere', path)],
  ['an empty directory', (path: string) => mkdirSync(path)],
])('%s is set aside and not followed', async (_, plant) => {
  const hive = hives.makeHive();
  const elsewhere = join(hive.layout.root, '..', 'elsewhere');
  hives.git(join(hive.layout.root, '..'), 'init', '-q', '--bare', elsewhere);
  plant(hive.layout.git);
  await recordBatches(await hives.prepare(hive), [hives.makeBatch(hive)]);
  expect(aside(hive)).toEqual(['.git.before-hivemail']);
  expect(hives.git(elsewhere, 'rev-list', '--all')).toBe('');
  expect(hives.commitCount(hive)).toBe(1);
});

test('a link to the history of another hive is set aside, and that history left alone', async () => {
  const [hive, other] = [hives.makeHive(), hives.makeHive()];
  await recordBatches(await hives.prepare(other), [hives.makeBatch(other)]);
  symlinkSync(other.layout.git, hive.layout.git);
  await recordBatches(await hives.prepare(hive), [hives.makeBatch(hive)]);
  expect(aside(hive)).toEqual(['.git.before-hivemail']);
  expect([hives.commitCount(hive), hives.commitCount(other)]).toEqual([1, 1]);
});

test('a repository that leads refs and objects elsewhere is set aside', async () => {
  const hive = hives.makeHive();
  await hives.prepare(hive);
  const elsewhere = tempDir();
  hives.git(elsewhere, 'init', '-q', '--bare', '.');
  writeFileSync(join(hive.layout.git, 'commondir'), elsewhere);
  await recordBatches(await hives.prepare(hive), [hives.makeBatch(hive)]);
  expect(hives.git(elsewhere, 'rev-list', '--all')).toBe('');
  expect(kinds(hive)).toEqual(['damaged-repository']);
});

test('a repository that was made non-bare is bare again', async () => {
  const hive = hives.makeHive();
  await hives.prepare(hive);
  hives.git(hive.layout.root, 'config', 'core.bare', 'false');
  await hives.prepare(hive);
  expect(hives.tryGit(hive.layout.root, 'add', '-A').status).toBe(128);
  expect(hive.reports).toEqual([]);
});

const missing = 'f'.repeat(40);
const damages: [string, (gitDir: string) => void][] = [
  [
    'a branch that names a missing commit',
    (dir) => writeFileSync(join(dir, 'refs/heads/main'), `${missing}\n`),
  ],
  ['a branch cut to nothing', (dir) => truncateSync(join(dir, 'refs/heads/main'))],
  ['a branch of garbage', (dir) => writeFileSync(join(dir, 'refs/heads/main'), '\0\0\0')],
  ['no HEAD', (dir) => unlinkSync(join(dir, 'HEAD'))],
  ['no objects', (dir) => rmSync(join(dir, 'objects'), { recursive: true })],
  ['settings that can not be parsed', (dir) => writeFileSync(join(dir, 'config'), '[core\nx')],
  ['packs cut to nothing', (dir) => cutPacks(dir)],
];

function cutPacks(gitDir: string): void {
  const dir = join(gitDir, 'objects', 'pack');
  for (const name of readdirSync(dir)) {
    chmodSync(join(dir, name), 0o600);
    truncateSync(join(dir, name));
  }
}

test.each(damages)('a history with %s is set aside and begun anew, reported', async (_, damage) => {
  const hive = hives.makeHive();
  const batch = hives.makeBatch(hive);
  await recordBatches(await hives.prepare(hive), [batch]);
  damage(hive.layout.git);
  const repository = await hives.prepare(hive);
  expect(aside(hive)).toEqual(['.git.damaged-2026-11-30T171911Z']);
  expect(kinds(hive)).toEqual(['damaged-repository']);
  expect(await recordBatches(repository, [batch])).toEqual({ recorded: 1, skipped: 0 });
});

test('after a failure, objects missing below the tip are found as well', async () => {
  const hive = hives.makeHive();
  const repository = await hives.prepare(hive);
  await recordBatches(repository, [hives.makeBatch(hive)]);
  const packs = join(hive.layout.git, 'objects', 'pack');
  const kept = readdirSync(packs);
  const first = hives.git(hive.layout.root, 'rev-parse', 'main').trim();
  await recordBatches(repository, [hives.makeBatch(hive)]);
  for (const name of kept) unlinkSync(join(packs, name));
  await hives.prepare(hive, true);
  expect(aside(hive)).toEqual([]);
  await hives.prepare(hive, false);
  expect(kinds(hive)).toEqual(['damaged-repository']);
  expect(first).toMatch(/^[0-9a-f]{40}$/);
});

test('a failure of the surroundings moves nothing aside', async () => {
  const hive = hives.makeHive();
  await recordBatches(await hives.prepare(hive), [hives.makeBatch(hive)]);
  const { git: gitDir, router } = hive.layout;
  const real = await openGit({ gitDir, home: router });
  const shim = join(hive.layout.root, 'git-shim');
  const full = 'echo "error: x: No space left on device" >&2; exit 128';
  writeFileSync(
    shim,
    `#!/bin/sh\ncase "$*" in *rev-parse*) ${full};; esac\nexec ${real.path} "$@"\n`,
  );
  chmodSync(shim, 0o700);
  const git = await openGit({ gitDir, home: router, gitPath: shim });
  const place = { git, fs: hive.fs, gitDir, workDir: router };
  await expect(prepareRepository(place, { thorough: false, now: 0 })).rejects.toMatchObject({
    code: 'git',
    surroundings: true,
  });
  expect(aside(hive)).toEqual([]);
});

test('stale locks, half-written packs and marks of a killed fast-import go; others stay', async () => {
  const hive = hives.makeHive();
  await recordBatches(await hives.prepare(hive), [hives.makeBatch(hive)]);
  const { git: gitDir } = hive.layout;
  const stale = [
    'index.lock',
    'HEAD.lock',
    'packed-refs.lock',
    'refs/heads/main.lock',
    'refs/tags/a.lock',
    'fast_import_crash_77',
    'objects/pack/tmp_pack_aB',
    'objects/pack/tmp_idx_aB',
    'objects/pack/.tmp-9-pack-1.pack',
  ];
  for (const name of stale) writeFileSync(join(gitDir, name), '');
  writeFileSync(join(gitDir, 'objects/pack/pack-1.keep'), 'fast-import\n');
  writeFileSync(join(gitDir, 'objects/pack/pack-2.keep'), 'mine, keep it\n');
  const repository = await hives.prepare(hive);
  const left = [...stale, 'objects/pack/pack-1.keep'].filter((name) =>
    existsSync(join(gitDir, name)),
  );
  expect(left).toEqual([]);
  expect(readFileSync(join(gitDir, 'objects/pack/pack-2.keep'), 'utf8')).toBe('mine, keep it\n');
  await recordBatches(repository, [hives.makeBatch(hive)]);
  expect(hives.commitCount(hive)).toBe(2);
});

test('a later attempt leaves packs in the making alone: they may be those of a person', async () => {
  const hive = hives.makeHive();
  await hives.prepare(hive);
  const [pack, lock] = ['objects/pack/tmp_pack_aB', 'refs/heads/main.lock'].map((name) =>
    join(hive.layout.git, name),
  );
  if (pack === undefined || lock === undefined) throw new Error('two paths');
  for (const path of [pack, lock]) writeFileSync(path, '');
  await hives.prepare(hive, false);
  expect([existsSync(pack), existsSync(lock)]).toEqual([true, false]);
});
