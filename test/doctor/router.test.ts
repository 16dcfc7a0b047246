import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownIdentity } from '../../src/hive/process-identity.ts';
import { runOnce, systemClock } from '../../src/index.ts';
import { toTimestamp } from '../../src/protocol/clock.ts';
import { type Child, startChild } from '../clients/child.ts';
import { scrubbedEnvironment } from '../clients/environment.ts';
import { machineWith, makeScene, NOW, type Scene } from './scene.ts';

const ROOT = join(import.meta.dirname, '../..');
const LIMIT_MS = 60_000;
const SOON = { timeout: 30_000 };

async function startUp({ dir }: Scene): Promise<Child> {
  const router = await startChild({
    file: process.execPath,
    args: ['--import', 'tsx', join(ROOT, 'src/cli/main.ts'), 'up', dir, '--poll-ms', '50'],
    cwd: ROOT,
    env: scrubbedEnvironment({ HOME: '/nonexistent' }),
    timeLimitMs: LIMIT_MS,
  });
  await expect.poll(() => router.stderr(), SOON).toContain('Ready.');
  return router;
}

const owner = {
  ...{ host: hostname(), epoch: 3, node: 'v20', version: '0.1.0', token: 'abcdefgh' },
  since: toTimestamp(NOW),
};

function endedPid(): number {
  return spawnSync(process.execPath, ['-e', '0']).pid;
}

describe('the owner of a hive', () => {
  it('locks nobody out when its process has died', async () => {
    const { look, write } = await makeScene();
    const pid = endedPid();
    write('.router/owner.json', { ...owner, pid, startedAt: '1' });
    expect(await look('router')).toMatchObject([
      {
        level: 'note',
        what: expect.stringContaining(`process ${pid}`),
        advice: expect.stringContaining('by itself'),
      },
    ]);
  });

  it('is warned of on another host, which --takeover is for', async () => {
    const { look, write } = await makeScene();
    write('.router/owner.json', { ...owner, pid: 7, host: 'elsewhere.example' });
    expect(await look('router')).toMatchObject([
      {
        level: 'warning',
        what: expect.stringContaining('process 7 on elsewhere.example'),
        advice: expect.stringContaining('`hivemail up --takeover`'),
      },
    ]);
  });

  it('is noted when the record is damaged', async () => {
    const { look, write } = await makeScene();
    write('.router/owner.json', '{"pid":');
    expect(await look('router')).toMatchObject([
      { level: 'note', what: '.router/owner.json holds no owner.' },
    ]);
  });

  it.each(['T', 't'])(
    'is an error when it is stopped (state %s), whatever it is called',
    async (state) => {
      const { look, write } = await makeScene();
      write('.router/owner.json', { ...owner, ...ownIdentity() });
      const machine = machineWith({
        systemText: (path) =>
          path === `/proc/${process.pid}/stat` ? `1 (a) S (b) ${state} 1 1` : undefined,
      });
      expect(await look('router', { machine })).toMatchObject([
        { level: 'error', advice: expect.stringMatching(/kill -CONT \d+.*--takeover/) },
      ]);
      const running = machineWith({ systemText: () => '1 (T) S 1 1' });
      expect(await look('router', { machine: running })).toMatchObject([{ level: 'ok' }]);
    },
  );

  it('is an error when it has said nothing for long', async () => {
    const { look, write } = await makeScene();
    write('.router/owner.json', { ...owner, ...ownIdentity(), since: toTimestamp(NOW - 300_000) });
    expect(await look('router')).toMatchObject([
      { level: 'error', what: expect.stringContaining('nothing for 5 minutes') },
    ]);
    write('.router/health.json', { epoch: 3, at: toTimestamp(NOW - 1000), problems: [] });
    expect(await look('router')).toMatchObject([{ level: 'ok' }]);
    write('.router/health.json', { epoch: 2, at: toTimestamp(NOW - 1000), problems: [] });
    expect(await look('router')).toMatchObject([{ level: 'error' }]);
  });

  it('is heard with what it says is amiss', async () => {
    const { look, write } = await makeScene();
    write('.router/owner.json', { ...owner, ...ownIdentity() });
    const problems = [{ red: true, message: 'Red.' }, { red: false, message: 'Yellow.' }, 7];
    write('.router/health.json', { epoch: 3, at: toTimestamp(NOW), problems });
    expect(await look('router')).toMatchObject([
      { level: 'error', what: 'The router says: Red.' },
      { level: 'note', what: 'The router says: Yellow.' },
      { level: 'note' },
    ]);
  });
});

describe('a router that is killed', { timeout: LIMIT_MS }, () => {
  it('leaves mail that doctor names, and that the next one delivers', async () => {
    const scene = await makeScene();
    const { dir, look, write, agent } = scene;
    await using router = await startUp(scene);
    rmSync(agent('coder').inbox, { recursive: true });
    writeFileSync(agent('coder').inbox, 'in the way');
    write('agents/planner/outbox/a.json', { to: 'coder', act: 'inform', subject: 'Hello' });
    await expect
      .poll(async () => (await look('leftovers'))[0]?.what, SOON)
      .toMatch(/could not take: \S+ for coder\./);
    router.signal('SIGKILL');
    await router.result();
    expect(await look('router')).toMatchObject([
      { level: 'note', what: expect.stringContaining('has died') },
    ]);
    expect(await look('leftovers')).toMatchObject([
      {
        level: 'warning',
        what: expect.stringMatching(
          /^\.router\/e1-\w+ holds 1 copy that an inbox could not take \(\S+ for coder\)\.$/,
        ),
      },
    ]);
    rmSync(agent('coder').inbox);
    expect(await scene.fix('mailboxes')).toMatchObject([{ done: true }]);
    await runOnce({ dir, clock: systemClock });
    expect(readdirSync(agent('coder').inbox).filter((name) => name.endsWith('.json'))).toHaveLength(
      1,
    );
    expect(await look('leftovers')).toMatchObject([{ level: 'ok' }]);
  });

  it('and one that is stopped is an error until it goes on', async () => {
    const scene = await makeScene();
    await using router = await startUp(scene);
    const clock = { now: Date.now, monotonic: () => performance.now() };
    const level = async () => (await scene.look('router', { clock }))[0]?.level;
    expect(await level()).toBe('ok');
    router.signal('SIGSTOP');
    await expect.poll(level, SOON).toBe('error');
    router.signal('SIGCONT');
    await expect.poll(level, SOON).toBe('ok');
    router.signal('SIGTERM');
    expect(await router.result()).toMatchObject({ exitCode: 0 });
  });
});
