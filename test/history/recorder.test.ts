import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compactPacks } from '../../src/history/compact.ts';
import { GitFailure } from '../../src/history/git.ts';
import { recordBatches } from '../../src/history/recorder.ts';
import * as hives from './hive.ts';

test('a batch is one commit, readable with git log and git show in the hive', async () => {
  const hive = hives.makeHive();
  const repository = await hives.prepare(hive);
  const subject = 'say "hi"\n😀 \u001b[31mred';
  const message = hives.makeMessage(hive, { subject, body: 'done\n\u202eok 😀' });
  const letter = {
    id: hive.ids.next(),
    original: Buffer.from([0, 255, 10, 13]).toString('base64'),
  };
  const batch = hives.makeBatch(hive, message, letter);
  expect(await recordBatches(repository, [batch])).toEqual({ recorded: 1, skipped: 0 });
  expect(hives.files(hive)).toEqual([
    `letters/${hives.PLACE}/${letter.id}`,
    `messages/${hives.PLACE}/${message.id}.json`,
  ]);
  const { root } = hive.layout;
  const shown = hives.git(root, 'show', `main:messages/${hives.PLACE}/${message.id}.json`);
  expect(JSON.parse(shown)).toEqual(message.message);
  expect(shown).not.toMatch(/[\u001b\u202e]/);
  expect(hives.git(root, 'cat-file', '-s', `main:letters/${hives.PLACE}/${letter.id}`)).toBe('4\n');
  expect(hives.git(root, 'log', '--format=%an <%ae> %aI')).toBe(
    'Hivemail <hivemail@localhost> 2026-11-30T17:19:11+00:00\n',
  );
  expect(hives.git(root, 'log', '--format=%(trailers:key=Message-Id,valueonly)').trim()).toBe(
    `${message.id}\n${letter.id}`,
  );
  expect(hives.git(root, 'log', '--grep=^Conversation: parser-1$', '--format=%s')).toContain('→');
  expect(hives.tryGit(root, 'fsck', '--strict')).toMatchObject({ status: 0 });
});

test('git add, checkout, clean and reset refuse in the hive', async () => {
  const hive = hives.makeHive();
  await recordBatches(await hives.prepare(hive), [hives.makeBatch(hive)]);
  for (const args of [
    ['add', '-A'],
    ['checkout', '.'],
    ['clean', '-fd'],
    ['reset', '--hard'],
  ]) {
    expect(hives.tryGit(hive.layout.root, ...args)).toMatchObject({
      status: 128,
      stderr: expect.stringContaining('must be run in a work tree'),
    });
  }
});

test('a batch given twice, at once or later, is recorded once', async () => {
  const hive = hives.makeHive();
  const repository = await hives.prepare(hive);
  const [one, two, three] = [1, 2, 3].map(() => hives.makeBatch(hive));
  if (!one || !two || !three) throw new Error('three batches');
  expect(await recordBatches(repository, [one, one, two])).toEqual({ recorded: 2, skipped: 1 });
  expect(await recordBatches(repository, [two, one])).toEqual({ recorded: 0, skipped: 2 });
  expect(await recordBatches(repository, [one, three, two])).toEqual({ recorded: 1, skipped: 2 });
  expect(hives.commitCount(hive)).toBe(3);
});

test('a batch is found again when the branch stands in packed-refs', async () => {
  const hive = hives.makeHive();
  const repository = await hives.prepare(hive);
  const batch = hives.makeBatch(hive);
  await recordBatches(repository, [batch]);
  hives.git(hive.layout.root, 'pack-refs', '--all');
  expect(await recordBatches(repository, [batch, hives.makeBatch(hive)])).toEqual({
    recorded: 1,
    skipped: 1,
  });
  expect(hives.commitCount(hive)).toBe(2);
});

test('two importers at once record a batch once', async () => {
  const hive = hives.makeHive();
  const repository = await hives.prepare(hive);
  await recordBatches(repository, [hives.makeBatch(hive)]);
  const batch = hives.makeBatch(hive);
  const other = { ...repository, childRecord: `${repository.childRecord}.2` };
  const ends = await Promise.allSettled([
    recordBatches(repository, [batch]),
    recordBatches(other, [batch]),
  ]);
  for (const end of ends)
    if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(GitFailure);
  expect(hives.commitCount(hive)).toBe(2);
  expect(await recordBatches(repository, [batch])).toEqual({ recorded: 0, skipped: 1 });
});

