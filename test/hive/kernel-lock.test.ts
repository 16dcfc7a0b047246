import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { lockSocketName } from '../../src/hive/kernel-lock.ts';
import { layoutOf } from '../../src/hive/layout.ts';
import { acquire, fs, heldByAnother, hive, leaveOwner, refusal, release } from './lock-scene.ts';

describe('the kernel’s lock', () => {
  it('held by one that has not said who it is locks, and can be taken over', async () => {
    const refused = await refusal({ takeKernel: heldByAnother });
    expect(refused.code).toBe('locked');
    expect(refused.message).toContain('does not say which');
    const lock = await acquire({ takeKernel: heldByAnother, takeover: true });
    expect(lock).toMatchObject({ kernel: false, tookOverFrom: undefined });
  });
  it('has a name that fills the whole address, so that no version of Node pads it', async () => {
    const name = lockSocketName(hive.root);
    expect(Buffer.byteLength(name)).toBe(108);
    await acquire();
    const bound = readFileSync('/proc/net/unix', 'utf8').split(/\s/);
    expect(bound).toContain(`@${name.slice(1)}`);
  });
  it('ends every connection at once', async () => {
    const lock = await acquire();
    const visitor = connect(lockSocketName(hive.root));
    await once(visitor, 'close');
    await release(lock);
  });
  it('is free again after each way of failing to take the rest', async () => {
    await leaveOwner({ host: 'far.example', bootId: 'theirs' });
    expect((await refusal()).code).toBe('locked');
    const forced = (): never => {
      throw Object.assign(new Error('EIO: forced\u001b'), { code: 'EIO' });
    };
    const refused = await refusal({ fs: { ...fs, read: forced } });
    expect(refused).toMatchObject({ code: 'io', cause: { code: 'EIO' } });
    expect(refused.message).toContain('forced\\u001b');
    const unwritable = { ...fs, create: async () => forced() };
    expect((await refusal({ fs: unwritable, takeover: true })).code).toBe('io');
    expect(await acquire({ takeover: true })).toMatchObject({ kernel: true });
  });
  it('is freed although the end can not be recorded', async () => {
    let full = false;
    const create: typeof fs.create = async (path, bytes) => {
      if (full) throw Object.assign(new Error('ENOSPC: forced'), { code: 'ENOSPC' });
      await fs.create(path, bytes);
    };
    const lock = await acquire({ fs: { ...fs, create } });
    full = true;
    await expect(release(lock)).rejects.toMatchObject({ code: 'io' });
    rmSync(layoutOf(hive.root).owner);
    expect(await acquire()).toMatchObject({ kernel: true });
  });
});
