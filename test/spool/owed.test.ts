import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listOwed, PLAN_FILE, recordBatch } from '../../src/spool/owed.ts';
import { publishBatch } from '../../src/spool/publish.ts';
import { commitBatch } from '../../src/spool/stage.ts';
import { failWhere } from '../helpers/faulty-fs.ts';
import { makeSpool, planFor, type SpoolScene } from './spool-scene.ts';

async function commit(scene: SpoolScene, content = 'x') {
  return await commitBatch(planFor(scene, { coder: content }), scene);
}

const publishing = (scene: SpoolScene) => ({ ...scene, onDeferred: () => undefined });

describe('listing what is owed', () => {
  it('reads the plans, oldest first', async () => {
    const scene = await makeSpool('coder');
    const batches = [await commit(scene), await commit(scene)];
    const owed = listOwed(scene.fs, scene.epoch);
    expect(owed.batches.map(({ plan }) => plan)).toEqual(batches.map(({ plan }) => plan));
    expect(owed.batches.every(({ fresh }) => !fresh)).toBe(true);
    expect(owed.stuck).toEqual([]);
  });
  it('removes the empty directory of a batch that was recorded', async () => {
    const scene = await makeSpool('coder');
    const batch = await commit(scene);
    publishBatch(batch, publishing(scene));
    scene.files.unlink(join(batch.dir, PLAN_FILE));
    expect(listOwed(scene.fs, scene.epoch)).toEqual({ batches: [], stuck: [] });
    expect(scene.files.list(scene.epoch.owed)).toEqual([]);
  });
  it('tells of one that can not be removed, and goes on with the others', async () => {
    const scene = await makeSpool('coder');
    const batch = await commit(scene);
    const other = await commit(scene);
    scene.files.unlink(join(batch.dir, PLAN_FILE));
    const { batches, stuck } = listOwed(scene.fs, scene.epoch);
    expect(batches.map(({ dir }) => dir)).toEqual([other.dir]);
    expect(stuck).toEqual([{ dir: batch.dir, reason: 'ENOTEMPTY', blocks: false }]);
  });
  it('tells of a plan that can not be read, which blocks decisions and no other batch', async () => {
    const scene = await makeSpool('coder');
    const unread = await commit(scene);
    const torn = await commit(scene);
    const later = await commit(scene);
    const whole = await commit(scene);
    scene.files.write(join(torn.dir, PLAN_FILE), '{"version":1');
    scene.files.write(join(later.dir, PLAN_FILE), '{"version":2}');
    scene.fs.plan = failWhere(({ path }) => path.startsWith(unread.dir), 'EIO');
    const { batches, stuck } = listOwed(scene.fs, scene.epoch);
    expect(batches.map(({ dir }) => dir)).toEqual([whole.dir]);
    expect(stuck).toEqual([
      { dir: unread.dir, reason: 'EIO', blocks: true },
      { dir: torn.dir, reason: 'bad-plan', blocks: true },
      { dir: later.dir, reason: 'bad-plan', blocks: true },
    ]);
  });
  it('passes over what is no batch', async () => {
    const scene = await makeSpool('coder');
    scene.files.write(join(scene.epoch.owed, '.DS_Store'), '');
    scene.files.mkdir(join(scene.epoch.owed, 'backup'));
    expect(listOwed(scene.fs, scene.epoch)).toEqual({ batches: [], stuck: [] });
  });
});

describe('recording a batch', () => {
  async function finished() {
    const scene = await makeSpool('coder');
    const batch = await commit(scene);
    publishBatch(batch, publishing(scene));
    const record = () => recordBatch(batch, scene.fs, scene.layout.historyQueue);
    const queued = () => scene.files.list(scene.layout.historyQueue);
    return { ...scene, batch, record, queued };
  }

  it('moves its plan into the queue and removes its directory', async () => {
    const { files, epoch, batch, record, queued } = await finished();
    record();
    expect(queued()).toEqual([`${batch.plan.batch}.json`]);
    expect(files.list(epoch.owed)).toEqual([]);
  });
  it('goes on where it was cut off', async () => {
    const { files, fs, epoch, record, queued } = await finished();
    fs.plan = failWhere(({ kind }) => kind === 'rmdir', 'EIO');
    expect(record).toThrow('EIO');
    fs.plan = undefined;
    record();
    expect(queued()).toHaveLength(1);
    expect(files.list(epoch.owed)).toEqual([]);
  });
  it('makes a queue that was taken away', async () => {
    const { files, layout, record, queued } = await finished();
    files.rmdir(layout.historyQueue);
    record();
    expect(queued()).toHaveLength(1);
  });
  it('never takes a missing queue for a plan that has moved', async () => {
    const { files, fs, batch, record } = await finished();
    fs.plan = failWhere(({ kind }) => kind === 'rename', 'ENOENT');
    expect(record).toThrow('ENOENT');
    expect(files.list(batch.dir)).toEqual([PLAN_FILE]);
  });
});
