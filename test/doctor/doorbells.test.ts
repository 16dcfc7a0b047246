import {
  chmodSync,
  existsSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type DoorbellState, NO_STATE } from '../../src/doorbell/state.ts';
import { ownIdentity } from '../../src/hive/process-identity.ts';
import { canBeUnprivileged, makeScene, NOW, type Scene, unprivileged } from './scene.ts';

const MINUTE_MS = 60_000;
const HOUR_S = 3600;

let scene: Scene;

beforeEach(async () => {
  scene = await makeScene();
});

function remember(state: Partial<DoorbellState>, mode = 'continue'): void {
  scene.write('agents/coder/.doorbell/state/0000000003.json', { ...NO_STATE, ...state });
  scene.write('agents/coder/.doorbell/settings.json', { mode });
}

/** Leaves files as hooks leave events, the last of them at `time`. */
function leaveEvents(number: number, time: number): void {
  for (let at = 0; at < number; at += 1) {
    const name = `${time - at}-abcdefgh.json`;
    scene.write(`agents/coder/.doorbell/events/${name}`, {});
  }
}

function leave(path: string, ageS: number): string {
  const at = scene.write(path, 'x');
  const timeS = NOW / 1000 - ageS;
  utimesSync(at, timeS, timeS);
  return at;
}

const ENDED = { pid: 2 ** 22, startedAt: 'never', bootId: undefined };

describe('doorbells', () => {
  it('are in order when hooks have left nothing', async () => {
    remember({ activity: 'busy' });
    expect(await scene.look('doorbells')).toMatchObject([
      { level: 'ok', what: '1 doorbell, in order.' },
    ]);
  });

  it('without a process that waits beside an idle session do not wake it', async () => {
    const process = ownIdentity();
    const holder = { client: 'claude', session: 's', process, heardAt: NOW, place: {} } as const;
    remember({ holder, waiter: ENDED });
    expect(await scene.look('doorbells')).toMatchObject([
      { level: 'warning', what: expect.stringContaining('idle session of coder (claude)') },
    ]);
    for (const well of [
      { holder, waiter: process },
      { holder, waiter: ENDED, activity: 'busy' as const },
      { holder: { ...holder, process: ENDED }, waiter: ENDED },
      { holder: { ...holder, client: 'codex' as const }, waiter: ENDED },
    ]) {
      remember(well);
      expect(await scene.look('doorbells')).toMatchObject([{ level: 'ok' }]);
    }
    remember({ holder, waiter: ENDED }, 'notify');
    expect(await scene.look('doorbells')).toMatchObject([{ level: 'ok' }]);
  });

  it('whose memory can’t be read tell nothing', async () => {
    const state = scene.agent('coder').doorbellState;
    scene.write('agents/coder/.doorbell/settings.json', {});
    symlinkSync('/tmp', state);
    expect(await scene.look('doorbells')).toMatchObject([
      { level: 'warning', what: expect.stringMatching(/hooks of coder.*\(ENOTDIR|ELOOP\)/) },
    ]);
  });

  it('pile up what they tell when no router takes it', async () => {
    leaveEvents(127, NOW);
    expect(await scene.look('doorbells')).toMatchObject([{ level: 'ok' }]);
    leaveEvents(128, NOW);
    expect(await scene.look('doorbells')).toMatchObject([
      {
        level: 'note',
        what: expect.stringContaining('128 events of the hooks of coder'),
        advice: expect.stringContaining('hivemail up'),
      },
    ]);
  });

  it('that a router which is up does not empty are told of before they are many', async () => {
    scene.write('.router/owner.json', {
      ...{ ...ownIdentity(), host: hostname(), epoch: 3, node: 'v20' },
      ...{ version: '0.1.0', token: 'abcdefgh' },
      since: new Date(NOW).toISOString(),
    });
    leaveEvents(1, NOW - MINUTE_MS);
    expect(await scene.look('doorbells')).toMatchObject([{ level: 'ok' }]);
    leaveEvents(1, NOW - 3 * MINUTE_MS);
    expect(await scene.look('doorbells')).toMatchObject([
      { level: 'warning', what: expect.stringContaining('the oldest for 3m') },
    ]);
  });

  it('have what killed hooks left behind removed when it is older than an hour', async () => {
    const old = ['.doorbell/.tmp-abcdefgh', '.doorbell/state/.tmp-77-0000000004.json'].map((path) =>
      leave(`agents/coder/${path}`, HOUR_S + 1),
    );
    const kept = [
      leave('agents/coder/.doorbell/state/.tmp-78-0000000004.json', HOUR_S - 1),
      leave('agents/coder/.doorbell/state/0000000003.json', 9 * HOUR_S),
    ];
    expect(await scene.look('doorbells')).toMatchObject([
      { level: 'note', what: expect.stringContaining('state/.tmp-77-0000000004.json') },
    ]);
    expect(await scene.fix('doorbells')).toMatchObject([{ done: true }]);
    expect(old.filter((path) => existsSync(path))).toEqual([]);
    expect(kept.filter((path) => !existsSync(path))).toEqual([]);
    expect(await scene.look('doorbells')).toMatchObject([{ level: 'ok' }]);
  });

  it('have nothing removed from where a link leads', async () => {
    const elsewhere = join(scene.dir, '..', 'elsewhere');
    mkdirSync(elsewhere);
    const state = scene.agent('coder').doorbellState;
    leave('agents/coder/.doorbell/state/.tmp-77-0000000004.json', HOUR_S + 1);
    const findings = await scene.look('doorbells');
    rmSync(state, { recursive: true });
    symlinkSync(elsewhere, state);
    const victim = join(elsewhere, '.tmp-77-0000000004.json');
    writeFileSync(victim, 'x');
    await findings[0]?.fix?.apply().catch(() => undefined);
    expect(findings[0]?.fix).toBeDefined();
    expect(existsSync(victim)).toBe(true);
  });

  it.each([
    ['over', JSON.stringify({ until: NOW - 1, after: '', moments: {} })],
    ['no probe', '{'],
  ])('have the file of a killed test removed, which is %s', async (_, text) => {
    const path = scene.write('agents/coder/.doorbell/probe.json', text);
    expect(await scene.look('doorbells')).toMatchObject([
      { level: 'note', what: expect.stringContaining('.doorbell/probe.json') },
    ]);
    await scene.fix('doorbells');
    expect(existsSync(path)).toBe(false);
  });

  it('keep the file of a test that is under way', async () => {
    const probe = { until: NOW + MINUTE_MS, after: '', moments: {} };
    scene.write('agents/coder/.doorbell/probe.json', probe);
    expect(await scene.look('doorbells')).toMatchObject([{ level: 'ok' }]);
  });

  it.skipIf(!canBeUnprivileged)('that may not be looked into hide no other', async () => {
    scene.write('agents/planner/.doorbell/probe.json', '{');
    remember({});
    await unprivileged(scene.dir, async () => {
      chmodSync(scene.agent('coder').doorbell, 0o000);
      const found = await scene.look('doorbells');
      chmodSync(scene.agent('coder').doorbell, 0o700);
      expect(found.map(({ what }) => what).join()).toContain('agents/planner/.doorbell/probe.json');
      expect(found.map(({ what }) => what).join()).toContain('hooks of coder');
    });
  });
});
