import {
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyFixes } from '../../src/doctor/apply-fixes.ts';
import { diagnose } from '../../src/doctor/diagnose.ts';
import { startRouter } from '../../src/index.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { canBeUnprivileged, makeScene, type Scene, snapshot, unprivileged } from './scene.ts';

/** Breaks a hive in as many ways as fit into one. */
function breakAll(scene: Scene): void {
  const { dir, write, agent } = scene;
  scene.roster((registry) => Object.assign(registry, { godId: 'nobody' }));
  write('hive.json', '{"polMs": 1}');
  write('tasks.json', '[');
  write('PROTOCOL.md', 'House rules.');
  write('log.jsonl', '{"torn');
  write('agents/stranger/outbox/a.json', '{}');
  write('agents/coder/outbox/letter.txt', 'x');
  write('agents/coder/inbox/bad.json', 'x');
  write('agents/coder/.git/HEAD', 'x');
  write('held/coder/bad.json', 'x');
  write('.router/e1-abc/claim/0000000000000-x', 'x');
  write('.router/e1-abc/owed/1m8pyqzvp000-jgvvao4d/plan.json', 'x');
  write('.router/unfiled/coder/x.json', 'x');
  write('.router/history/x.json.unreadable', 'x');
  write('.router/owner.json', 'x');
  utimesSync(write('.tmp-abcdefgh', 'x'), 1_000_000, 1_000_000);
  write('.git/HEAD', 'x');
  rmSync(agent('god').sent, { recursive: true });
  rmSync(agent('planner').inbox, { recursive: true });
  symlinkSync('/etc', agent('planner').inbox);
  chmodSync(dir, 0o777);
  chmodSync(join(dir, 'board.md'), 0o666);
}

describe('a hive that is as it should be', () => {
  it('gives one finding a check, and all of them ok', async () => {
    const { look } = await makeScene();
    const findings = await look();
    expect(findings.filter(({ level }) => level !== 'ok')).toEqual([]);
    const names = findings.map(({ check }) => check);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toHaveLength(29);
  });

  it('stays ok while its router is up', async () => {
    const { look, dir } = await makeScene();
    const router = await startRouter({ dir, pollMs: 50, watch: false });
    const clock = { now: Date.now, monotonic: () => performance.now() };
    const findings = await look(undefined, { clock });
    await router.stop();
    expect(findings.filter(({ level }) => level !== 'ok')).toEqual([]);
    expect(findings.find(({ check }) => check === 'router')?.what).toContain(
      `process ${process.pid}`,
    );
  });
});

