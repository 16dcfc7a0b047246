import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listOwed, PLAN_FILE } from '../../src/spool/owed.ts';
import { commitBatch } from '../../src/spool/stage.ts';
import { canTear, failAt } from '../helpers/faulty-fs.ts';
import { makeSpool, planFor, putClaim } from './spool-scene.ts';

async function makeBatch() {
  const scene = await makeSpool('planner', 'coder', 'tester');
  const claim = putClaim(scene, 'planner', 'a.json', '{}');
  const planned = planFor(scene, { coder: 'for coder', tester: 'for tester' });
  const agent = planned.plan.copies[0]?.to ?? ('' as never);
  planned.plan.moves.push({ from: 'claim', name: claim, agent, as: 'x.json' });
  scene.fs.restart();
  return { scene, planned };
}

describe('committing a batch', () => {
  it('leaves its copies and its plan in `owed/`, and nothing staged', async () => {
    const { scene, planned } = await makeBatch();
    const batch = await commitBatch(planned, scene);
    expect(batch).toEqual({ plan: planned.plan, dir: batch.dir, fresh: true });
    const names = [...planned.plan.copies.map(({ name }) => name), PLAN_FILE];
    expect(scene.files.list(batch.dir).sort()).toEqual(names.sort());
    const [copy] = planned.plan.copies;
    expect(scene.files.text(join(batch.dir, copy?.name ?? ''))).toBe('for coder');
    expect(scene.files.list(scene.epoch.stage)).toEqual([]);
    expect(listOwed(scene.fs, scene.epoch).batches).toMatchObject([{ plan: planned.plan }]);
  });
  it('syncs copies, plan, claims and the directory before the rename, and `owed/` after it', async () => {
    const { scene, planned } = await makeBatch();
    await commitBatch(planned, scene);
    const { claim, stage, owed } = scene.epoch;
    const dir = join(stage, planned.plan.batch);
    const done = scene.fs.operations.map(({ kind, path }) => `${kind} ${path}`);
    const commit = done.indexOf(`rename ${dir}`);
    expect(done.indexOf(`create ${join(dir, PLAN_FILE)}`)).toBeLessThan(commit);
    expect(done.indexOf(`syncDir ${claim}`)).toBeLessThan(commit);
    expect(done.indexOf(`syncDir ${dir}`)).toBe(commit - 1);
    expect(done.indexOf(`syncDir ${owed}`)).toBe(commit + 1);
  });
  it('does not sync claims that it does not take', async () => {
    const { scene, planned } = await makeBatch();
    planned.plan.moves = [];
    await commitBatch(planned, scene);
    expect(scene.fs.operations.map(({ path }) => path)).not.toContain(scene.epoch.claim);
  });
  it('commits nothing when anything fails before the rename', async () => {
    const { scene, planned } = await makeBatch();
    await commitBatch(planned, scene);
    const commit = scene.fs.operations.findIndex(({ kind }) => kind === 'rename') + 1;
    const operations = [...scene.fs.operations];
    for (let number = 1; number <= commit; number++) {
      for (const when of ['before', 'torn', 'after'] as const) {
        const operation = operations[number - 1];
        if (operation === undefined || (when === 'torn' && !canTear(operation))) continue;
        if (when === 'after' && operation.kind === 'rename') continue;
        const next = await makeBatch();
        next.scene.fs.plan = failAt(number, 'ENOSPC', when);
        await expect(commitBatch(next.planned, next.scene)).rejects.toThrow('ENOSPC');
        expect(next.scene.files.list(next.scene.epoch.owed)).toEqual([]);
      }
    }
  });
  it('waits for every write before it says that one has failed', async () => {
    const { scene, planned } = await makeBatch();
    scene.fs.plan = failAt(2, 'EIO');
    await commitBatch(planned, scene).catch(() => undefined);
    const before = scene.fs.operations.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(scene.fs.operations.length).toBe(before);
  });
});
