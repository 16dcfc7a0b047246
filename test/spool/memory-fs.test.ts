import { describe, expect, it } from 'vitest';
import { createFaultyFs } from '../helpers/faulty-fs.ts';
import { describeHiveFs } from '../helpers/hive-fs-contract.ts';
import { createMemoryFs } from '../helpers/memory-fs.ts';

function inMemory() {
  const fs = createMemoryFs();
  fs.mkdir('/d');
  return { fs, root: '/d' };
}

describeHiveFs('in memory', inMemory);
describeHiveFs('with faults, none of them due', () => {
  const { fs, root } = inMemory();
  return { fs: createFaultyFs(fs), root };
});

describe('files in memory', () => {
  it('copies into one that shares nothing', () => {
    const fs = createMemoryFs();
    fs.write('/a/b', 'x');
    const copy = fs.copy();
    copy.write('/a/b', 'y');
    fs.write('/a/c', 'z');
    expect([fs.text('/a/b'), copy.text('/a/b')]).toEqual(['x', 'y']);
    expect(copy.tree()).toEqual(['/a/', '/a/b']);
    expect(copy.stat('/a/b')?.inode).toBe(fs.stat('/a/b')?.inode);
  });
  it('follows links on the way and not at the end', () => {
    const fs = createMemoryFs();
    fs.write('/real/f', 'x');
    fs.link('/way', '/real');
    fs.link('/real/end', 'f');
    expect(fs.stat('/way/f')?.kind).toBe('file');
    expect(fs.list('/way').sort()).toEqual(['end', 'f']);
    expect(fs.stat('/real/end')?.kind).toBe('link');
    expect(() => fs.read('/real/end', 9)).toThrow(expect.objectContaining({ code: 'ELOOP' }));
  });
  it('refuses names of more than 255 bytes, as the system does', async () => {
    const fs = createMemoryFs();
    await expect(fs.create(`/${'é'.repeat(128)}`, '')).rejects.toThrow('ENAMETOOLONG');
    await fs.create(`/${'\udce9'.repeat(255)}`, '');
  });
});
