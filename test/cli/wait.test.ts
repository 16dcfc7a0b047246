import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { makeHive, type TestHive } from './command-line.ts';

const ids = ['1m8q000aa000-aaaaaaaa', '1m8q000bb000-bbbbbbbb', '1m8q000cc000-cccccccc'] as const;

/** Puts a message into the coder's inbox as a router does. */
function deliver({ dir }: TestHive, id: string): void {
  const inbox = join(dir, 'agents/coder/inbox');
  const about = { conversation: 'c', in_reply_to: null, from: 'planner', to: 'coder' };
  const said = { act: 'request', subject: `Letter ${id}`, body: '', created_at: '2026-11-30' };
  const message = { id, ...about, ...said, hops: 0, requires_reply: true, needs_human: false };
  writeFileSync(join(inbox, `.tmp-${id}`), JSON.stringify(message));
  renameSync(join(inbox, `.tmp-${id}`), join(inbox, `${id}.json`));
}

describe('wait', () => {
  it('returns at once with all that is unread', async () => {
    const hive = await makeHive();
    deliver(hive, ids[0]);
    deliver(hive, ids[1]);
    const ran = await hive.cli('wait', '--agent', 'coder');
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout.trimEnd().split('\n')).toEqual([
      expect.stringContaining(ids[0]),
      expect.stringContaining(ids[1]),
    ]);
  });

  it('returns at once only with what comes after the letter named', async () => {
    const hive = await makeHive();
    for (const id of ids) deliver(hive, id);
    const entries = await hive.json<{ id: string }[]>(
      'wait',
      '--agent',
      'coder',
      '--after',
      ids[1],
    );
    expect(entries.map(({ id }) => id)).toEqual([ids[2]]);
  });

  it('returns when a letter arrives, whatever its id', async () => {
    const hive = await makeHive();
    deliver(hive, ids[1]);
    const waiting = hive.json<{ id: string }[]>('wait', '--agent', 'coder', '--after', ids[1]);
    await pause(100);
    deliver(hive, ids[0]);
    expect((await waiting).map(({ id }) => id)).toEqual([ids[0]]);
  });

  it('finds a letter in an inbox that was missing when it began', async () => {
    const hive = await makeHive();
    const inbox = join(hive.dir, 'agents/coder/inbox');
    renameSync(inbox, `${inbox}-away`);
    const waiting = hive.cli('wait', '--agent', 'coder', '--timeout', '10');
    await pause(50);
    renameSync(`${inbox}-away`, inbox);
    deliver(hive, ids[0]);
    expect(await waiting).toMatchObject({ exitCode: 0 });
  });

  it('ends with 7 when time is up', async () => {
    const hive = await makeHive();
    deliver(hive, ids[0]);
    const args = ['wait', '--agent', 'coder', '--after', ids[0], '--timeout', '0.2'];
    const ran = await hive.cli(...args);
    const stderr = 'hivemail: No letter came for coder within 0.2 s.\n';
    expect(ran).toEqual({ exitCode: 7, stdout: '', stderr });
    const told = JSON.parse((await hive.cli('--json', ...args)).stdout);
    expect(told).toMatchObject({ error: { code: 'timeout' } });
  });

  it('takes only seconds as a time limit', async () => {
    const hive = await makeHive();
    const ran = await hive.cli('wait', '--agent', 'coder', '--timeout', '5m');
    expect(ran).toMatchObject({ exitCode: 2 });
    expect(ran.stderr).toContain('Give seconds');
  });
});
