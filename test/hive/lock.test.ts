import { lstatSync, symlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { layoutOf } from '../../src/hive/layout.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { acquire, fs, hive, owner, refusal, release, withAndWithoutKernel } from './lock-scene.ts';

describe('one router in one process', () => {
  it.each(withAndWithoutKernel)(
    'excludes a second, until it gives the lock back, %s',
    async (_title, options) => {
      const first = await acquire(options);
      expect(first).toMatchObject({ epochAfter: 0, kernel: options.takeKernel === undefined });
      await first.recordOwner(3);
      const refused = await refusal(options);
      expect(refused.code).toBe('locked');
      await release(first);
      const second = await acquire(options);
      expect(second.epochAfter).toBe(3);
    },
  );
  it('tells who holds the lock, since when, and what to do', async () => {
    const lock = await acquire();
    const { message } = await refusal();
    const parts = [`${process.pid} on ${hostname()}`, '2026-11-30T00:00:00.000Z'];
    for (const part of [...parts, `\`kill ${process.pid}\``, '`hivemail up --takeover`']) {
      expect(message).toContain(part);
    }
    await release(lock);
  });
  it.each(withAndWithoutKernel)(
    'goes to exactly one of many that ask at once, %s',
    async (_title, options) => {
      const results = await Promise.allSettled(Array.from({ length: 8 }, () => acquire(options)));
      const given = results.filter((result) => result.status === 'fulfilled');
      expect(given).toHaveLength(1);
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'locked' });
      }
    },
  );
  it('keeps router directory and record to their owner', async () => {
    await acquire();
    expect(lstatSync(layoutOf(hive.root).router).mode & 0o777).toBe(0o700);
    expect(lstatSync(layoutOf(hive.root).owner).mode & 0o777).toBe(0o600);
  });
  it('keeps the epoch over many holders, also those that record none', async () => {
    const router = await acquire();
    await router.recordOwner(1);
    await router.recordOwner(2);
    await release(router);
    for (let round = 0; round < 3; round++) {
      const command = await acquire();
      expect(command.epochAfter).toBe(2);
      await release(command);
    }
    expect(owner()).toMatchObject({ epoch: 2, ended: '2026-11-30T00:00:00.000Z' });
  });
  it('is harmless to give back twice, and records nothing afterwards', async () => {
    const lock = await acquire();
    await release(lock);
    const next = await acquire();
    await release(lock);
    expect(owner()?.ended).toBeUndefined();
    await expect(lock.recordOwner(9)).rejects.toMatchObject({ code: 'fenced' });
    await release(next);
  });
});

describe('where there is no hive', () => {
  it('says so, and makes nothing', async () => {
    const layout = layoutOf(join(hive.root, 'gone'));
    expect((await refusal({ layout })).code).toBe('hive-not-found');
    expect(fs.list(hive.root)).toEqual([]);
  });
  it('names what stands in place of the router’s directory', async () => {
    symlinkSync(tempDir(), layoutOf(hive.root).router);
    const refused = await refusal();
    expect(refused.code).toBe('io');
    expect(refused.message).toContain('.router');
  });
});
