import { execFileSync } from 'node:child_process';
import fs, {
  fstatSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import { describeHiveFs } from '../helpers/hive-fs-contract.ts';
import { failure } from '../helpers/hive-fs-subject.ts';
import { tempDir } from '../helpers/temp-dir.ts';

describeHiveFs('the system’s', () => ({ fs: createNodeFs(), root: tempDir() }));

const hiveFs = createNodeFs();
let root: string;
beforeEach(() => {
  root = tempDir();
});

function openDescriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

describe('what stands in an outbox and is no letter', () => {
  it('answers for a pipe at once and calls it no file', async () => {
    const pipe = join(root, 'pipe.json');
    execFileSync('mkfifo', [pipe]);
    expect(hiveFs.stat(pipe)?.kind).toBe('other');
    expect(await failure(() => hiveFs.read(pipe, 10))).toBe('EINVAL');
    expect(await failure(() => hiveFs.openAppend(pipe))).toBe('EINVAL');
  });
  it('calls a socket and a device no file', async () => {
    const path = join(root, 'socket.json');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    expect(hiveFs.stat(path)?.kind).toBe('other');
    expect(await failure(() => hiveFs.read(path, 10))).toBe('EINVAL');
    await new Promise((resolve) => server.close(resolve));
    expect(await failure(() => hiveFs.read('/dev/zero', 10))).toBe('EINVAL');
  });
  it('never follows a link, to read, to append or to create', async () => {
    const target = join(root, 'secret');
    writeFileSync(target, 'secret');
    const links = { 'link.json': target, 'loop.json': 'loop.json', 'dangling.json': 'nowhere' };
    for (const [name, to] of Object.entries(links)) {
      symlinkSync(to, join(root, name));
      expect(hiveFs.stat(join(root, name))?.kind).toBe('link');
      expect(await failure(() => hiveFs.read(join(root, name), 10))).toBe('ELOOP');
      expect(await failure(() => hiveFs.openAppend(join(root, name)))).toBe('ELOOP');
      expect(await failure(() => hiveFs.create(join(root, name), 'x'))).toBe('EEXIST');
    }
    expect(readdirSync(root)).not.toContain('nowhere');
  });
  it.each(['linux', 'darwin'] as const)('takes hold of no link, on %s', async (platform) => {
    const files = createNodeFs({ platform });
    mkdirSync(join(root, 'd'));
    symlinkSync('d', join(root, 'link'));
    expect(await failure(() => files.anchor(join(root, 'link')))).toBe('ENOTDIR');
    using anchor = files.anchor(join(root, 'd'));
    expect(anchor.holds).toBe(platform === 'linux');
  });
  it.runIf(process.platform === 'linux')(
    'reaches a directory that it holds under any name, and nothing in its place',
    async () => {
      mkdirSync(join(root, 'd'));
      using anchor = hiveFs.anchor(join(root, 'd'));
      hiveFs.rename(join(root, 'd'), join(root, 'away'));
      mkdirSync(join(root, 'other'));
      symlinkSync('other', join(root, 'd'));
      await hiveFs.create(join(anchor.path, 'f'), 'x');
      expect(readdirSync(join(root, 'other'))).toEqual([]);
      expect(readdirSync(join(root, 'away'))).toEqual(['f']);
    },
  );
  it('reads no more of a huge sparse file than asked', () => {
    const huge = join(root, 'huge.json');
    writeFileSync(huge, '');
    truncateSync(huge, 10 * 2 ** 30);
    const { bytes, stat } = hiveFs.read(huge, 1025);
    expect(bytes).toHaveLength(1025);
    expect(stat.sizeBytes).toBe(10 * 2 ** 30);
  });
  it('leaves no file open after any of these', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    writeFileSync(join(root, 'f'), 'x');
    const before = openDescriptors();
    for (let round = 0; round < 20; round++) {
      for (const name of ['pipe', 'f', '.', 'gone']) {
        await failure(() => hiveFs.read(join(root, name), 10));
        await failure(() => hiveFs.openAppend(join(root, name)).close());
        await failure(() => hiveFs.create(join(root, name, 'x'), 'x'));
      }
      hiveFs.list(root, 1);
      for (const name of ['f', '.', 'gone']) {
        await failure(() => hiveFs.anchor(join(root, name))[Symbol.dispose]());
      }
      await hiveFs.syncDir(root);
    }
    expect(openDescriptors()).toBe(before);
  });
});

