import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deferredName, parseDeferredName, publishBatch } from '../../src/spool/publish.ts';
import { commitBatch } from '../../src/spool/stage.ts';
import { failWhere } from '../helpers/faulty-fs.ts';
import { agentId, makeSpool, planFor } from './spool-scene.ts';

const COPIES = { coder: 'for coder', tester: 'for tester', writer: 'for writer' };

async function makeOwed(place: 'inbox' | 'held' = 'inbox') {
  const scene = await makeSpool('coder', 'tester', 'writer');
  const planned = planFor(scene, COPIES);
  for (const copy of planned.plan.copies) copy.place = place;
  const batch = await commitBatch(planned, scene);
  const deferred: string[] = [];
  const publish = () =>
    publishBatch(batch, { ...scene, onDeferred: ({ to }, code) => deferred.push(`${to} ${code}`) });
  const inbox = (agent: string) => scene.layout.agent(agentId(agent)).inbox;
  const letters = (agent: string) =>
    scene.files.list(inbox(agent)).filter((name) => name.endsWith('.json'));
  return { ...scene, batch, publish, deferred, inbox, letters };
}

describe('publishing', () => {
  it('moves each copy into its inbox under its id', async () => {
    const { files, batch, publish, inbox } = await makeOwed();
    publish();
    for (const { id, to } of batch.plan.copies) {
      expect(files.text(join(inbox(to), `${id}.json`))).toBe(`for ${to}`);
    }
    expect(files.list(batch.dir)).toEqual(['plan.json']);
  });
  it('puts held copies into the directory of their holder, which it makes', async () => {
    const { files, batch, publish } = await makeOwed('held');
    publish();
    const names = batch.plan.copies.map(({ id, to }) => `/hive/held/${to}/${id}.json`);
    for (const name of names) expect(files.stat(name)?.kind).toBe('file');
  });
  it('delivers nothing twice when it is done again, also when the letter was taken', async () => {
    const { files, publish, deferred, inbox, letters } = await makeOwed();
    publish();
    for (const agent of ['coder', 'tester', 'writer']) {
      for (const name of letters(agent)) files.unlink(join(inbox(agent), name));
    }
    publish();
    for (const agent of ['coder', 'tester', 'writer']) expect(letters(agent)).toEqual([]);
    expect(deferred).toEqual([]);
  });
  it('makes a missing inbox', async () => {
    const { files, layout, publish, letters } = await makeOwed();
    files.rmdir(layout.agent(agentId('coder')).done);
    files.rmdir(layout.agent(agentId('coder')).inbox);
    publish();
    expect(letters('coder')).toHaveLength(1);
  });
});

describe('an inbox that can not take its copy', () => {
  it.each([
    ['a file', 'ENOTDIR'],
    ['a link', 'ENOTDIR'],
    ['not writable', 'EACCES'],
    ['gone with its agent', 'ENOENT'],
    ['blocked by a directory of that name', 'EISDIR'],
  ])('has it deferred, and the others are served: %s', async (what, code) => {
    const { files, layout, epoch, batch, publish, deferred, inbox, letters } = await makeOwed();
    const [copy] = batch.plan.copies;
    if (what.startsWith('blocked')) files.mkdir(join(inbox('coder'), `${copy?.id}.json`));
    else if (what === 'not writable') files.chmod(inbox('coder'), { read: true, write: false });
    else if (what.startsWith('gone')) files.rename(layout.agent(agentId('coder')).root, '/away');
    else files.rename(inbox('coder'), '/away');
    if (what === 'a file') files.write(inbox('coder'), 'mine');
    if (what === 'a link') files.link(inbox('coder'), inbox('tester'));
    publish();
    expect(deferred).toEqual([`coder ${code}`]);
    const name = deferredName(batch.plan.batch, copy?.name ?? '');
    expect(files.list(epoch.deferred)).toEqual([name]);
    expect(files.text(join(epoch.deferred, name))).toBe('for coder');
    expect([letters('tester').length, letters('writer').length]).toEqual([1, 1]);
    expect(files.list(batch.dir)).toEqual(['plan.json']);
  });
  it('is believed to have it only when the source is gone', async () => {
    const { fs, publish, deferred, letters } = await makeOwed();
    fs.plan = ({ kind, to }) =>
      kind === 'rename' && to?.includes('/coder/') ? { code: 'EIO', when: 'after' } : undefined;
    publish();
    expect(deferred).toEqual([]);
    expect(letters('coder')).toHaveLength(1);
  });
  it('holds up no other copy of its batch when it can not even be deferred', async () => {
    const { files, fs, publish, deferred, letters, batch } = await makeOwed();
    fs.plan = failWhere(({ kind, path }) => kind === 'rename' && path.includes('coder'), 'ENOSPC');
    expect(publish).toThrow('ENOSPC');
    expect([letters('tester').length, letters('writer').length]).toEqual([1, 1]);
    expect(files.list(batch.dir)).toHaveLength(2);
    fs.plan = undefined;
    publish();
    expect(letters('coder')).toHaveLength(1);
    expect(deferred).toEqual([]);
  });
});

describe('the name of a deferred copy', () => {
  it('carries its batch and reads back', () => {
    const name = deferredName('batch-1', 'id-1~coder~inbox');
    const parts = { batch: 'batch-1', id: 'id-1', to: 'coder', place: 'inbox' };
    expect(parseDeferredName(name)).toEqual(parts);
  });
  it('is not read from anything else', () => {
    for (const name of ['', 'a~b~c', 'a~b~c~d~e']) expect(parseDeferredName(name)).toBeUndefined();
  });
});
