import { chmodSync, lstatSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../helpers/temp-dir.ts';
import { canBeUnprivileged, machineWith, makeScene, unprivileged } from './scene.ts';

const modeOf = (path: string): number => lstatSync(path).mode & 0o7777;

describe('the hive’s directory', () => {
  it.each([
    [0o777, 'Other users can write into the hive’s directory (mode 0777).'],
    [0o770, 'Other users can write into the hive’s directory (mode 0770).'],
    [0o755, 'Other users can look into the hive’s directory (mode 0755).'],
  ])('is warned of with mode %o, and shut', async (mode, what) => {
    const { look, fix, dir } = await makeScene();
    chmodSync(dir, mode);
    expect(await look('ownership')).toMatchObject([{ level: 'warning', what }]);
    expect(await fix('ownership')).toMatchObject([{ done: true }]);
    expect(modeOf(dir)).toBe(0o700);
    expect(await look('ownership')).toMatchObject([{ level: 'ok' }]);
  });

  it('is warned of when .router alone can be written to by others', async () => {
    const { look, fix, layout } = await makeScene();
    chmodSync(layout.router, 0o707);
    expect(await look('ownership')).toMatchObject([
      { level: 'warning', what: 'Other users can write into .router/ (mode 0707).' },
    ]);
    await fix('ownership');
    expect(modeOf(layout.router)).toBe(0o700);
  });

  it('is warned of when it is another user’s, and not changed then', async () => {
    const { look, dir } = await makeScene();
    chmodSync(dir, 0o755);
    const machine = machineWith({ userId: () => 4242 });
    const [owner, access] = await look('ownership', { machine });
    expect(owner).toMatchObject({
      level: 'warning',
      what: `the hive’s directory belongs to user ${statSync(dir).uid}, and you are user 4242.`,
    });
    expect(access).toMatchObject({ level: 'warning', what: expect.stringContaining('look into') });
    expect(access?.fix).toBeUndefined();
  });

  it('is warned of below a directory that everybody can write to, unless that one is sticky', async () => {
    const parent = join(tempDir(), 'shared');
    mkdirSync(parent);
    const { look } = await makeScene(join(parent, 'hive'));
    chmodSync(parent, 0o777);
    expect(await look('ownership')).toMatchObject([
      {
        level: 'warning',
        what: `${parent}, in which the hive lies, can be written to by every user (mode 0777).`,
      },
    ]);
    chmodSync(parent, 0o770);
    expect(await look('ownership')).toMatchObject([{ level: 'note' }]);
    chmodSync(parent, 0o1777);
    expect(await look('ownership')).toMatchObject([{ level: 'ok' }]);
  });
});

describe('files and directories in the hive', () => {
  it('are a warning when others get in, a note behind a shut door, and mended', async () => {
    const { look, fix, dir, layout, agent } = await makeScene();
    chmodSync(layout.settings, 0o644);
    chmodSync(agent('coder').inbox, 0o755);
    const what =
      '2 files and directories would let other users in: agents/coder/inbox (0755), hive.json (0644).';
    expect(await look('modes')).toMatchObject([{ level: 'note', what }]);
    chmodSync(dir, 0o711);
    expect(await look('modes')).toMatchObject([{ level: 'warning', what }]);
    expect(await fix('modes')).toMatchObject([{ done: true }]);
    expect([modeOf(layout.settings), modeOf(agent('coder').inbox)]).toEqual([0o600, 0o700]);
    expect(await look('modes')).toMatchObject([{ level: 'ok' }]);
  });

  it('are mended in a doorbell as well', async () => {
    const { look, fix, write, agent } = await makeScene();
    const event = write('agents/coder/.doorbell/events/1-aaaaaaaa.json', '{}');
    const state = write('agents/coder/.doorbell/state/0000000001.json', '{}');
    chmodSync(event, 0o644);
    chmodSync(agent('coder').doorbell, 0o755);
    expect(await look('modes')).toMatchObject([
      { what: expect.stringMatching(/\.doorbell \(0755\).*\.doorbell\/events\/1-aaaaaaaa\.json/) },
    ]);
    await fix('modes');
    expect([event, state].map(modeOf)).toEqual([0o600, 0o600]);
    expect(modeOf(agent('coder').doorbell)).toBe(0o700);
  });

  it('are looked at only where Hivemail made them, and never through a link', async () => {
    const { look, write, agent, layout } = await makeScene();
    const outside = join(tempDir(), 'outside.json');
    const paths = [
      write('agents/coder/notes.md', 'x'),
      write('agents/coder/outbox/.sent/a.json', 'x'),
      write('.router/unfiled/coder/a.json', 'x'),
      agent('coder').memory,
      layout.board,
    ];
    for (const path of paths) chmodSync(path, 0o666);
    symlinkSync(outside, join(layout.held, 'link.json'));
    expect(await look('modes')).toMatchObject([{ level: 'ok' }]);
  });

  it.runIf(canBeUnprivileged)(
    'are an error when their owner can’t get at them, and mended',
    async () => {
      const { look, fix, dir, agent, write } = await makeScene();
      const letter = write('agents/coder/inbox/a.json', '{}');
      chmodSync(letter, 0o000);
      const before = await look('modes');
      expect(before).toMatchObject([
        {
          level: 'warning',
          what: 'Their owner has no full access to agents/coder/inbox/a.json (0000).',
        },
      ]);
      chmodSync(agent('coder').outbox, 0o500);
      expect(await look('modes')).toMatchObject([{ level: 'error' }]);
      const results = await unprivileged(dir, () => fix('modes'));
      expect(results).toMatchObject([{ done: true }]);
      expect([modeOf(letter), modeOf(agent('coder').outbox)]).toEqual([0o400, 0o700]);
    },
  );

  it('are warned of when they are another user’s', async () => {
    const { look } = await makeScene();
    const machine = machineWith({ userId: () => 4242 });
    const [foreign] = await look('modes', { machine });
    expect(foreign).toMatchObject({
      level: 'warning',
      what: expect.stringMatching(
        /^\d+ files and directories in the hive belong to another user: /,
      ),
    });
    expect(foreign?.fix).toBeUndefined();
  });

  it('have no permissions to look at on Windows', async () => {
    const { look, dir } = await makeScene();
    chmodSync(dir, 0o777);
    const machine = machineWith({ userId: () => undefined });
    expect(await look('modes', { machine })).toMatchObject([{ level: 'ok' }]);
    expect(await look('ownership', { machine })).toMatchObject([{ level: 'ok' }]);
  });
});

describe('letters that a router run by this user can’t read', () => {
  it.runIf(canBeUnprivileged)(
    'are an error, and the others in that outbox are not named',
    async () => {
      const { look, dir, write } = await makeScene();
      chmodSync(write('agents/coder/outbox/a.json', '{}'), 0o000);
      write('agents/coder/outbox/b.json', '{}');
      const findings = await unprivileged(dir, () => look('outboxes'));
      expect(findings).toMatchObject([
        { level: 'error', what: 'Can’t be read: agents/coder/outbox/a.json.' },
      ]);
    },
  );
});
