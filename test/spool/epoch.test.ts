import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { layoutOf } from '../../src/hive/layout.ts';
import { closeEpoch, discardStaged, openEpoch, takeOverEpochs } from '../../src/spool/epoch.ts';
import { createFaultyFs, failAt } from '../helpers/faulty-fs.ts';
import { createMemoryFs } from '../helpers/memory-fs.ts';

const PLACES = ['claim', 'deferred', 'owed', 'stage', 'trash'];

function makeRouterDir() {
  const files = createMemoryFs();
  const layout = layoutOf('/hive');
  files.mkdir('/hive');
  files.mkdir(layout.router);
  const fs = createFaultyFs(files);
  const context = { fs, layout };
  const open = (tail: string, after = 0) => openEpoch(context, { after, tail });
  const epochs = () => files.list(layout.router).sort();
  return { files, fs, layout, context, open, epochs };
}

describe('opening an epoch', () => {
  it('makes its directory with all its places, and syncs them before it is used', async () => {
    const { files, fs, layout, open } = makeRouterDir();
    const epoch = await open('12ab');
    expect(epoch).toMatchObject({
      number: 1,
      name: 'e1-12ab',
      dir: join(layout.router, 'e1-12ab'),
    });
    expect(files.list(epoch.dir).sort()).toEqual(PLACES);
    const synced = fs.operations.filter(({ kind }) => kind === 'syncDir').map(({ path }) => path);
    expect(synced).toEqual([epoch.dir, layout.router]);
  });
  it('counts on from the directories and from what it is told', async () => {
    const { open } = makeRouterDir();
    expect((await open('a')).number).toBe(1);
    expect((await open('b')).number).toBe(2);
    expect((await open('c', 41)).number).toBe(42);
    expect((await open('d')).number).toBe(43);
  });
  it('counts fenced epochs too, and nothing else', async () => {
    const { files, layout, open } = makeRouterDir();
    files.mkdir(join(layout.router, 'e7-old.f'));
    for (const name of ['e9', 'e9-', 'x9-a', 'e9-A', 'control'])
      files.mkdir(join(layout.router, name));
    expect((await open('a')).number).toBe(8);
  });
  it('never makes a directory that is there already', async () => {
    const { files, layout, open } = makeRouterDir();
    files.write(join(layout.router, 'e1-a'), 'in the way');
    await expect(open('a', 0)).resolves.toMatchObject({ number: 2 });
  });
});

