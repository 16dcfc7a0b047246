import { linkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { thisMachine } from '../../src/doctor/machine.ts';
import type { HiveFs } from '../../src/hive/hive-fs.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import { ownIdentity } from '../../src/hive/process-identity.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { machineWith, makeScene } from './scene.ts';

const MIB = 1024 * 1024;
const roomy = { type: 0xef53, freeBytes: 1e12, freeFiles: 1e6, totalFiles: 1e7 };

describe('the file system', () => {
  it.each([
    ['NFS', 0x6969, 'warning'],
    ['SMB', 0xfe534d42, 'warning'],
    ['CIFS', 0xff534d42, 'warning'],
    ['FUSE', 0x65735546, 'warning'],
    ['9p', 0x01021997, 'warning'],
    ['tmpfs', 0x01021994, 'warning'],
    ['FAT', 0x4d44, 'warning'],
    ['overlay', 0x794c7630, 'note'],
    ['ext4', 0xef53, 'ok'],
    ['btrfs', 0x9123683e, 'ok'],
  ])('%s is told with what it means', async (name, type, level) => {
    const { look } = await makeScene();
    const machine = machineWith({ platform: 'linux', fileSystem: () => ({ ...roomy, type }) });
    const [finding] = await look('file-system', { machine });
    expect(finding).toMatchObject({ level, what: `The hive lies on ${name}.` });
    if (level !== 'ok') expect(finding?.means).toMatch(/\w/);
  });

  it('is not guessed from a number that means nothing on this platform', async () => {
    const { look } = await makeScene();
    const machine = machineWith({
      platform: 'darwin',
      fileSystem: () => ({ ...roomy, type: 0x6969 }),
    });
    expect(await look('file-system', { machine })).toMatchObject([
      { level: 'ok', what: expect.stringContaining('not known') },
    ]);
  });

  it('is noted when it tells no upper from lower case', async () => {
    const { look, dir, layout } = await makeScene();
    linkSync(layout.settings, join(dir, 'HIVE.JSON'));
    expect((await look('file-system')).map(({ what }) => what)).toContain(
      'The file system tells no upper from lower case.',
    );
  });

  it('is asked of the system itself, with unsigned types', () => {
    const { type, freeBytes } = thisMachine.fileSystem(tempDir());
    expect(type).toBeGreaterThanOrEqual(0);
    expect(freeBytes).toBeGreaterThan(0);
  });
});

describe('the parts of a hive', () => {
  it('are an error on another device', async () => {
    const { look, agent } = await makeScene();
    const real = createNodeFs();
    const fs: HiveFs = {
      ...real,
      stat: (path) => {
        const stat = real.stat(path);
        return path === agent('coder').inbox && stat !== undefined
          ? { ...stat, device: stat.device + 1n }
          : stat;
      },
    };
    expect(await look('devices', { fs })).toMatchObject([
      { level: 'error', what: 'On a file system of its own: agents/coder/inbox.' },
    ]);
  });

  it('are an error as mount points, which a bind mount does not tell by its device', async () => {
    const { look, dir } = await makeScene(join(tempDir(), 'my hive'));
    const line = (path: string) =>
      `36 35 98:0 / ${path.replaceAll(' ', '\\040')} rw - ext4 /dev/x rw`;
    const table = [line('/'), line(dir), line(`${dir}-other/x`), line(`${dir}/agents/god`)].join(
      '\n',
    );
    const machine = machineWith({
      systemText: (path) => (path === '/proc/self/mountinfo' ? table : undefined),
    });
    expect(await look('devices', { machine })).toMatchObject([
      { level: 'error', what: 'On a file system of its own: agents/god.' },
    ]);
  });
});

describe('the disk', () => {
  it.each([
    [{ freeBytes: 63 * MIB }, 'error'],
    [{ freeBytes: 500 * MIB }, 'warning'],
    [{ freeFiles: 999 }, 'error'],
    [{ freeFiles: 9999 }, 'warning'],
    [{ freeFiles: 0, totalFiles: 0 }, 'ok'],
    [{}, 'ok'],
  ])('with %o is %s', async (facts, level) => {
    const { look } = await makeScene();
    const machine = machineWith({ fileSystem: () => ({ ...roomy, ...facts }) });
    expect(await look('disk', { machine })).toMatchObject([{ level }]);
  });
});

describe('the limits of the system', () => {
  const limits = (watches: string | undefined, instances = '128') =>
    machineWith({
      systemText: (path) => {
        if (path === '/proc/sys/fs/inotify/max_user_watches') return watches;
        return path === '/proc/sys/fs/inotify/max_user_instances' ? instances : undefined;
      },
    });

  it.each([
    ['9\n', '128', 'warning', 'max_user_watches'],
    ['8192\n', '1', 'warning', 'max_user_instances'],
    ['8192\n', '128', 'ok', undefined],
    [undefined, '128', 'ok', undefined],
  ])('with %j watches in %s sets are %s', async (watches, instances, level, knob) => {
    const { look } = await makeScene();
    const [finding] = await look('watches', { machine: limits(watches, instances) });
    expect(finding?.level).toBe(level);
    if (knob !== undefined) expect(finding?.advice).toContain(`fs.inotify.${knob}=`);
  });

  it.each([
    ['Max open files            128                  4096                 files', 'warning'],
    ['Max open files            1024                 4096                 files', 'ok'],
    ['Max open files            unlimited            unlimited            files', 'ok'],
    ['', 'ok'],
  ])('of open files, %j, are %s', async (text, level) => {
    const { look } = await makeScene();
    const machine = machineWith({
      systemText: (path) => (path === '/proc/self/limits' ? `Limit\n${text}\n` : undefined),
    });
    expect(await look('open-files', { machine })).toMatchObject([{ level }]);
  });

  it('of open files are those of the router when one is up', async () => {
    const { look, write } = await makeScene();
    const owner = { host: hostname(), epoch: 1, since: 'x', token: 'x', ...ownIdentity() };
    write('.router/owner.json', owner);
    const asked: string[] = [];
    const machine = machineWith({
      systemText: (path) => {
        asked.push(path);
        return undefined;
      },
    });
    await look('open-files', { machine });
    expect(asked).toContain(`/proc/${process.pid}/limits`);
  });
});
