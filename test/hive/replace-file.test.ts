import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { HiveFs } from '../../src/hive/hive-fs.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import { replaceFile } from '../../src/hive/replace-file.ts';
import { failure } from '../helpers/hive-fs-subject.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const random = () => 'aaaaaaaa';

function failing(operation: 'create' | 'rename' | 'syncDir'): HiveFs {
  const real = createNodeFs();
  const fail = () => {
    throw Object.assign(new Error('EIO: forced'), { code: 'EIO' });
  };
  if (operation !== 'create') return { ...real, [operation]: fail };
  return {
    ...real,
    create: async (path, bytes) => {
      await real.create(path, bytes.slice(0, 1));
      fail();
    },
  };
}

describe('replacing a file', () => {
  let root: string;
  let path: string;
  beforeEach(() => {
    root = tempDir();
    path = join(root, 'registry.json');
  });

  it('puts new content in place of the old, or where nothing was', async () => {
    const fs = createNodeFs();
    await replaceFile(fs, path, 'one', random);
    await replaceFile(fs, path, Buffer.from('two'), random);
    expect(readFileSync(path, 'utf8')).toBe('two');
    expect(readdirSync(root)).toEqual(['registry.json']);
    expect(lstatSync(path).mode & 0o777).toBe(0o600);
  });
  it('replaces a link itself, not what it leads to', async () => {
    const target = join(root, 'target');
    writeFileSync(target, 'untouched');
    symlinkSync(target, path);
    await replaceFile(createNodeFs(), path, 'new', random);
    expect(readFileSync(target, 'utf8')).toBe('untouched');
    expect(lstatSync(path).isFile()).toBe(true);
  });
  it.each(['create', 'rename'] as const)(
    'keeps the old content and leaves no temporary file when %s fails',
    async (operation) => {
      writeFileSync(path, 'old');
      expect(await failure(() => replaceFile(failing(operation), path, 'new', random))).toBe('EIO');
      expect(readFileSync(path, 'utf8')).toBe('old');
      expect(readdirSync(root)).toEqual(['registry.json']);
    },
  );
  it('reports a directory that can not be synced, with whole content in place', async () => {
    writeFileSync(path, 'old');
    expect(await failure(() => replaceFile(failing('syncDir'), path, 'new', random))).toBe('EIO');
    expect(readFileSync(path, 'utf8')).toBe('new');
  });
  it('leaves alone a temporary file that is not its own', async () => {
    writeFileSync(join(root, '.tmp-aaaaaaaa'), 'of another');
    expect(await failure(() => replaceFile(createNodeFs(), path, 'new', random))).toBe('EEXIST');
    expect(readFileSync(join(root, '.tmp-aaaaaaaa'), 'utf8')).toBe('of another');
  });
  it('says what stands in the way, a directory of that name or no directory to be in', async () => {
    mkdirSync(path);
    const fs = createNodeFs();
    expect(await failure(() => replaceFile(fs, path, 'new', random))).toBe('EISDIR');
    expect(readdirSync(root)).toEqual(['registry.json']);
    const gone = join(root, 'gone', 'f');
    expect(await failure(() => replaceFile(fs, gone, 'new', random))).toBe('ENOENT');
  });
});
