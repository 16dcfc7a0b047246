import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readStatus } from '../../src/api/status.ts';
import { NO_STATE } from '../../src/doorbell/state.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import { ownIdentity } from '../../src/hive/process-identity.ts';
import { systemClock } from '../../src/hive/system-clock.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import { startRouter } from '../../src/router/daemon.ts';
import { makeRealHive, type RealHive, until } from './real-hive.ts';

const letter = (to: string, subject: string) => ({ to, act: 'inform', subject, body: 'b' });

/** A Codex session of coder, idle in mode continue, and a codex that does what is said. */
function makeSession(hive: RealHive, script: string): NodeJS.ProcessEnv {
  const dir = dirname(hive.dir);
  const { doorbellState, doorbellSettings } = hive.layout.agent('coder' as AgentId);
  const [bin, home] = [join(dir, 'bin'), join(dir, 'codex-home')];
  for (const each of [bin, home, doorbellState]) mkdirSync(each, { recursive: true, mode: 0o700 });
  const session = '01a22f4a-c142-7c70-9160-c52dca37000c';
  const place = { CODEX_HOME: home };
  const holder = { client: 'codex', session, process: ownIdentity(), heardAt: Date.now(), place };
  const state = { ...NO_STATE, holder, activeAt: Date.now() };
  writeFileSync(join(doorbellState, '0000000001.json'), JSON.stringify(state));
  writeFileSync(doorbellSettings, '{"mode":"continue"}');
  writeFileSync(join(bin, 'codex'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { PATH: `${bin}:/usr/bin:/bin`, CODEX_HOME: home };
}

function coderIn(hive: RealHive) {
  const { agents } = readStatus(createNodeFs(), hive.layout, systemClock.now());
  return agents.find(({ id }) => id === 'coder');
}

describe('the wakes of a router at work', () => {
  it('cost mail nothing while a codex hangs, and end with the router', async () => {
    const hive = await makeRealHive();
    const pidFile = join(dirname(hive.dir), 'pid');
    const env = makeSession(
      hive,
      `echo $$ > '${pidFile}.new'; mv '${pidFile}.new' '${pidFile}'\nsleep 600`,
    );
    const router = await startRouter({ dir: hive.dir, pollMs: 20, watch: false, env });
    try {
      hive.write('planner', 'a.json', letter('coder', 'first'));
      await until(() => existsSync(pidFile));
      for (const subject of ['one', 'two', 'three']) {
        hive.write('planner', `${subject}.json`, letter('coder', subject));
        await until(() => hive.inbox('coder').at(-1)?.subject === subject);
      }
      expect(hive.rows('wake')).toEqual([]);
      expect(isRunning(Number(readFileSync(pidFile, 'utf8')))).toBe(true);
    } finally {
      await router.stop();
    }
    expect(isRunning(Number(readFileSync(pidFile, 'utf8')))).toBe(false);
  });

  it('are in the log, and in the status while the router is up', async () => {
    const hive = await makeRealHive();
    const env = makeSession(hive, 'exit 1');
    const router = await startRouter({ dir: hive.dir, pollMs: 20, watch: false, env });
    try {
      hive.write('planner', 'a.json', letter('coder', 'first'));
      await until(() => hive.rows('wake').length > 0);
      expect(hive.rows('wake')).toMatchObject([{ to: ['coder'], code: 'no-way' }]);
      await until(() => coderIn(hive)?.doorbell?.wake !== undefined);
      expect(coderIn(hive)?.doorbell).toMatchObject({
        unannounced: { letters: 1, why: 'not-woken' },
        wake: { result: 'no-way', why: 'refused' },
      });
      const inFleet = () =>
        JSON.parse(readFileSync(hive.layout.fleet, 'utf8')).agents.coder.doorbell;
      await until(() => inFleet().wake?.why === 'refused');
    } finally {
      await router.stop();
    }
    expect(coderIn(hive)?.doorbell?.unannounced?.why).toBe('nothing-wakes');
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
