import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, rmSync } from 'node:fs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { readState, writeState } from '../../src/doorbell/state-file.ts';
import { type WaitCall, waitForMail } from '../../src/doorbell/wait-for-mail.ts';
import { watchInbox } from '../../src/hive/inbox-watch.ts';
import { ownIdentity, processIdentity } from '../../src/hive/process-identity.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { callFor, makeMailbox, opencodeHook, type TestMailbox } from './mailbox.ts';

const SOON_MS = 15;

let mailbox: TestMailbox;
let ending: AbortController;

beforeEach(() => {
  mailbox = makeMailbox(tempDir());
  mailbox.settle({ mode: 'continue' });
  ending = new AbortController();
});

function wait(changes: Partial<WaitCall> = {}) {
  return waitForMail({
    ...callFor(mailbox, 'opencode'),
    event: 'session.idle',
    payload: { session_id: 'ses_1' },
    now: Date.now,
    currentParent: () => process.pid,
    pollMs: SOON_MS,
    signal: ending.signal,
    ...changes,
  });
}

/** The session has done a turn, and is idle. */
function becomeIdle(): void {
  opencodeHook(mailbox, 'chat.message');
  opencodeHook(mailbox, 'session.idle');
}

/** Waits until the waiter has taken its place. */
async function placeTaken(): Promise<void> {
  await vi.waitFor(() =>
    expect(readState(mailbox.paths.state).state.waiter?.pid).toBe(process.pid),
  );
}

