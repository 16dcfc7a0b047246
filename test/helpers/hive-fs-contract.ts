import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { HiveFs } from '../../src/hive/hive-fs.ts';
import { describeListing, describeStat } from './hive-fs-contract-names.ts';
import { failure, LIMIT, type Subject, text } from './hive-fs-subject.ts';

/** A file system to be tried, and an empty directory in it. */
export interface HiveFsUnderTest {
  fs: HiveFs;
  root: string;
}

function describeFiles(subject: Subject): void {
  it('reads back what was created, text as UTF-8 and bytes as they are', async () => {
    const { fs, at } = subject();
    const bytes = Uint8Array.from([0, 255, 128, 10]);
    await fs.create(at('t'), 'héllo\n');
    await fs.create(at('b'), bytes);
    await fs.create(at('e'), '');
    expect(text(fs.read(at('t'), LIMIT).bytes)).toBe('héllo\n');
    expect(Uint8Array.from(fs.read(at('b'), LIMIT).bytes)).toEqual(bytes);
    expect(fs.read(at('e'), LIMIT).bytes).toHaveLength(0);
    expect(fs.read(at('t'), LIMIT).stat).toEqual(fs.stat(at('t')));
  });
  it('cuts a longer file and tells its real size', async () => {
    const { fs, at } = subject();
    await fs.create(at('f'), '0123456789');
    const { bytes, stat } = fs.read(at('f'), 4);
    expect(text(bytes)).toBe('0123');
    expect(stat.sizeBytes).toBe(10);
    expect(fs.read(at('f'), 0).bytes).toHaveLength(0);
    expect(text(fs.read(at('f'), 10).bytes)).toBe('0123456789');
  });
  it('reads the same with room given to read into, too little of it as well', async () => {
    const { fs, at } = subject();
    await fs.create(at('f'), '0123456789');
    for (const room of [3, 4, 64]) {
      const { bytes, stat } = fs.read(at('f'), 4, 5, Buffer.alloc(room, 'x'));
      expect([text(bytes), stat.sizeBytes]).toEqual(['5678', 10]);
    }
    expect(text(fs.read(at('f'), LIMIT, 8, Buffer.alloc(64, 'x')).bytes)).toBe('89');
  });
  it('says when what is read is missing or no file', async () => {
    const { fs, at } = subject();
    fs.mkdir(at('d'));
    expect(await failure(() => fs.read(at('gone'), LIMIT))).toBe('ENOENT');
    expect(await failure(() => fs.read(at('d'), LIMIT))).toBe('EINVAL');
  });
  it('never creates over something, nor without a directory', async () => {
    const { fs, at } = subject();
    await fs.create(at('f'), 'first');
    fs.mkdir(at('d'));
    expect(await failure(() => fs.create(at('f'), 'second'))).toBe('EEXIST');
    expect(await failure(() => fs.create(at('d'), 'second'))).toBe('EEXIST');
    expect(await failure(() => fs.create(at('gone', 'f'), 'x'))).toBe('ENOENT');
    expect(await failure(() => fs.create(at('f', 'x'), 'x'))).toBe('ENOTDIR');
    expect(text(fs.read(at('f'), LIMIT).bytes)).toBe('first');
  });
  it('removes files, and says when there is none or it is a directory', async () => {
    const { fs, at } = subject();
    await fs.create(at('f'), 'x');
    fs.mkdir(at('d'));
    fs.unlink(at('f'));
    expect(fs.stat(at('f'))).toBeUndefined();
    expect(await failure(() => fs.unlink(at('f')))).toBe('ENOENT');
    // Linux says the first, macOS the second.
    expect(['EISDIR', 'EPERM']).toContain(await failure(() => fs.unlink(at('d'))));
  });
}

