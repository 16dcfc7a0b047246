import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { archiveBatch } from '../../src/spool/archive.ts';
import { failWhere } from '../helpers/faulty-fs.ts';
import { agentId, makeSpool, planFor, putClaim } from './spool-scene.ts';

async function makeArchive() {
  const scene = await makeSpool('planner', 'coder');
  const { plan } = planFor(scene, {});
  const claim = (agent: string, file: string, content = file) => {
    const name = putClaim(scene, agent, file, content);
    plan.moves.push({ from: 'claim', name, agent: agentId(agent), as: file });
    return join(scene.epoch.claim, name);
  };
  const archived: string[] = [];
  const archive = () => {
    const changed = new Set<string>();
    const onArchived = (agent: string, place: string) => void archived.push(`${agent} ${place}`);
    archiveBatch({ plan, dir: '/', fresh: true }, { ...scene, onArchived }, changed);
    return [...changed].sort();
  };
  const sent = (agent: string) => scene.layout.agent(agentId(agent)).sent;
  return { ...scene, plan, claim, archive, archived, sent };
}

describe('archiving', () => {
  it('moves originals to their senders, and names the directories to sync', async () => {
    const { files, epoch, claim, archive, archived, sent } = await makeArchive();
    claim('planner', 'a.json');
    claim('planner', 'b.json');
    claim('coder', 'a.json');
    expect(archive()).toEqual([sent('coder'), sent('planner')]);
    expect(files.list(sent('planner')).sort()).toEqual(['a.json', 'b.json']);
    expect(files.text(join(sent('coder'), 'a.json'))).toBe('a.json');
    expect(files.list(epoch.claim)).toEqual([]);
    expect(archived).toEqual(['planner sent', 'planner sent', 'coder sent']);
  });
  it('removes consumed copies and held messages', async () => {
    const { files, epoch, layout, plan, archive } = await makeArchive();
    files.write(join(epoch.deferred, 'd'), '');
    files.write(join(layout.heldFor(agentId('coder')), 'x.json'), '');
    plan.moves.push({ from: 'deferred', name: 'd' });
    plan.moves.push({ from: 'held', holder: agentId('coder'), id: 'x' });
    const dirs = [epoch.deferred, layout.heldFor(agentId('coder'))];
    expect(archive()).toEqual(dirs.sort());
    for (const dir of dirs) expect(files.list(dir)).toEqual([]);
  });
  it('does nothing more when it is done again, and still names the directories', async () => {
    const { files, claim, plan, archive, sent } = await makeArchive();
    claim('planner', 'a.json');
    plan.moves.push({ from: 'deferred', name: 'gone' });
    const first = archive();
    expect(archive()).toEqual(first);
    expect(files.list(sent('planner'))).toEqual(['a.json']);
  });
  it('makes a missing `.sent` again', async () => {
    const { files, claim, archive, sent } = await makeArchive();
    claim('planner', 'a.json');
    files.rmdir(sent('planner'));
    archive();
    expect(files.list(sent('planner'))).toEqual(['a.json']);
  });
  it.each(['file', 'link'])('parks originals where `.sent` is a %s', async (kind) => {
    const { files, claim, archive, archived, sent } = await makeArchive();
    claim('planner', 'a.json');
    claim('coder', 'b.json');
    files.rmdir(sent('planner'));
    if (kind === 'file') files.write(sent('planner'), 'mine');
    else files.link(sent('planner'), '/hive');
    expect(archive()).toEqual(['/hive/.router/unfiled/planner', sent('coder')]);
    expect(files.list('/hive/.router/unfiled/planner')).toEqual(['a.json']);
    expect(files.list('/hive')).not.toContain('a.json');
    expect(archived).toEqual(['planner unfiled', 'coder sent']);
  });
  it('parks originals of an agent whose directory is gone', async () => {
    const { files, layout, claim, archive } = await makeArchive();
    claim('planner', 'a.json');
    files.rename(layout.agent(agentId('planner')).root, '/away');
    archive();
    expect(files.list('/hive/.router/unfiled/planner')).toEqual(['a.json']);
  });
  it('believes the source and not the error', async () => {
    const { files, fs, claim, archive, sent } = await makeArchive();
    const from = claim('planner', 'a.json');
    // As a network file system does that has lost the answer to a rename.
    fs.plan = ({ kind }) => (kind === 'rename' ? { code: 'ENOENT', when: 'after' } : undefined);
    archive();
    expect(files.stat(from)).toBeUndefined();
    expect(files.list(sent('planner'))).toEqual(['a.json']);
  });
  it('never takes an error for done while the source is there', async () => {
    const { files, fs, claim, archive } = await makeArchive();
    const from = claim('planner', 'a.json');
    fs.plan = failWhere(({ kind }) => kind === 'rename', 'ENOENT');
    expect(archive).toThrow('ENOENT');
    expect(files.stat(from)?.kind).toBe('file');
  });
  it('tries every move before it says that one has failed', async () => {
    const { fs, files, claim, archive, sent } = await makeArchive();
    claim('planner', 'a.json');
    claim('coder', 'b.json');
    fs.plan = failWhere(({ kind, path }) => kind === 'rename' && path.includes('planner'), 'EIO');
    expect(archive).toThrow('EIO');
    expect(files.list(sent('coder'))).toEqual(['b.json']);
  });
  it('throws what keeps a consumed copy from being removed', async () => {
    const { files, fs, epoch, plan, archive } = await makeArchive();
    files.write(join(epoch.deferred, 'd'), '');
    plan.moves.push({ from: 'deferred', name: 'd' });
    fs.plan = failWhere(({ kind }) => kind === 'unlink', 'EIO');
    expect(archive).toThrow('EIO');
  });
});