describe('waitForMail', () => {
  it('rings for a letter that comes while the session is idle', async () => {
    becomeIdle();
    const waiting = wait();
    await placeTaken();
    mailbox.deliver('l1');
    const { answer, rang } = await waiting;
    expect(rang).toBe(true);
    expect(JSON.parse(answer.stdout)).toEqual({ prompt: expect.stringContaining('About l1') });
    expect(readState(mailbox.paths.state).state).toMatchObject({ activity: 'busy', told: ['l1'] });
  });

  it('is woken by the letter, long before the poll', async () => {
    becomeIdle();
    const waiting = wait({ pollMs: 60_000 });
    await placeTaken();
    mailbox.deliver('l1');
    expect((await waiting).rang).toBe(true);
  });

  it('tells together of letters that come together', async () => {
    becomeIdle();
    const waiting = wait({ pollMs: 60_000 });
    await placeTaken();
    mailbox.deliver('l1');
    mailbox.deliver('l2');
    expect((await waiting).answer.stdout).toContain('2 new letters');
  });

  it('waits a moment for letters that follow on the first', async () => {
    becomeIdle();
    const waiting = wait({ pollMs: 60_000 });
    await placeTaken();
    // Right after the event of the first letter: who looked at once would find that one alone.
    using seen = watchInbox(mailbox.paths.inbox);
    mailbox.deliver('l1');
    await seen.change(60_000);
    setImmediate(() => mailbox.deliver('l2'));
    expect((await waiting).answer.stdout).toContain('2 new letters');
  });

  it('lets a busy session be, and rings once it is idle', async () => {
    opencodeHook(mailbox, 'chat.message');
    const waiting = wait();
    await placeTaken();
    mailbox.deliver('l1');
    const early = await Promise.race([waiting, later(5 * SOON_MS)]);
    expect(early).toBe('nothing yet');
    // The letter is told of at the end of the turn, and another one comes.
    opencodeHook(mailbox, 'session.idle');
    opencodeHook(mailbox, 'chat.message');
    opencodeHook(mailbox, 'session.idle');
    mailbox.deliver('l2');
    expect((await waiting).answer.stdout).toContain('About l2');
  });

  it('leaves an open dialog to the person', async () => {
    becomeIdle();
    opencodeHook(mailbox, 'permission.asked', { tool_name: 'bash' });
    const waiting = wait();
    await placeTaken();
    mailbox.deliver('l1');
    expect(await Promise.race([waiting, later(5 * SOON_MS)])).toBe('nothing yet');
    opencodeHook(mailbox, 'permission.replied');
    expect((await waiting).rang).toBe(true);
  });

  it('is over when it is not to be woken', async () => {
    mailbox.settle({ mode: 'notify' });
    becomeIdle();
    expect(await wait()).toMatchObject({ rang: false, why: 'it is not to be woken' });
  });

  it('is over when the session has another waiter, and takes the place of one that has ended', async () => {
    becomeIdle();
    const { number, state } = readState(mailbox.paths.state);
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(other, 'spawn');
    const pid = other.pid ?? 0;
    const waiter = { ...ownIdentity(), pid, startedAt: processIdentity(pid) };
    writeState(mailbox.paths.state, number, { ...state, waiter });
    expect(await wait()).toMatchObject({ rang: false, why: 'another waiter is there' });
    other.kill();
    await once(other, 'close');
    const waiting = wait();
    await placeTaken();
    mailbox.deliver('l1');
    expect((await waiting).rang).toBe(true);
  });

  it('is over when the client that started it has ended', async () => {
    becomeIdle();
    expect(await wait({ currentParent: () => 1 })).toMatchObject({ why: 'the client has ended' });
    const client = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(client, 'spawn');
    const parent = client.pid ?? 0;
    const waiting = wait({ parent, currentParent: () => parent });
    await placeTaken();
    client.kill();
    await once(client, 'close');
    expect(await waiting).toMatchObject({ why: 'the client has ended', rang: false });
  });

  it('is over when the session ends, and does not bring it back', async () => {
    becomeIdle();
    const waiting = wait();
    await placeTaken();
    opencodeHook(mailbox, 'session.deleted');
    expect(await waiting).toMatchObject({ why: 'the session has ended' });
    expect(readState(mailbox.paths.state).state.holder).toBeUndefined();
  });

  it('is over at the first look after the end of its session', async () => {
    becomeIdle();
    let looks = 0;
    const currentParent = () => {
      looks += 1;
      return process.pid;
    };
    const waiting = wait({ currentParent });
    await placeTaken();
    opencodeHook(mailbox, 'session.deleted');
    const before = looks;
    expect(await waiting).toMatchObject({ why: 'the session has ended' });
    expect(looks - before).toBe(1);
  });

  it('is over when another session reads the mail', async () => {
    becomeIdle();
    const waiting = wait();
    await placeTaken();
    opencodeHook(mailbox, 'chat.message', { session_id: 'ses_2' });
    expect(await waiting).toMatchObject({ why: 'another session reads the mail' });
  });

  it('does not wait for a subagent', async () => {
    becomeIdle();
    const payload = { session_id: 'ses_1', parent_id: 'ses_0' };
    expect(await wait({ payload })).toMatchObject({ why: 'another session reads the mail' });
  });

  it('may be there before the hook that tells of the session', async () => {
    const waiting = wait();
    await later(3 * SOON_MS);
    becomeIdle();
    mailbox.deliver('l1');
    expect((await waiting).rang).toBe(true);
  });

  it('is over when the hive is gone', async () => {
    becomeIdle();
    const waiting = wait();
    await placeTaken();
    rmSync(mailbox.hive, { recursive: true });
    expect((await waiting).rang).toBe(false);
  });

  it('outlives an inbox that can not be read for a moment, not one that never can', async () => {
    becomeIdle();
    const { inbox } = mailbox.paths;
    const waiting = wait();
    await placeTaken();
    renameSync(inbox, `${inbox}-away`);
    await later(3 * SOON_MS);
    renameSync(`${inbox}-away`, inbox);
    mailbox.deliver('l1');
    expect((await waiting).rang).toBe(true);
    opencodeHook(mailbox, 'session.idle');
    rmSync(inbox, { recursive: true });
    await expect(wait({ pollMs: 1 })).rejects.toThrow('ENOENT');
  });

  it('ends when it is told to', async () => {
    becomeIdle();
    const waiting = wait({ pollMs: 60_000 });
    await placeTaken();
    ending.abort();
    expect(await waiting).toMatchObject({ rang: false });
  });
});

async function later(ms: number): Promise<string> {
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
  return 'nothing yet';
}