describe('names as the disk has them', () => {
  it('lists and reads names made of any bytes, besides valid ones', () => {
    const raw = Buffer.concat([
      Buffer.from(`${root}/a`),
      Buffer.from([0xff, 0xe9]),
      Buffer.from('.json'),
    ]);
    writeFileSync(raw, 'x');
    writeFileSync(join(root, 'é😀\ufffd.json'), 'y');
    const names = ['a\udcff\udce9.json', 'é😀\ufffd.json'];
    expect(hiveFs.list(root).sort()).toEqual(names);
    expect(hiveFs.list(root, 10).sort()).toEqual(names);
    for (const name of names) expect(hiveFs.read(join(root, name), 10).bytes).toHaveLength(1);
    hiveFs.rename(join(root, names[0] ?? ''), join(root, 'plain.json'));
    expect(hiveFs.list(root)).toContain('plain.json');
  });
  it('lists a small directory in the plain way, which is quicker', () => {
    for (const name of ['a', 'b', 'c']) writeFileSync(join(root, name), '');
    const stepping = vi.spyOn(fs.Dir.prototype, 'readSync');
    expect(hiveFs.list(root, 2)).toHaveLength(2);
    expect(stepping).not.toHaveBeenCalled();
    stepping.mockRestore();
  });
  it('takes the first names of a large directory without listing the rest', () => {
    for (let index = 0; index < 3000; index++) writeFileSync(join(root, `f${index}`), '');
    const listing = vi.spyOn(fs.Dir.prototype, 'readSync');
    expect(new Set(hiveFs.list(root, 500)).size).toBe(500);
    expect(listing).toHaveBeenCalledTimes(500);
    using anchor = hiveFs.anchor(root);
    expect(hiveFs.list(anchor.path, 500)).toHaveLength(500);
    expect(listing).toHaveBeenCalledTimes(1000);
    listing.mockRestore();
    expect(new Set(hiveFs.list(root)).size).toBe(3000);
  });
});

describe('modes', () => {
  it('keeps files and directories to their owner whatever the umask allows', async () => {
    const before = process.umask(0);
    try {
      hiveFs.mkdir(join(root, 'd'));
      await hiveFs.create(join(root, 'd', 'f'), 'x');
      hiveFs.openAppend(join(root, 'd', 'log')).close();
    } finally {
      process.umask(before);
    }
    const modeOf = (...names: string[]) => lstatSync(join(root, ...names)).mode & 0o7777;
    expect([modeOf('d'), modeOf('d', 'f'), modeOf('d', 'log')]).toEqual([0o700, 0o600, 0o600]);
  });
});

