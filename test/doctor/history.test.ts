import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordBatches } from '../../src/history/recorder.ts';
import { ownIdentity } from '../../src/hive/process-identity.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { enqueue, git, makeBatch, makeHive, prepare } from '../history/hive.ts';
import { makeScene, type Scene, snapshot } from './scene.ts';

/** A hive whose history holds a message. */
async function withHistory(): Promise<Scene> {
  const scene = await makeScene();
  const hive = makeHive(scene.dir);
  await recordBatches(await prepare(hive), [makeBatch(hive)]);
  return scene;
}

function fakeGit(version: string): string {
  const dir = tempDir();
  writeFileSync(join(dir, 'git'), `#!/bin/sh\necho git version ${version}\n`, { mode: 0o755 });
  chmodSync(join(dir, 'git'), 0o755);
  return dir;
}

describe('git', () => {
  it('is warned of when it is missing, and the repository is then left unseen', async () => {
    const { look } = await withHistory();
    const env = { PATH: tempDir() };
    expect(await look('git', { env })).toMatchObject([
      { level: 'warning', what: expect.stringContaining('git was not found on PATH') },
    ]);
    expect(await look('repository', { env })).toMatchObject([{ level: 'note' }]);
  });

  it.each([
    ['2.35.9', 'note'],
    ['2.36.0', 'ok'],
    ['10.1', 'ok'],
  ])('of version %s is %s', async (version, level) => {
    const { look } = await makeScene();
    const env = { PATH: fakeGit(version) };
    expect(await look('git', { env })).toMatchObject([
      { level, what: expect.stringContaining(version) },
    ]);
  });
});

describe('the repository', () => {
  it('is sound as the history made it, with and without a .router', async () => {
    const { look, dir, layout } = await withHistory();
    const before = snapshot(dir);
    expect(await look('repository')).toMatchObject([
      { level: 'ok', what: 'The history’s repository is sound.' },
    ]);
    expect(snapshot(dir)).toEqual(before);
    rmSync(layout.router, { recursive: true });
    expect(await look('repository')).toMatchObject([{ level: 'ok' }]);
  });

  it('is sound before it holds anything', async () => {
    const scene = await makeScene();
    await prepare(makeHive(scene.dir));
    expect(await scene.look('repository')).toMatchObject([
      { level: 'ok', what: 'The history’s repository is sound.' },
    ]);
  });

  it('is foreign when Hivemail did not make it, or it is no directory', async () => {
    const { look, layout, dir } = await makeScene();
    git(dir, 'init', '-q');
    expect(await look('repository')).toMatchObject([
      { level: 'warning', what: '.git was not made by Hivemail.' },
    ]);
    rmSync(layout.git, { recursive: true });
    writeFileSync(layout.git, 'gitdir: ../elsewhere');
    expect(await look('repository')).toMatchObject([
      { level: 'warning', what: '.git is a file and no directory.' },
    ]);
  });

  it.each([
    ['a pack is empty', ({ layout }: Scene) => emptyPack(layout.git)],
    [
      'its branch is garbage',
      ({ layout }: Scene) => writeFileSync(join(layout.git, 'refs/heads/main'), 'x\n'),
    ],
    [
      'its settings are no settings',
      ({ layout }: Scene) => writeFileSync(join(layout.git, 'config'), '['),
    ],
    [
      'it leads to another',
      ({ layout }: Scene) => writeFileSync(join(layout.git, 'commondir'), '/nowhere'),
    ],
  ])('is an error when %s', async (_, damage) => {
    const scene = await withHistory();
    damage(scene);
    const [finding] = await scene.look('repository');
    expect(finding).toMatchObject({
      level: 'error',
      what: expect.stringContaining('is damaged: '),
    });
    expect(finding?.what).not.toContain('catches up');
  });

  it('is made bare again', async () => {
    const { look, fix, dir } = await withHistory();
    git(dir, 'config', 'core.bare', 'false');
    expect(await look('repository')).toMatchObject([
      { level: 'warning', what: 'core.bare is not true in the history’s repository.' },
    ]);
    expect(await fix('repository')).toMatchObject([{ done: true }]);
    expect(git(dir, 'config', '--get', 'core.bare')).toBe('true\n');
    expect(await look('repository')).toMatchObject([{ level: 'ok' }]);
  });

  it('is freed of the locks of a git that was killed', async () => {
    const { look, fix, layout } = await withHistory();
    const locks = [join(layout.git, 'config.lock'), join(layout.git, 'refs/heads/main.lock')];
    for (const lock of locks) writeFileSync(lock, '');
    const [finding] = await look('repository');
    expect(finding).toMatchObject({ level: 'note' });
    expect(finding?.what).toContain('.git/config.lock, .git/refs/heads/main.lock');
    expect(await fix('repository')).toMatchObject([{ done: true }]);
    expect(locks.filter((lock) => existsSync(lock))).toEqual([]);
    expect(await look('repository')).toMatchObject([{ level: 'ok' }]);
  });

  it('tells of a git that a router left, and whether it still runs', async () => {
    const { look, write } = await withHistory();
    write('.router/git-child.json', { pid: 2 ** 22, startedAt: '1', bootId: 'x' });
    expect(await look('repository')).toMatchObject([
      { level: 'note', what: 'A router ended while its git was at work.' },
    ]);
    write('.router/git-child.json', ownIdentity());
    expect(await look('repository')).toMatchObject([
      { level: 'note', what: expect.stringContaining(`still runs: process ${process.pid}`) },
    ]);
  });

  it('tells of those that were set aside', async () => {
    const { look, layout, dir } = await withHistory();
    renameSync(layout.git, join(dir, '.git.damaged-2026-11-30T171911Z'));
    mkdirSync(join(dir, '.git.before-hivemail'));
    expect((await look('repository')).at(-1)).toMatchObject({
      level: 'note',
      what: 'Set aside by a router: .git.before-hivemail, .git.damaged-2026-11-30T171911Z.',
    });
  });

  it('counts what waits as the router leaves it', async () => {
    const scene = await withHistory();
    const hive = makeHive(scene.dir);
    enqueue(hive, makeBatch(hive));
    expect(await scene.look('history')).toMatchObject([
      { what: '1 batch not in the history yet.' },
    ]);
  });
});

describe('a git work tree around the hive', () => {
  it('is told of the hive again where its line is gone', async () => {
    const outer = tempDir();
    execFileSync('git', ['init', '-q', outer]);
    const { look, fix, dir } = await makeScene(join(outer, 'my hive'));
    const exclude = join(outer, '.git/info/exclude');
    expect(await look('outer-repository')).toMatchObject([{ level: 'ok' }]);
    writeFileSync(exclude, '# nothing\n');
    expect(await look('outer-repository')).toMatchObject([
      { level: 'warning', fix: { says: 'Add the line /my hive/ to that file.' } },
    ]);
    expect(await fix('outer-repository')).toMatchObject([{ done: true }]);
    expect(await look('outer-repository')).toMatchObject([{ level: 'ok' }]);
    await prepare(makeHive(dir));
    expect(git(outer, 'status', '--porcelain')).toBe('');
  });
});

function emptyPack(gitDir: string): void {
  const dir = join(gitDir, 'objects/pack');
  for (const name of readdirSync(dir).filter((each) => each.endsWith('.pack'))) {
    chmodSync(join(dir, name), 0o600);
    truncateSync(join(dir, name), 0);
  }
}
