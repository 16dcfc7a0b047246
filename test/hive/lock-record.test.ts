import { rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { HiveFs } from '../../src/hive/hive-fs.ts';
import { layoutOf } from '../../src/hive/layout.ts';
import { ownerHere, writeOwner } from '../../src/hive/owner.ts';
import {
  acquire,
  clock,
  fs,
  hive,
  leaveOwner,
  noKernel,
  owner,
  refusal,
  release,
  withAndWithoutKernel,
} from './lock-scene.ts';

describe('a record left behind', () => {
  it.each(withAndWithoutKernel)(
    'of a pid that another process has now locks nobody out, %s',
    async (_title, options) => {
      await leaveOwner({ pid: process.pid, startedAt: '1' });
      const lock = await acquire(options);
      expect(lock).toMatchObject({ epochAfter: 7, tookOverFrom: undefined });
    },
  );
  it.each(withAndWithoutKernel)(
    'of an earlier boot locks nobody out, %s',
    async (_title, options) => {
      await leaveOwner({ bootId: 'a boot ago' });
      const lock = await acquire(options);
      expect(lock).toMatchObject({ epochAfter: 7, tookOverFrom: undefined });
    },
  );
  it.each(withAndWithoutKernel)(
    'of a living router locks for good, however old, %s',
    async (_title, options) => {
      await leaveOwner({ since: '2001-01-01T00:00:00.000Z' });
      const refused = await refusal(options);
      expect(refused.message).toContain('2001-01-01');
    },
  );
  it.each(withAndWithoutKernel)(
    'of another host asks for a takeover, %s',
    async (_title, options) => {
      await leaveOwner({ host: 'far\u001b[2J.example', bootId: 'theirs' });
      const { message, code } = await refusal(options);
      expect(code).toBe('locked');
      expect(message).toContain('far\\u001b[2J.example');
      const lock = await acquire({ ...options, takeover: true });
      expect(lock).toMatchObject({ epochAfter: 7, kernel: options.takeKernel === undefined });
      expect(lock.tookOverFrom?.bootId).toBe('theirs');
    },
  );
  it('of another host that ended there is no obstacle', async () => {
    await leaveOwner({ host: 'far.example', ended: '2026-11-29T00:00:00.000Z' });
    expect(await acquire()).toMatchObject({ epochAfter: 7, tookOverFrom: undefined });
  });
  it('without a start time counts only where the kernel can not tell', async () => {
    await leaveOwner({ startedAt: undefined });
    expect((await refusal(noKernel)).code).toBe('locked');
    expect(await acquire()).toMatchObject({ kernel: true });
  });
  it.each(['', '{"pid": 12', '{}', '\u0000\u0000', '{"pid":1,"epoch":-1}'])(
    'that is damaged (%j) locks nobody out',
    async (text) => {
      fs.mkdir(layoutOf(hive.root).router);
      writeFileSync(layoutOf(hive.root).owner, text);
      const first = await acquire(noKernel);
      await release(first);
      writeFileSync(layoutOf(hive.root).owner, text);
      expect(await acquire()).toMatchObject({ epochAfter: 0, kernel: true });
      expect(owner()?.pid).toBe(process.pid);
    },
  );
});

describe('a record that changes while another is written', () => {
  /** Does something in the moment when the new record is on the disk and has no name yet. */
  function meanwhile(intrude: () => Promise<unknown>): HiveFs {
    let pending: (() => Promise<unknown>) | undefined = intrude;
    const create: HiveFs['create'] = async (path, bytes) => {
      await fs.create(path, bytes);
      const now = pending;
      pending = undefined;
      await now?.();
    };
    return { ...fs, create };
  }

  it('makes the slower of two starts give way, before anything is replaced', async () => {
    const slower = meanwhile(() => acquire(noKernel));
    const refused = await refusal({ ...noKernel, fs: slower });
    expect(refused.code).toBe('locked');
    expect(refused.message).toContain(`Process ${process.pid} on`);
    expect(owner()?.ended).toBeUndefined();
  });
  it('stays that of the one who takes over while the old one records its end', async () => {
    const layout = layoutOf(hive.root);
    let armed = false;
    const create: HiveFs['create'] = async (path, bytes) => {
      await fs.create(path, bytes);
      if (armed) await writeOwner(fs, layout, successor, () => true);
    };
    const old = await acquire({ fs: { ...fs, create } });
    const successor = { ...ownerHere(clock, 9), host: 'far.example' };
    armed = true;
    await release(old);
    expect(owner()).toMatchObject({ token: successor.token, epoch: 9, ended: undefined });
  });
});

describe('giving the lock back', () => {
  it('ends the right to record an epoch', async () => {
    const lock = await acquire();
    await release(lock);
    await expect(lock.recordOwner(9)).rejects.toMatchObject({ code: 'fenced' });
    expect(owner()?.epoch).toBe(0);
  });
  it('asks for no record where the router’s directory is gone', async () => {
    const lock = await acquire();
    rmSync(layoutOf(hive.root).router, { recursive: true });
    await release(lock);
    expect(await acquire()).toMatchObject({ kernel: true });
  });
});