describe('many at once', () => {
  it('creates 500 files in parallel with few of them open at any time', async () => {
    let most = 0;
    const names = Array.from({ length: 500 }, (_, index) => join(root, `f${index}`));
    const before = openDescriptors();
    const timer = setInterval(() => {
      most = Math.max(most, openDescriptors() - before);
    }, 1);
    await Promise.all(names.map((name) => hiveFs.create(name, 'x'.repeat(2000))));
    clearInterval(timer);
    expect(readdirSync(root)).toHaveLength(500);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(66);
  });
  it('syncs a directory with the entries of all files whose creation began before', async () => {
    let seen = 0;
    forge('fsync', (real) => (fd: number, done: () => void) => {
      if (fstatSync(fd).isDirectory()) seen = readdirSync(root).length;
      real(fd, done);
    });
    // The sync is bound when the module loads.
    vi.resetModules();
    const { createNodeFs: create } = await import('../../src/hive/node-fs.ts');
    const fresh = create();
    const names = Array.from({ length: 200 }, (_, index) => join(root, `f${index}`));
    await Promise.all([...names.map((name) => fresh.create(name, 'x')), fresh.syncDir(root)]);
    expect(seen).toBe(200);
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  it('creates 500 files where only 100 may be open', () => {
    const program = `
      import { createNodeFs } from ${JSON.stringify(new URL('../../src/hive/node-fs.ts', import.meta.url).href)};
      const hive = createNodeFs();
      const names = Array.from({ length: 500 }, (_, at) => ${JSON.stringify(root)} + '/g' + at);
      await Promise.all(names.map((name) => hive.create(name, 'x')));
      await Promise.all(names.map((name) => hive.syncDir(${JSON.stringify(root)})));
    `;
    const command = 'ulimit -n 100; exec "$0" --import tsx --input-type=module -e "$1"';
    execFileSync('bash', ['-c', command, process.execPath, program], { stdio: 'pipe' });
    expect(readdirSync(root)).toHaveLength(500);
  });
});

/** Puts a stand-in for one of Node's file functions under the code, as a failing disk would. */
function forge<K extends 'writeSync' | 'fsync' | 'renameSync'>(
  name: K,
  make: (real: (typeof fs)[K]) => unknown,
): void {
  const real = fs[name];
  vi.spyOn(fs, name).mockImplementation(make(real) as never);
  syncBuiltinESMExports();
}

describe('a disk that fails', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  const path = () => join(root, 'f');
  const eio = (code = 'EIO') => Object.assign(new Error(`${code}: forced`), { code });

  it('goes on after short writes until all is written', async () => {
    forge(
      'writeSync',
      (real) => (fd: number, bytes: Uint8Array, at: number, length: number) =>
        real(fd, bytes, at, Math.min(length, 3)),
    );
    await hiveFs.create(path(), '0123456789');
    const file = hiveFs.openAppend(path());
    await file.append(Buffer.from('abcdefgh'));
    file.close();
    expect(fs.readFileSync(path(), 'utf8')).toBe('0123456789abcdefgh');
  });
  it('gives up on writes that take nothing', async () => {
    forge('writeSync', () => () => 0);
    expect(await failure(() => hiveFs.create(path(), 'x'))).toBe('EIO');
  });
  it('catches a write that claims more than it did', async () => {
    const file = hiveFs.openAppend(join(root, 'log'));
    forge('writeSync', (real) => (fd: number, bytes: Uint8Array, at: number, length: number) => {
      real(fd, bytes, at, length - 1);
      return length;
    });
    expect(await failure(() => hiveFs.create(path(), 'abc'))).toBe('EIO');
    expect(await failure(() => file.append(Buffer.from('abc')))).toBe('EIO');
    file.close();
  });
  it('reports a failed sync, closing the file', async () => {
    forge('fsync', () => (_fd: number, done: (error: Error) => void) => {
      setImmediate(done, eio());
    });
    // The sync is bound when the module loads.
    vi.resetModules();
    const { createNodeFs: create } = await import('../../src/hive/node-fs.ts');
    const before = openDescriptors();
    expect(await failure(() => create().create(path(), 'x'))).toBe('EIO');
    expect(await failure(() => create().syncDir(root))).toBe('EIO');
    expect(openDescriptors()).toBe(before);
  });
  it.each(['EPERM', 'EISDIR', 'EINVAL', 'ENOTSUP'])(
    'does without the sync of a directory where the platform says %s, but not of a file',
    async (code) => {
      forge('fsync', () => (_fd: number, done: (error: Error) => void) => {
        setImmediate(done, eio(code));
      });
      vi.resetModules();
      const { createNodeFs: create } = await import('../../src/hive/node-fs.ts');
      await expect(create().syncDir(root)).resolves.toBeUndefined();
      expect(await failure(() => create().create(path(), 'x'))).toBe(code);
    },
  );
  it('waits out a scanner that holds a file on Windows, for a bounded time', async () => {
    writeFileSync(path(), 'x');
    let refusals = 4;
    forge('renameSync', (real) => (from: string, to: string) => {
      if (refusals-- > 0) throw eio(refusals % 2 === 0 ? 'EPERM' : 'EBUSY');
      real(from, to);
    });
    createNodeFs({ platform: 'win32' }).rename(path(), join(root, 'g'));
    expect(readdirSync(root)).toEqual(['g']);
    refusals = 100;
    const windows = createNodeFs({ platform: 'win32' });
    expect(await failure(() => windows.rename(join(root, 'g'), path()))).toMatch(/EPERM|EBUSY/);
    expect(refusals).toBe(94);
  });
  it('lets the error of a rename through at once elsewhere, and for what no scanner causes', async () => {
    let calls = 0;
    let code = 'EACCES';
    forge('renameSync', () => () => {
      calls += 1;
      throw eio(code);
    });
    const rename = (platform: NodeJS.Platform) => () =>
      createNodeFs({ platform }).rename(path(), join(root, 'g'));
    expect(await failure(rename('linux'))).toBe('EACCES');
    code = 'ENOENT';
    expect(await failure(rename('win32'))).toBe('ENOENT');
    expect(calls).toBe(2);
  });
  it('lists in the plain way where looking up a type fails on a name that has just gone', () => {
    for (let index = 0; index < 500; index++) writeFileSync(join(root, `${index}`.repeat(50)), '');
    const looked = vi.spyOn(fs.Dir.prototype, 'readSync').mockImplementation(() => {
      throw Object.assign(eio('ENOENT'), { syscall: 'lstat' });
    });
    expect(hiveFs.list(root, 2)).toHaveLength(2);
    expect(looked).toHaveBeenCalledOnce();
  });
});