function describeAppending(subject: Subject): void {
  it('appends to a new file and to one that has content', async () => {
    const { fs, at } = subject();
    for (const line of ['one\n', 'two\n']) {
      const file = fs.openAppend(at('log'));
      await file.append(Buffer.from(line));
      await file.append(Buffer.from('.'));
      file.close();
    }
    expect(text(fs.read(at('log'), LIMIT).bytes)).toBe('one\n.two\n.');
  });
  it('cuts the file back and goes on from there', async () => {
    const { fs, at } = subject();
    const file = fs.openAppend(at('log'));
    await file.append(Buffer.from('whole\nhal'));
    file.truncate(6);
    expect(file.stat().sizeBytes).toBe(6);
    await file.append(Buffer.from('next\n'));
    file.close();
    expect(text(fs.read(at('log'), LIMIT).bytes)).toBe('whole\nnext\n');
  });
  it('stays with the open file when its name is given to another', async () => {
    const { fs, at } = subject();
    const file = fs.openAppend(at('log'));
    await file.append(Buffer.from('old'));
    const old = file.stat();
    expect(old).toEqual(fs.stat(at('log')));
    await fs.create(at('new'), 'new');
    fs.rename(at('new'), at('log'));
    await file.append(Buffer.from('!'));
    expect(file.stat()).toMatchObject({ inode: old.inode, sizeBytes: 4 });
    expect(fs.stat(at('log'))?.inode).not.toBe(old.inode);
    file.close();
    expect(text(fs.read(at('log'), LIMIT).bytes)).toBe('new');
  });
  it('refuses to work on after closing, which is harmless twice', async () => {
    const { fs, at } = subject();
    const file = fs.openAppend(at('log'));
    file.close();
    file.close();
    expect(await failure(() => file.append(Buffer.from('x')))).toBe('EBADF');
    expect(await failure(() => file.truncate(0))).toBe('EBADF');
    expect(await failure(() => file.stat())).toBe('EBADF');
  });
  it('says when what is appended to can not be a file', async () => {
    const { fs, at } = subject();
    fs.mkdir(at('d'));
    expect(await failure(() => fs.openAppend(at('d')))).toBe('EISDIR');
    expect(await failure(() => fs.openAppend(at('gone', 'log')))).toBe('ENOENT');
  });
}

function describeRenaming(subject: Subject): void {
  it('replaces a file by a rename, and moves over directories', async () => {
    const { fs, at } = subject();
    fs.mkdir(at('d'));
    await fs.create(at('f'), 'new');
    await fs.create(at('d', 'f'), 'old');
    fs.rename(at('f'), at('d', 'f'));
    expect(fs.stat(at('f'))).toBeUndefined();
    expect(text(fs.read(at('d', 'f'), LIMIT).bytes)).toBe('new');
    fs.rename(at('d', 'f'), at('d', 'f'));
    expect(fs.list(at('d'))).toEqual(['f']);
  });
  it('moves a directory with all that is in it, so that old paths resolve no more', async () => {
    const { fs, at } = subject();
    fs.mkdir(at('e1'));
    fs.mkdir(at('e1', 'owed'));
    await fs.create(at('e1', 'owed', 'f'), 'x');
    fs.rename(at('e1'), at('e1.f'));
    expect(fs.list(at('e1.f', 'owed'))).toEqual(['f']);
    expect(await failure(() => fs.rename(at('e1', 'owed', 'f'), at('f')))).toBe('ENOENT');
    expect(await failure(() => fs.create(at('e1', 'owed', 'g'), ''))).toBe('ENOENT');
  });
  it('replaces an empty directory and no other by a directory', async () => {
    const { fs, at } = subject();
    for (const name of ['a', 'empty', 'full']) fs.mkdir(at(name));
    await fs.create(at('full', 'f'), '');
    expect(['ENOTEMPTY', 'EEXIST']).toContain(await failure(() => fs.rename(at('a'), at('full'))));
    fs.rename(at('full'), at('empty'));
    expect(fs.list(at()).sort()).toEqual(['a', 'empty']);
    expect(fs.list(at('empty'))).toEqual(['f']);
  });
  it('says why a rename is not possible, and changes nothing', async () => {
    const { fs, at } = subject();
    fs.mkdir(at('d'));
    fs.mkdir(at('d', 'sub'));
    await fs.create(at('f'), 'x');
    expect(await failure(() => fs.rename(at('gone'), at('g')))).toBe('ENOENT');
    expect(await failure(() => fs.rename(at('f'), at('gone', 'f')))).toBe('ENOENT');
    expect(await failure(() => fs.rename(at('f'), at('d')))).toBe('EISDIR');
    expect(await failure(() => fs.rename(at('d'), at('f')))).toBe('ENOTDIR');
    expect(await failure(() => fs.rename(at('d'), at('d', 'sub', 'd')))).toBe('EINVAL');
    expect(fs.list(at()).sort()).toEqual(['d', 'f']);
  });
}

