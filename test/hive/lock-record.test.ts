import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { layoutOf } from '../../src/hive/layout.ts';
import {
  acquire,
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