describe('looking', () => {
  it('changes nothing, however broken the hive is', async () => {
    const scene = await makeScene();
    breakAll(scene);
    const before = snapshot(scene.dir);
    const root = statSync(scene.dir);
    const findings = await scene.look();
    expect(findings.filter(({ level }) => level !== 'ok').length).toBeGreaterThan(17);
    expect(snapshot(scene.dir)).toEqual(before);
    expect(statSync(scene.dir)).toMatchObject({ mode: root.mode, mtimeMs: root.mtimeMs });
  });

  it('says what it means, and what to do, for everything that is amiss', async () => {
    const scene = await makeScene();
    breakAll(scene);
    for (const { check, level, means, advice, fix } of await scene.look()) {
      if (level === 'ok') continue;
      expect(means, check).toMatch(/\.$/);
      if (level === 'error') expect(advice ?? fix?.says, check).toMatch(/[.)`]$/);
    }
  });

  it('lets no control character out of a file or its name', async () => {
    const scene = await makeScene();
    const evil = 'a\u001b]0;x\u0007\u202e\nb';
    mkdirSync(join(scene.layout.agents, evil));
    scene.write(`agents/coder/outbox/${evil}.txt`, 'x');
    scene.write(`agents/coder/inbox/${evil}.json`, 'x');
    scene.write('hive.json', { [evil]: 1 });
    const texts = (await scene.look()).flatMap((finding) => [
      finding.what,
      finding.means ?? '',
      finding.advice ?? '',
      finding.fix?.says ?? '',
    ]);
    expect(
      texts.filter((text) => text.includes('a\\u001b]0;x\\u0007\\u202e\\nb')).length,
    ).toBeGreaterThan(3);
    expect(texts.filter((text) => /[\u0000-\u001f\u202e]/.test(text))).toEqual([]);
  });

  it.runIf(canBeUnprivileged)('goes on with the others when the machine refuses one', async () => {
    const scene = await makeScene();
    const findings = await unprivileged(scene.dir, async () => {
      chmodSync(scene.layout.held, 0o000);
      chmodSync(scene.layout.settings, 0o000);
      chmodSync(scene.agent('coder').inbox, 0o000);
      return scene.look();
    });
    const levelOf = (name: string) => findings.find(({ check }) => check === name)?.level;
    expect(levelOf('held')).toBe('error');
    expect(levelOf('settings')).toBe('error');
    expect(levelOf('registry')).toBe('ok');
    expect(findings.find(({ check }) => check === 'agents')).toMatchObject({
      level: 'error',
      what: 'Can’t be looked into: agents/coder.',
    });
    expect(findings.find(({ check }) => check === 'mailboxes')).toMatchObject({
      level: 'ok',
      what: '3 mailboxes with all directories.',
    });
  });

  it.runIf(canBeUnprivileged)('never says that nothing is left when it may not look', async () => {
    const scene = await makeScene();
    const findings = await unprivileged(scene.dir, async () => {
      chmodSync(scene.layout.router, 0o000);
      return scene.look();
    });
    for (const name of ['router', 'leftovers', 'unfiled', 'history']) {
      expect(findings.find(({ check }) => check === name)?.level, name).toBe('error');
    }
  });

  it('refuses a directory that is no hive', async () => {
    const clock = { now: () => 0, monotonic: () => 0 };
    await expect(diagnose(tempDir(), { clock, env: {} })).rejects.toMatchObject({
      code: 'hive-not-found',
    });
  });
});

describe('fixing', () => {
  it('takes no mail away, whatever is broken, and leaves nothing that could be fixed', async () => {
    const scene = await makeScene();
    breakAll(scene);
    const mail = [
      'agents/coder/outbox/letter.txt',
      'agents/coder/inbox/bad.json',
      'agents/stranger/outbox/a.json',
      'held/coder/bad.json',
      '.router/e1-abc/claim/0000000000000-x',
      '.router/e1-abc/owed/1m8pyqzvp000-jgvvao4d/plan.json',
      // Out of .router/unfiled/, where it waited for its .sent/.
      'agents/coder/outbox/.sent/x.json',
      '.router/history/x.json.unreadable',
      'log.jsonl',
    ];
    await applyFixes(await scene.look());
    for (const path of mail) expect(() => statSync(join(scene.dir, path)), path).not.toThrow();
    const left = (await scene.look()).filter(({ fix }) => fix !== undefined);
    expect(left).toEqual([]);
  });

  it('leaves the work of a router that is up to that router', async () => {
    const scene = await makeScene();
    const router = await startRouter({ dir: scene.dir, pollMs: 3_600_000, watch: false });
    rmSync(scene.agent('coder').sent, { recursive: true });
    const [result] = await scene.fix('mailboxes');
    await router.stop();
    expect(result).toMatchObject({ done: false });
    expect(result?.problem).toMatch(/^Stop the router first\. Process \d+ on .* holds this hive/);
    expect(() => statSync(scene.agent('coder').sent)).toThrow('ENOENT');
    expect(await scene.fix('mailboxes')).toMatchObject([{ done: true }]);
    expect(statSync(scene.agent('coder').sent).mode & 0o777).toBe(0o700);
  });

  it('goes on after one that fails, and says why it did', async () => {
    const scene = await makeScene();
    renameSync(scene.layout.router, join(scene.dir, 'router-away'));
    scene.write('.router', 'a file');
    rmSync(scene.layout.protocol);
    chmodSync(scene.layout.tasks, 0o666);
    expect(await scene.fix('protocol')).toMatchObject([
      { done: false, problem: expect.stringContaining('is no directory') },
    ]);
    expect(await scene.fix('modes')).toMatchObject([{ done: true, problem: undefined }]);
  });
});