test('a branch that moves during the import is an error, and nothing is lost', async () => {
  const hive = hives.makeHive();
  const repository = await hives.prepare(hive);
  await recordBatches(repository, [hives.makeBatch(hive)]);
  const { git } = repository;
  const [mine, theirs] = [hives.makeBatch(hive), hives.makeBatch(hive)];
  const racing: typeof git = {
    ...git,
    run: async (args, call) => {
      if (args[0] === 'fast-import') await recordBatches({ ...repository, git }, [theirs]);
      return await git.run(args, call);
    },
  };
  await expect(recordBatches({ ...repository, git: racing }, [mine])).rejects.toMatchObject({
    code: 'git',
  });
  expect(hives.commitCount(hive)).toBe(2);
  await recordBatches(repository, [mine, theirs]);
  expect(hives.commitCount(hive)).toBe(3);
});

test('the repository and all in it is for its owner alone, whatever the umask', async () => {
  const before = process.umask(0);
  try {
    const hive = hives.makeHive();
    await recordBatches(await hives.prepare(hive), [hives.makeBatch(hive)]);
    const names = readdirSync(hive.layout.git, { recursive: true, encoding: 'utf8' });
    const open = ['', ...names].filter(
      (name) => (statSync(join(hive.layout.git, name)).mode & 0o077) !== 0,
    );
    expect(open).toEqual([]);
  } finally {
    process.umask(before);
  }
});

test('hooks, file monitors and settings of the repository run no foreign code', async () => {
  const hive = hives.makeHive();
  const repository = await hives.prepare(hive);
  const trace = join(hive.layout.root, 'trace');
  const script = `#!/bin/sh\necho ran >> ${trace}\nexit 1\n`;
  const hooks = join(hive.layout.git, 'hooks');
  mkdirSync(hooks);
  for (const name of ['reference-transaction', 'post-commit', 'update', 'pre-auto-gc', 'monitor']) {
    writeFileSync(join(hooks, name), script, { mode: 0o700 });
  }
  hives.git(hive.layout.root, 'config', 'core.hooksPath', hooks);
  hives.git(hive.layout.root, 'config', 'core.fsmonitor', join(hooks, 'monitor'));
  await recordBatches(repository, [hives.makeBatch(hive)]);
  await recordBatches(repository, [hives.makeBatch(hive)]);
  await compactPacks(repository, { packsMost: 2 });
  expect(readdirSync(hive.layout.root)).not.toContain('trace');
  expect(hives.commitCount(hive)).toBe(2);
});

test('many small packs are joined into few, and all stays readable', async () => {
  const hive = hives.makeHive();
  const repository = await hives.prepare(hive);
  const packs = (): number =>
    readdirSync(join(hive.layout.git, 'objects', 'pack')).filter((name) => name.endsWith('.pack'))
      .length;
  for (let count = 0; count < 6; count++) await recordBatches(repository, [hives.makeBatch(hive)]);
  expect(await compactPacks(repository, { packsMost: 7 })).toBe(false);
  expect(packs()).toBe(6);
  expect(await compactPacks(repository, { packsMost: 6 })).toBe(true);
  expect(packs()).toBe(1);
  expect(hives.commitCount(hive)).toBe(6);
  expect(hives.tryGit(hive.layout.root, 'fsck', '--strict')).toMatchObject({ status: 0 });
});

test('the child is on record before it is told anything, and no longer when it has ended', async () => {
  const hive = hives.makeHive();
  const repository = await hives.prepare(hive);
  const { git } = repository;
  const seen: unknown[] = [];
  const watching: typeof git = {
    ...git,
    run: async (args, call = {}) => {
      const { onStart, ...rest } = call;
      return await git.run(args, {
        ...rest,
        onStart: (pid) => {
          if (onStart === undefined) return;
          onStart(pid);
          seen.push(
            JSON.parse(Buffer.from(hive.fs.read(repository.childRecord, 999).bytes).toString()),
          );
          seen.push(pid);
        },
      });
    },
  };
  await recordBatches({ ...repository, git: watching }, [hives.makeBatch(hive)]);
  expect(seen[0]).toMatchObject({ pid: seen[1] });
  expect(hive.fs.stat(repository.childRecord)).toBeUndefined();
});

test('a child that can not be put on record is ended, and nothing is recorded', async () => {
  const hive = hives.makeHive();
  const repository = await hives.prepare(hive);
  const nowhere = { ...repository, childRecord: join(hive.layout.root, 'no', 'such') };
  await expect(recordBatches(nowhere, [hives.makeBatch(hive)])).rejects.toThrow('ENOENT');
  expect(hives.tryGit(hive.layout.root, 'rev-parse', '--verify', 'main').status).not.toBe(0);
});