describe('taking over', () => {
  it('brings what a predecessor left into the own places, and removes its directory', async () => {
    const { files, context, open, epochs } = makeRouterDir();
    const old = await open('old');
    for (const place of ['claim', 'owed', 'deferred'] as const) {
      files.write(join(old[place], `${place}-file`), place);
    }
    files.write(join(old.stage, 'batch', 'copy'), 'x');
    files.write(join(old.trash, 'older-batch', 'copy'), 'x');
    const own = await open('own');
    await takeOverEpochs(context, own);
    expect(epochs()).toEqual([own.name]);
    for (const place of ['claim', 'owed', 'deferred'] as const) {
      expect(files.text(join(own[place], `${place}-file`))).toBe(place);
    }
    expect([files.list(own.stage), files.list(own.trash)]).toEqual([[], []]);
  });
  it('fences before it drains, and drains what is owed before the claims', async () => {
    const { files, fs, context, open } = makeRouterDir();
    const old = await open('old');
    for (const place of ['claim', 'owed', 'deferred', 'stage'] as const) {
      files.write(join(old[place], 'x'), '');
    }
    const own = await open('own');
    fs.restart();
    await takeOverEpochs(context, own);
    const renames = fs.operations.filter(({ kind }) => kind === 'rename');
    expect(renames.map(({ path }) => path.replace('/hive/.router/', ''))).toEqual([
      'e1-old',
      'e1-old.f/stage/x',
      'e1-old.f/owed/x',
      'e1-old.f/deferred/x',
      'e1-old.f/claim/x',
    ]);
  });
  it('makes it impossible for the predecessor to write any more', async () => {
    const { fs, context, open } = makeRouterDir();
    const old = await open('old');
    await takeOverEpochs(context, await open('own'));
    await expect(fs.create(join(old.stage, 'late'), '')).rejects.toThrow('ENOENT');
    expect(() => fs.rename(old.claim, join(old.owed, 'x'))).toThrow('ENOENT');
  });
  it('lists again when something came into a place that was being drained', async () => {
    const { files, fs, context, open } = makeRouterDir();
    const old = await open('old');
    const own = await open('own');
    let late = false;
    fs.plan = ({ kind, path }) => {
      if (kind === 'rmdir' && path.endsWith('/claim') && !late) {
        late = true;
        files.write(join(`${old.dir}.f`, 'claim', 'late'), 'in flight');
      }
      return undefined;
    };
    await takeOverEpochs(context, own);
    expect(late).toBe(true);
    expect(files.text(join(own.claim, 'late'))).toBe('in flight');
  });
  it('gives up on a place that never becomes empty', async () => {
    const { files, fs, context, open } = makeRouterDir();
    const old = await open('old');
    const own = await open('own');
    let count = 0;
    fs.plan = ({ kind, path }) => {
      if (kind === 'rmdir' && path.endsWith('/claim')) {
        files.write(join(`${old.dir}.f`, 'claim', `${count++}`), '');
      }
      return undefined;
    };
    await expect(takeOverEpochs(context, own)).rejects.toMatchObject({ code: 'io' });
    expect(files.list(own.claim).length).toBeGreaterThan(100);
  });
  it('goes on with a predecessor that was fenced and half drained', async () => {
    const { files, fs, context, open, epochs } = makeRouterDir();
    const old = await open('old');
    files.write(join(old.claim, 'a'), '');
    const second = await open('second');
    for (const later of [1, 2, 3, 5, 8, 13]) {
      fs.plan = failAt(fs.operations.length + later, 'EIO');
      await expect(takeOverEpochs(context, second)).rejects.toThrow('EIO');
    }
    fs.plan = undefined;
    const third = await open('third');
    await takeOverEpochs(context, third);
    expect(files.list(third.claim)).toEqual(['a']);
    expect(epochs()).toEqual([third.name]);
  });
  it('takes over an epoch whose start was cut off', async () => {
    const { files, layout, context, open, epochs } = makeRouterDir();
    files.mkdir(join(layout.router, 'e1-cut'));
    files.mkdir(join(layout.router, 'e1-cut', 'claim'));
    const own = await open('own');
    await takeOverEpochs(context, own);
    expect(epochs()).toEqual([own.name]);
  });
  it('leaves a directory that holds something foreign, and works all the same', async () => {
    const { files, context, open, epochs } = makeRouterDir();
    const old = await open('old');
    files.write(join(old.dir, 'notes.txt'), 'mine');
    const own = await open('own');
    await takeOverEpochs(context, own);
    await takeOverEpochs(context, own);
    expect(epochs()).toEqual([`${old.name}.f`, own.name]);
  });
  it('ends this router when a higher epoch exists', async () => {
    const { context, open } = makeRouterDir();
    const own = await open('own');
    await open('next');
    await expect(takeOverEpochs(context, own)).rejects.toMatchObject({ code: 'fenced' });
  });
  it('ends this router when its own directory is gone, and never takes that for empty', async () => {
    const { files, context, open } = makeRouterDir();
    const own = await open('own');
    files.rename(own.dir, `${own.dir}.f`);
    await expect(takeOverEpochs(context, own)).rejects.toMatchObject({ code: 'fenced' });
  });
  it('lets exactly one of two epochs with the same number go on', async () => {
    const { files, layout, context, open } = makeRouterDir();
    const first = await open('aa');
    files.rename(first.dir, '/aside');
    const second = await open('bb');
    files.rename('/aside', join(layout.router, first.name));
    expect(first.number).toBe(second.number);
    await expect(takeOverEpochs(context, first)).rejects.toMatchObject({ code: 'fenced' });
    await takeOverEpochs(context, second);
    expect(files.list(layout.router)).toEqual([second.name]);
  });
});

describe('closing an epoch', () => {
  it('removes it when nothing is owed, also what was only staged', async () => {
    const { files, fs, layout, open } = makeRouterDir();
    const epoch = await open('a');
    files.write(join(epoch.stage, 'batch', 'copy'), 'x');
    closeEpoch(fs, epoch);
    expect(files.list(layout.router)).toEqual([]);
  });
  it('keeps it as it is when something is', async () => {
    const { files, fs, open } = makeRouterDir();
    const epoch = await open('a');
    files.write(join(epoch.deferred, 'x'), '');
    closeEpoch(fs, epoch);
    expect(files.list(epoch.dir).sort()).toEqual(PLACES);
  });
});

describe('discarding what was staged', () => {
  it('empties it and the trash, whatever is in them', async () => {
    const { files, fs, open } = makeRouterDir();
    const epoch = await open('a');
    files.write(join(epoch.stage, 'one', 'copy'), 'x');
    files.write(join(epoch.stage, 'loose'), 'x');
    discardStaged(fs, epoch);
    expect([files.list(epoch.stage), files.list(epoch.trash)]).toEqual([[], []]);
  });
});
