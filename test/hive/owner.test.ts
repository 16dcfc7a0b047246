import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { beforeEach, describe, expect, it } from 'vitest';
import { type HiveLayout, layoutOf } from '../../src/hive/layout.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import { ownerHere, ownerState, parseOwner, readOwner, writeOwner } from '../../src/hive/owner.ts';
import { failure } from '../helpers/hive-fs-subject.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const clock = { now: () => Date.UTC(2026, 10, 30), monotonic: () => 0 };
const fs = createNodeFs();
let layout: HiveLayout;
beforeEach(() => {
  layout = layoutOf(tempDir());
  mkdirSync(layout.router);
});

describe('the record of an owner', () => {
  it('comes back as it was written, with and without an end', async () => {
    const owner = ownerHere(clock, 7);
    expect(owner).toMatchObject({ pid: process.pid, host: hostname(), epoch: 7 });
    expect(owner).toMatchObject({ since: '2026-11-30T00:00:00.000Z', node: process.version });
    expect(owner.version).toMatch(/^\d+\.\d+\.\d+/);
    await writeOwner(fs, layout, owner, () => true);
    expect(readOwner(fs, layout)).toEqual({ ...owner, ended: undefined });
    await writeOwner(fs, layout, { ...owner, ended: owner.since }, () => true);
    expect(readOwner(fs, layout)?.ended).toBe(owner.since);
  });
  it('is not written over one that is not expected any more', async () => {
    const [first, second] = [ownerHere(clock, 1), ownerHere(clock, 2)];
    expect(await writeOwner(fs, layout, first, (found) => found === undefined)).toBe(true);
    expect(await writeOwner(fs, layout, second, (found) => found === undefined)).toBe(false);
    expect(readOwner(fs, layout)?.token).toBe(first.token);
    expect(fs.list(layout.router)).toEqual(['owner.json']);
  });
  it('has a token of its own each time', () => {
    expect(ownerHere(clock, 0).token).not.toBe(ownerHere(clock, 0).token);
  });
  it.each([
    ['nothing', ''],
    ['half a record', '{"pid": 1, "host"'],
    ['no object', '7'],
    ['null', 'null'],
    ['a list', '[]'],
    ['an empty object', '{}'],
    ['bytes', '\u0000\ufffd\u0000'],
  ])('is none when the file holds %s', (_title, text) => {
    expect(parseOwner(text)).toBeUndefined();
  });
  it.each([
    { pid: 0 },
    { pid: -1 },
    { pid: '7' },
    { pid: 2 ** 40 },
    { epoch: -1 },
    { epoch: 1.5 },
    { epoch: 2 ** 53 },
    { epoch: null },
    { host: 7 },
    { host: 'x'.repeat(1000) },
    { since: undefined },
    { token: null },
  ])('is none with %o in it', (damage) => {
    const owner = ownerHere(clock, 3);
    expect(parseOwner(JSON.stringify(owner))).toEqual({ ...owner, ended: undefined });
    expect(parseOwner(JSON.stringify({ ...owner, ...damage }))).toBeUndefined();
  });
  it('is none where a link, a directory, an endless file or nothing stands', async () => {
    expect(readOwner(fs, layout)).toBeUndefined();
    symlinkSync('/dev/zero', layout.owner);
    expect(readOwner(fs, layout)).toBeUndefined();
    rmSync(layout.owner);
    mkdirSync(layout.owner);
    expect(readOwner(fs, layout)).toBeUndefined();
    rmSync(layout.owner, { recursive: true });
    writeFileSync(layout.owner, JSON.stringify(ownerHere(clock, 1)).padEnd(200_000, ' '));
    expect(readOwner(fs, layout)?.epoch).toBe(1);
    writeFileSync(layout.owner, '{'.repeat(200_000));
    expect(readOwner(fs, layout)).toBeUndefined();
  });
  it('reports a disk that fails rather than taking it for no owner', async () => {
    const broken = {
      ...fs,
      read: () => {
        throw Object.assign(new Error('EIO: forced'), { code: 'EIO' });
      },
    };
    expect(await failure(() => readOwner(broken, layout))).toBe('EIO');
  });
});

describe('the state of an owner', () => {
  const owner = () => ownerHere(clock, 1);
  it('is running for this process, whatever the clock said when it began', () => {
    expect(ownerState(owner())).toBe('running');
    expect(ownerState({ ...owner(), since: '1970-01-01T00:00:00.000Z' })).toBe('running');
    expect(ownerState({ ...owner(), since: '2999-01-01T00:00:00.000Z' })).toBe('running');
  });
  it('is ended when it says so, when its number went to another process, and after a boot', () => {
    expect(ownerState({ ...owner(), ended: owner().since })).toBe('ended');
    expect(ownerState({ ...owner(), startedAt: '1' })).toBe('ended');
    expect(ownerState({ ...owner(), bootId: 'another' })).toBe('ended');
  });
  it('can not be told of another host, unless it has ended', () => {
    const other = { ...owner(), host: 'other.example', bootId: 'another' };
    expect(ownerState(other)).toBe('elsewhere');
    expect(ownerState({ ...other, ended: other.since })).toBe('ended');
  });
});
