import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { failure, LIMIT, type Subject, text } from './hive-fs-subject.ts';

/** Describes how directories are listed, also those with names of any bytes. */
export function describeListing(subject: Subject): void {
  it('lists the names in a directory, files and directories alike', async () => {
    const { fs, at } = subject();
    fs.mkdir(at('d'));
    await fs.create(at('d', 'a'), '');
    fs.mkdir(at('d', 'b'));
    await fs.create(at('d', 'b', 'inner'), '');
    expect(fs.list(at('d')).sort()).toEqual(['a', 'b']);
    expect(fs.list(at('d', 'b'))).toEqual(['inner']);
  });
  it('stops listing after so many names', async () => {
    const { fs, at } = subject();
    for (const name of ['a', 'b', 'c']) await fs.create(at(name), '');
    expect(fs.list(at(), 2)).toHaveLength(2);
    expect(fs.list(at(), 3).sort()).toEqual(['a', 'b', 'c']);
    expect(fs.list(at(), 9).sort()).toEqual(['a', 'b', 'c']);
    expect(fs.list(at(), 0)).toEqual([]);
  });
  it('says when what is listed is missing or no directory', async () => {
    const { fs, at } = subject();
    await fs.create(at('f'), '');
    for (const most of [undefined, 5]) {
      expect(await failure(() => fs.list(at('gone'), most))).toBe('ENOENT');
      expect(await failure(() => fs.list(at('f'), most))).toBe('ENOTDIR');
    }
  });
  it('carries names that are not valid UTF-8 through every operation', async () => {
    const { fs, at } = subject();
    const [dir, name, next] = ['d\udcff', 'a\udce9\udc80.json', 'b\udcfe.json'];
    fs.mkdir(at(dir));
    await fs.create(at(dir, name), 'x');
    expect(fs.list(at())).toEqual([dir]);
    expect(fs.list(at(dir))).toEqual([name]);
    expect(fs.list(at(dir), 1)).toEqual([name]);
    expect(fs.stat(at(dir, name))?.sizeBytes).toBe(1);
    fs.rename(at(dir, name), at(dir, next));
    expect(text(fs.read(at(dir, next), LIMIT).bytes)).toBe('x');
    const file = fs.openAppend(at(dir, next));
    file.close();
    await fs.syncDir(at(dir));
    fs.unlink(at(dir, next));
    fs.rmdir(at(dir));
    expect(fs.list(at())).toEqual([]);
  });
  it('keeps a replacement character that really stands in a name', async () => {
    const { fs, at } = subject();
    await fs.create(at('a\ufffdb'), 'x');
    expect(fs.list(at())).toEqual(['a\ufffdb']);
  });
}

/** Describes what is told of a path without opening it. */
export function describeStat(subject: Subject): void {
  it('finds nothing at a missing path or beneath a file', async () => {
    const { fs, at } = subject();
    await fs.create(at('f'), '');
    expect(fs.stat(at('gone'))).toBeUndefined();
    expect(fs.stat(at('gone', 'x'))).toBeUndefined();
    expect(fs.stat(at('f', 'x'))).toBeUndefined();
  });
  it('tells files from directories, with size and identity', async () => {
    const { fs, at } = subject();
    await fs.create(at('f'), 'héllo');
    fs.mkdir(at('d'));
    const [file, dir] = [fs.stat(at('f')), fs.stat(at('d'))];
    expect(file).toMatchObject({ kind: 'file', sizeBytes: 6 });
    expect(dir?.kind).toBe('directory');
    expect(file?.inode).not.toBe(dir?.inode);
    expect(file?.device).toBe(dir?.device);
  });
  it('keeps inode and mtime of a file over a rename', async () => {
    const { fs, at } = subject();
    await fs.create(at('f'), 'x');
    const before = fs.stat(at('f'));
    await pause(20);
    fs.rename(at('f'), at('g'));
    expect({ ...fs.stat(at('g')), ctimeNs: 0n }).toEqual({ ...before, ctimeNs: 0n });
  });
  it('moves the mtime of a directory with each entry made, renamed or removed', async () => {
    const { fs, at } = subject();
    fs.mkdir(at('d'));
    const times = new Set([fs.stat(at('d'))?.mtimeNs]);
    const steps: (() => unknown)[] = [
      () => fs.create(at('d', 'a'), ''),
      () => fs.rename(at('d', 'a'), at('d', 'b')),
      () => fs.rename(at('d', 'b'), at('b')),
      () => fs.rename(at('b'), at('d', 'c')),
      () => fs.unlink(at('d', 'c')),
    ];
    for (const step of steps) {
      await pause(20);
      await step();
      times.add(fs.stat(at('d'))?.mtimeNs);
    }
    expect(times.size).toBe(steps.length + 1);
  });
}
