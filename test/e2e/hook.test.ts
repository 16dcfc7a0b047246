/**
 * The hook as it is shipped: `hivemail hook` as a process of its own, on hives that are well and on those
 * that are not. What it must never do is disturb the session that called it.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scrubbedEnvironment } from '../clients/environment.ts';
import { makeMailbox, type TestMailbox } from '../doorbell/mailbox.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { HIVEMAIL, requireBuild } from './built.ts';

let mailbox: TestMailbox;

beforeAll(requireBuild);

beforeEach(() => {
  mailbox = makeMailbox(tempDir());
});

const PAYLOAD = JSON.stringify({ session_id: 's', hook_event_name: 'PostToolBatch', cwd: '/' });

interface Ended {
  exitCode: unknown;
  stdout: string;
  stderr: string;
}

async function hook(
  event: string,
  { words = [] as string[], input = PAYLOAD } = {},
): Promise<Ended> {
  const args = [HIVEMAIL, 'hook', 'claude', event, ...words];
  const child = spawn(process.execPath, [...args, '--hive', mailbox.hive, '--agent', 'coder'], {
    env: scrubbedEnvironment({}),
    timeout: 20_000,
  });
  child.stdin.on('error', () => {});
  // A client may keep its end of the pipe open.
  child.stdin.write(input);
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  child.stdin.destroy();
  return { exitCode, stdout, stderr };
}

const QUIET: Ended = { exitCode: 0, stdout: '', stderr: '' };

function announced(): number {
  const { events } = mailbox.paths;
  return existsSync(events) ? readdirSync(events).length : 0;
}

describe('hivemail hook', () => {
  it('prints what the client takes, once', async () => {
    mailbox.deliver('l1');
    const { stdout, ...ended } = await hook('PostToolBatch');
    expect(ended).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PostToolBatch',
        additionalContext: expect.stringContaining('About l1'),
      },
    });
    expect(await hook('PostToolBatch')).toEqual(QUIET);
  });

  it('announces each letter once, however many are called side by side', {
    timeout: 60_000,
  }, async () => {
    for (const id of ['l1', 'l2', 'l3']) mailbox.deliver(id);
    await hook('Stop');
    const all = await Promise.all(Array.from({ length: 20 }, () => hook('PostToolBatch')));
    // On a machine that is too busy each of them may have given up, before it took anything.
    all.push(await hook('PostToolBatch'));
    expect(all.filter(({ stdout }) => stdout !== '')).toHaveLength(1);
    expect(all.every(({ exitCode, stderr }) => exitCode === 0 && stderr === '')).toBe(true);
    expect(announced()).toBe(1);
    expect(readdirSync(mailbox.paths.state).every((name) => /^\d{10}\.json$/.test(name))).toBe(
      true,
    );
  });

  it('says why, to a person who asks', async () => {
    const { stderr } = await hook('PostToolBatch', { words: ['--explain'] });
    expect(stderr).toBe('hivemail: nothing is unread\n');
  });

  const broken: Record<string, () => void> = {
    'a hive that is gone': () => rmSync(mailbox.hive, { recursive: true }),
    'an agent that is gone': () => rmSync(mailbox.root, { recursive: true }),
    'an inbox that is gone': () => rmSync(mailbox.paths.inbox, { recursive: true }),
    'an inbox that is a pipe': () => {
      renameSync(mailbox.paths.inbox, join(mailbox.root, 'away'));
      execFileSync('mkfifo', [mailbox.paths.inbox]);
    },
    'a letter that is a pipe, and gone from the list meanwhile': () => {
      rmSync(join(mailbox.paths.inbox, 'l1.json'));
      mkdirSync(join(mailbox.root, '.doorbell'));
      execFileSync('mkfifo', [mailbox.paths.settings]);
    },
    'a memory that is a pipe': () => {
      mkdirSync(join(mailbox.root, '.doorbell'));
      execFileSync('mkfifo', [mailbox.paths.state]);
    },
    'a memory that is a file': () => {
      mkdirSync(join(mailbox.root, '.doorbell'));
      writeFileSync(mailbox.paths.state, '');
    },
    'an agent whose directory is a link': () => {
      renameSync(mailbox.root, `${mailbox.root}-away`);
      execFileSync('ln', ['-s', `${mailbox.root}-away`, mailbox.root]);
    },
  };

  it.each(Object.entries(broken))('is silent on %s', async (_, harm) => {
    mailbox.deliver('l1');
    harm();
    expect(await hook('PostToolBatch')).toEqual(QUIET);
  });

  it.each([
    ['no JSON', 'x }'],
    ['no object', '"x"}'],
    ['no session', '{ "cwd": "/" }'],
    ['a subagent', '{ "session_id": "s", "agent_id": "a1" }'],
  ])('is silent when the client says %s', async (_, input) => {
    mailbox.deliver('l1');
    const child = execFileSync(
      process.execPath,
      [HIVEMAIL, 'hook', 'claude', 'PostToolBatch', '--hive', mailbox.hive, '--agent', 'coder'],
      { input, env: scrubbedEnvironment({}), encoding: 'utf8' },
    );
    expect(child).toBe('');
    expect(announced()).toBe(0);
  });

  it('is silent, or tells, but never late, with 20 000 letters', { timeout: 60_000 }, async () => {
    for (let at = 0; at < 20_000; at += 1)
      writeFileSync(join(mailbox.paths.inbox, `l${at}.json`), '{}');
    const { exitCode, stdout, stderr } = await hook('PostToolBatch');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.length).toBeLessThan(10_000);
  });

  it('is silent where it may not read', async () => {
    mailbox.deliver('l1');
    chmodSync(mailbox.paths.inbox, 0o000);
    const { exitCode, stderr } = await hook('PostToolBatch');
    chmodSync(mailbox.paths.inbox, 0o700);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });
});