function describeDirectories(subject: Subject): void {
  it('makes one directory and never its parents', async () => {
    const { fs, at } = subject();
    await fs.create(at('f'), '');
    fs.mkdir(at('d'));
    expect(await failure(() => fs.mkdir(at('d')))).toBe('EEXIST');
    expect(await failure(() => fs.mkdir(at('f')))).toBe('EEXIST');
    expect(await failure(() => fs.mkdir(at('gone', 'd')))).toBe('ENOENT');
    expect(await failure(() => fs.mkdir(at('f', 'd')))).toBe('ENOTDIR');
  });
  it('removes a directory only when it is empty', async () => {
    const { fs, at } = subject();
    fs.mkdir(at('d'));
    await fs.create(at('d', 'f'), '');
    expect(['ENOTEMPTY', 'EEXIST']).toContain(await failure(() => fs.rmdir(at('d'))));
    expect(await failure(() => fs.rmdir(at('d', 'f')))).toBe('ENOTDIR');
    fs.unlink(at('d', 'f'));
    fs.rmdir(at('d'));
    expect(await failure(() => fs.rmdir(at('d')))).toBe('ENOENT');
  });
  it('syncs a directory, and says when it is missing', async () => {
    const { fs, at } = subject();
    await expect(fs.syncDir(at())).resolves.toBeUndefined();
    expect(await failure(() => fs.syncDir(at('gone')))).toBe('ENOENT');
  });
  it('runs many operations at once', async () => {
    const { fs, at } = subject();
    const names = Array.from({ length: 100 }, (_, index) => `f${index}`);
    await Promise.all(names.map((name) => fs.create(at(name), name)));
    await Promise.all(names.map(() => fs.syncDir(at())));
    expect(fs.list(at()).sort()).toEqual(names.sort());
  });
}

function describeAnchors(subject: Subject): void {
  it('holds a directory, and reaches what is in it', async () => {
    const { fs, at } = subject();
    fs.mkdir(at('d'));
    await fs.create(at('d', 'f'), 'x');
    using anchor = fs.anchor(at('d'));
    expect(fs.list(anchor.path)).toEqual(['f']);
    fs.rename(join(anchor.path, 'f'), at('g'));
    expect(fs.stat(at('g'))?.kind).toBe('file');
    fs.mkdir(join(anchor.path, 'below'));
    using below = fs.anchor(join(anchor.path, 'below'));
    await fs.create(join(below.path, 'f'), 'y');
    expect(text(fs.read(at('d', 'below', 'f'), LIMIT).bytes)).toBe('y');
    await expect(fs.syncDir(below.path)).resolves.toBeUndefined();
  });
  it('holds nothing but a directory', async () => {
    const { fs, at } = subject();
    await fs.create(at('f'), '');
    expect(await failure(() => fs.anchor(at('f')))).toBe('ENOTDIR');
    expect(await failure(() => fs.anchor(at('f', 'x')))).toBe('ENOTDIR');
    expect(await failure(() => fs.anchor(at('gone')))).toBe('ENOENT');
  });
}

/**
 * Describes what every {@link HiveFs} does, the real one and any stand-in.
 * @param name - of the implementation, for the titles
 * @param make - gives a file system and an empty directory in it, anew for each test
 */
export function describeHiveFs(name: string, make: () => HiveFsUnderTest): void {
  describe(`hive files: ${name}`, () => {
    let current: HiveFsUnderTest;
    beforeEach(() => {
      current = make();
    });
    const subject: Subject = () => ({
      fs: current.fs,
      at: (...names) => join(current.root, ...names),
    });
    describeListing(subject);
    describeStat(subject);
    describeFiles(subject);
    describeAppending(subject);
    describeRenaming(subject);
    describeDirectories(subject);
    describeAnchors(subject);
  });
}
