import { once } from 'node:events';
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { layoutOf } from '../../src/hive/layout.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import {
  acquire,
  fs,
  Holder,
  hive,
  noKernel,
  owner,
  refusal,
  release,
  startHolder,
  time,
} from './lock-scene.ts';

describe('routers in different processes', () => {
  it('excludes a second, and lets it start at once when the first is killed', async () => {
    const holder = await startHolder();
    expect(await holder.ask('record 5')).toBe('ok');
    const refused = await refusal();
    expect(refused.code).toBe('locked');
    expect(refused.message).toContain(`Process ${holder.pid} on`);
    expect((await refusal(noKernel)).message).toContain(`${holder.pid}`);
    await holder.kill();
    expect(await acquire()).toMatchObject({ epochAfter: 5, kernel: true, tookOverFrom: undefined });
  });
  it('leaves the hive to a stopped router, whatever the clock says, until it is taken over', async () => {
    const holder = await startHolder();
    expect(await holder.ask('record 5')).toBe('ok');
    holder.child.kill('SIGSTOP');
    for (const jumpMs of [0, 86_400_000, -86_400_000, 365 * 86_400_000]) {
      time.now += jumpMs;
      expect((await refusal()).code).toBe('locked');
    }
    const successor = await acquire({ takeover: true });
    expect(successor).toMatchObject({ epochAfter: 5, kernel: false });
    expect(successor.tookOverFrom?.pid).toBe(holder.pid);
    await successor.recordOwner(6);

    holder.child.kill('SIGCONT');
    expect(await holder.ask('record 7')).toBe('fenced');
    expect(await holder.ask('dispose')).toBe('ok');
    expect(owner()).toMatchObject({ pid: process.pid, epoch: 6, ended: undefined });
    await holder.kill();
    // The kernel's lock is free again, and the one who took over still there.
    expect((await refusal()).message).toContain(`Process ${process.pid} on`);
    await release(successor);
    expect(await acquire()).toMatchObject({ epochAfter: 6, kernel: true });
  });
  it('keeps no process running by itself, and is free once that has ended', async () => {
    const holder = new Holder(hive.root, 'leave');
    const closed = once(holder.child, 'close');
    expect(await holder.nextLine()).toMatch(/^held true/);
    expect(await closed).toEqual([0, null]);
    expect(owner()?.ended).toBeUndefined();
    expect(await acquire()).toMatchObject({ kernel: true });
  });
  it('sees one hive through a link and after a move, and different ones apart', async () => {
    const other = tempDir();
    const dir = join(hive.root, 'hive');
    fs.mkdir(dir);
    symlinkSync(dir, join(hive.root, 'link'));
    const holder = await startHolder(dir);
    expect((await refusal({ layout: layoutOf(join(hive.root, 'link')) })).code).toBe('locked');
    renameSync(dir, join(hive.root, 'moved'));
    rmSync(layoutOf(join(hive.root, 'moved')).owner);
    expect((await refusal({ layout: layoutOf(join(hive.root, 'moved')) })).code).toBe('locked');
    expect(await acquire({ layout: layoutOf(other) })).toMatchObject({ kernel: true });
    await holder.kill();
  });
});
