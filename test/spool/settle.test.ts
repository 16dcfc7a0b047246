import { describe, expect, it } from 'vitest';
import type { FileStat } from '../../src/hive/hive-fs.ts';
import { SettleWatch, settleMs } from '../../src/spool/settle.ts';

const times = { openMs: 30_000, closedMs: 3000, strayMs: 10_000, temporaryMs: 600_000 };

function stat(changes: Partial<FileStat> = {}): FileStat {
  const times = { mtimeNs: 5n, ctimeNs: 5n, links: 1 };
  return { kind: 'file', sizeBytes: 10, ...times, inode: 1n, device: 1n, ...changes };
}

describe('the time a file has to lie still', () => {
  it('depends on how far its writer has come', () => {
    expect(settleMs('complete', times)).toBe(0);
    expect(settleMs('closed', times)).toBe(3000);
    expect(settleMs('open', times)).toBe(30_000);
    expect(settleMs('empty', times)).toBe(30_000);
  });
});

describe('watching a file settle', () => {
  it('takes the time from the first look, at any number of looks', () => {
    const watch = new SettleWatch();
    const settled = [0, 1000, 2999, 3000].map((nowMs) => {
      const result = watch.hasSettled(stat(), 3000, nowMs);
      watch.endPass();
      return result;
    });
    expect(settled).toEqual([false, false, false, true]);
  });
  it.each([
    ['its size', { sizeBytes: 11 }],
    ['its mtime', { mtimeNs: 6n }],
  ])('begins anew when %s changes', (_, change) => {
    const watch = new SettleWatch();
    watch.hasSettled(stat(), 3000, 0);
    watch.endPass();
    expect(watch.hasSettled(stat(change), 3000, 3000)).toBe(false);
    expect(watch.hasSettled(stat(change), 3000, 5999)).toBe(false);
    expect(watch.hasSettled(stat(change), 3000, 6000)).toBe(true);
  });
  it('goes by the inode, so that a file settles on under another name', () => {
    const watch = new SettleWatch();
    watch.hasSettled(stat(), 3000, 0);
    watch.hasSettled(stat({ inode: 2n }), 3000, 2000);
    expect(watch.hasSettled(stat(), 3000, 3000)).toBe(true);
    expect(watch.hasSettled(stat({ inode: 2n }), 3000, 3000)).toBe(false);
  });
  it('forgets what was not looked at in a pass', () => {
    const watch = new SettleWatch();
    watch.hasSettled(stat(), 3000, 0);
    watch.endPass();
    expect(watch.waiting).toBe(1);
    watch.endPass();
    expect(watch.waiting).toBe(0);
    expect(watch.hasSettled(stat(), 3000, 9000)).toBe(false);
  });
  it('knows without a look inside that an unchanged file has to wait on', () => {
    const watch = new SettleWatch();
    expect(watch.isStill(stat(), 0)).toBe(false);
    watch.hasSettled(stat(), 3000, 0);
    watch.endPass();
    expect(watch.isStill(stat(), 2999)).toBe(true);
    watch.endPass();
    expect(watch.isStill(stat({ sizeBytes: 11 }), 2999)).toBe(false);
    expect(watch.isStill(stat(), 3000)).toBe(false);
  });
  it('asks for the time that the content now takes', () => {
    const watch = new SettleWatch();
    expect(watch.hasSettled(stat(), 30_000, 0)).toBe(false);
    expect(watch.hasSettled(stat(), 3000, 4000)).toBe(true);
    expect(watch.isStill(stat(), 4000)).toBe(false);
  });
});
