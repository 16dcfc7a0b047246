import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LogRow } from '../../src/index.ts';
import { hivemail, makeHive, type TestHive } from './command-line.ts';

interface Sent {
  id: string;
  outcome: string;
  code: string;
  row: LogRow;
}

interface Entry {
  id: string;
  handled: boolean;
  message: Record<string, unknown>;
}

function outboxOf({ dir }: TestHive, agent: string): string[] {
  return readdirSync(join(dir, 'agents', agent, 'outbox')).filter((name) => name !== '.sent');
}

async function send(hive: TestHive, from: string, ...args: string[]): Promise<Sent> {
  return hive.json<Sent>('send', '--agent', from, '--act', 'request', ...args);
}

describe('with a router up', () => {
  it('send prints the id and the outcome', async () => {
    const hive = await makeHive();
    await using _router = await hive.up();
    const args = ['--to', 'coder', '--act', 'request', '--subject', 'Split', '--body', 'Now.'];
    const ran = await hive.cli('send', '--agent', 'planner', ...args);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^[0-9a-z]{12}-[0-9a-z]{8} {2}delivered to coder\n$/);
  });

  it('send takes several recipients, and tells which were not reached', async () => {
    const hive = await makeHive();
    await using _router = await hive.up();
    await hive.cli('agent', 'add', 'mute', '--send-only');
    const args = ['--to', 'coder, god', '--to', 'mute', '--act', 'inform', '--subject', 'x'];
    const ran = await hive.cli('send', '--agent', 'planner', ...args);
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toContain('partial to coder, god; not to mute (send-only)');
  });

  it('send ends with 4 for a letter that does not arrive, and says where to look', async () => {
    const hive = await makeHive();
    await using _router = await hive.up();
    const first = await send(
      hive,
      'planner',
      '--to',
      'coder',
      '--act',
      'inform',
      '--subject',
      'fyi',
    );
    const args = ['--reply-to', first.id, '--act', 'agree', '--body', 'Thanks!'];
    const ran = await hive.cli('send', '--agent', 'coder', ...args);
    expect(ran.exitCode).toBe(4);
    expect(ran.stdout).toContain('refused (reply-to-terminal)');
    expect(ran.stdout).toContain('hivemail inbox');
  });

  it.each([
    ['-', 'From a pipe.\n', 'From a pipe.'],
    ['-', '- one\n- two', '- one\n- two'],
  ])('send reads a body from standard input (%s)', async (file, stdin, body) => {
    const hive = await makeHive();
    await using _router = await hive.up();
    const args = ['--to', 'god', '--act', 'inform', '--subject', 'pipe', '--body-file', file];
    const ran = await hivemail(
      ['send', '--json', '--agent', 'coder', '--hive', hive.dir, ...args],
      {
        stdin,
      },
    );
    const { id } = JSON.parse(ran.stdout) as Sent;
    const { message } = await hive.json<Entry>('read', id, '--agent', 'god');
    expect(message).toMatchObject({ from: 'coder', body });
  });

  it('send takes a body that looks like an option', async () => {
    const hive = await makeHive();
    await using _router = await hive.up();
    for (const body of ['--json', '-h', '- a list', '-V', '--agent=god']) {
      const { id } = await send(hive, 'coder', '--to', 'god', '--subject', 's', '--body', body);
      expect((await hive.json<Entry>('read', id, '--agent', 'god')).message['body']).toBe(body);
    }
  });

  it('inbox lists letters one a line, and reading and listing change nothing', async () => {
    const hive = await makeHive();
    await using _router = await hive.up();
    const { id } = await send(
      hive,
      'god',
      '--to',
      'planner',
      '--subject',
      'Plan',
      '--body',
      'Please.',
    );
    const inbox = await hive.cli('inbox', '--agent', 'planner');
    expect(inbox.stdout).toMatch(new RegExp(`^${id}  god +request  reply due  Plan$`, 'm'));
    const bodies = await hive.cli('inbox', '--agent', 'planner', '--bodies');
    expect(bodies.stdout).toContain('| Please.');
    const shown = await hive.cli('read', id, '--agent', 'planner');
    expect(shown.stdout).toMatch(/^from: +god$/m);
    expect(shown.stdout).toMatch(/^\| Please\.$/m);
    expect(await hive.cli('inbox', '--agent', 'planner')).toEqual(inbox);
  });

  it('ack handles each letter by itself and ends with 3 when one is missing', async () => {
    const hive = await makeHive();
    await using _router = await hive.up();
    const one = await send(hive, 'god', '--to', 'planner', '--subject', 'one');
    const two = await send(hive, 'god', '--to', 'planner', '--subject', 'two');
    const ran = await hive.cli('ack', one.id, 'nothing', two.id, '--agent', 'planner');
    expect(ran.exitCode).toBe(3);
    expect(ran.stdout).toBe(`${one.id}  handled\n${two.id}  handled\n`);
    expect(ran.stderr).toContain('hivemail: planner has no letter "nothing"');
    const done = await hive.json<Entry[]>('inbox', '--done', '--agent', 'planner');
    expect(done.map(({ id }) => id)).toEqual([one.id, two.id]);
    const again = await hive.json('ack', one.id, '--agent', 'planner');
    expect(again).toEqual([{ id: one.id, handled: true }]);
  });

  it('reply answers the sender in the conversation, with a subject that says Re once', async () => {
    const hive = await makeHive();
    await using _router = await hive.up();
    const asked = await send(
      hive,
      'god',
      '--to',
      'coder',
      '--subject',
      'Split',
      '--conversation',
      'c.1',
    );
    const answered = await hive.json<Sent>(
      ...['reply', asked.id, '--agent', 'coder', '--act', 'query', '--body', 'Which one?'],
    );
    const { message } = await hive.json<Entry>('read', answered.id, '--agent', 'god');
    const thread = { conversation: 'c.1', in_reply_to: asked.id, hops: 1 };
    expect(message).toMatchObject({ from: 'coder', to: 'god', subject: 'Re: Split', ...thread });
    const back = await hive.json<Sent>(
      ...['reply', answered.id, '--agent', 'god', '--act', 'inform', '--body', 'The old one.'],
    );
    expect(back.row.subject).toBe('Re: Split');
  });

  it('reply to a notice is refused before anything is written', async () => {
    const hive = await makeHive();
    await using _router = await hive.up();
    const { id } = await send(
      hive,
      'planner',
      '--to',
      'coder',
      '--act',
      'inform',
      '--subject',
      'fyi',
    );
    await hive.cli('send', '--agent', 'coder', '--reply-to', id, '--act', 'done', '--body', 'ok');
    const inbox = await hive.json<Entry[]>('inbox', '--agent', 'coder');
    const notice = inbox.find(({ message }) => message['from'] === 'system');
    const args = ['--agent', 'coder', '--act', 'inform', '--body', 'ok'];
    const ran = await hive.cli('reply', notice?.id ?? '', ...args);
    expect(ran).toMatchObject({ exitCode: 4, stdout: '' });
    expect(outboxOf(hive, 'coder')).toEqual([]);
  });

  it('the person writes from the desk, and is refused where an agent runs', async () => {
    const hive = await makeHive();
    await using _router = await hive.up();
    const args = [
      'send',
      '--agent',
      'human',
      '--to',
      'coder',
      '--act',
      'query',
      '--subject',
      'Why?',
    ];
    const { row } = await hive.json<Sent>(...args);
    expect(row).toMatchObject({ from: 'human', to: ['coder'], outcome: 'delivered' });
    const env = { HIVEMAIL_AGENT: 'coder', HIVEMAIL_HIVE: hive.dir };
    const ran = await hivemail(args, { env });
    expect(ran).toMatchObject({ exitCode: 4, stdout: '' });
    expect(ran.stderr).toContain('runs as the agent "coder"');
  });
});

describe('with no router', () => {
  it('send is queued at once, ends with 0, and says not to send it again', async () => {
    const hive = await makeHive();
    const args = ['--agent', 'planner', '--to', 'coder', '--act', 'inform', '--subject', 'later'];
    const ran = await hive.cli('send', ...args);
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toMatch(/^queued {2}letter-\w{8}\.json\n.*Do not send it again\.\n$/);
    expect(await hive.json('send', ...args)).toEqual({
      status: 'queued',
      file: expect.any(String),
    });
    expect(outboxOf(hive, 'planner')).toHaveLength(2);
  });

  it('send to a name that the hive does not have writes nothing and ends with 4', async () => {
    const hive = await makeHive();
    const args = ['--agent', 'planner', '--to', 'codr', '--act', 'inform', '--subject', 'x'];
    const ran = await hive.cli('send', ...args);
    expect(ran).toMatchObject({ exitCode: 4, stdout: '' });
    expect(ran.stderr).toContain('Did you mean coder?');
    const told = JSON.parse((await hive.cli('--json', 'send', ...args)).stdout);
    expect(told).toMatchObject({ error: { code: 'refused' } });
    expect(outboxOf(hive, 'planner')).toEqual([]);
  });

  it.each([
    [['--to', 'coder', '--act', 'ask', '--subject', 'x'], '"ask" is no act'],
    [['--act', 'inform', '--subject', 'x'], '--to'],
    [['--to', 'coder', '--subject', 'x'], '--act'],
    [['--to', 'coder', '--act', 'inform'], 'neither a `body` nor a `subject`'],
    [
      ['--to', 'coder', '--act', 'inform', '--body', 'x', '--body-file', 'y'],
      'cannot be used with',
    ],
    [['--to', 'coder', '--act', 'inform', '--subject', 'x', '--wait-ms', 'soon'], 'whole number'],
  ])('send %j is a wrong call', async (args, sentence) => {
    const hive = await makeHive();
    const ran = await hive.cli('send', '--agent', 'planner', ...args);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(sentence);
    expect(outboxOf(hive, 'planner')).toEqual([]);
  });

  it('send names a body file that is missing or no text', async () => {
    const hive = await makeHive();
    const binary = join(hive.dir, 'binary');
    writeFileSync(binary, Buffer.from([0xff, 0xfe, 0x00]));
    const args = ['send', '--agent', 'planner', '--to', 'coder', '--act', 'inform', '--body-file'];
    expect(await hive.cli(...args, '/nowhere.md')).toMatchObject({ exitCode: 3 });
    expect((await hive.cli(...args, binary)).stderr).toContain('is not UTF-8 text');
  });

  it('an empty inbox says so', async () => {
    const hive = await makeHive();
    const ran = await hive.cli('inbox', '--agent', 'coder');
    expect(ran).toEqual({ exitCode: 0, stdout: 'No letters for coder.\n', stderr: '' });
    expect(await hive.json('inbox', '--agent', 'coder')).toEqual([]);
  });

  it('a file that holds no message is listed, and shown raw', async () => {
    const hive = await makeHive();
    writeFileSync(join(hive.dir, 'agents/coder/inbox/odd.json'), '{"half\u001b[31m');
    expect((await hive.cli('inbox', '--agent', 'coder')).stdout).toContain(
      'odd  (holds no message',
    );
    expect(await hive.cli('read', 'odd', '--agent', 'coder')).toMatchObject({ exitCode: 3 });
    const raw = await hive.cli('read', 'odd', '--raw', '--agent', 'coder');
    expect(raw.stdout).toBe('{"half\\u001b[31m\n');
  });

  it('an empty id means no letter, also where there is only one', async () => {
    const hive = await makeHive();
    writeFileSync(join(hive.dir, 'agents/coder/inbox/only.json'), '{}');
    for (const args of [
      ['ack', ''],
      ['ack', 'only', ''],
      ['read', ' ', '--raw'],
    ]) {
      const ran = await hive.cli(...args, '--agent', 'coder');
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    }
    expect(await hive.json('inbox', '--agent', 'coder')).toMatchObject([{ id: 'only' }]);
  });

  it('an unknown agent, letter or hive ends with 3', async () => {
    const hive = await makeHive();
    expect(await hive.cli('inbox', '--agent', 'nobody')).toMatchObject({ exitCode: 3 });
    expect(await hive.cli('read', 'nothing', '--agent', 'coder')).toMatchObject({ exitCode: 3 });
    const ran = await hivemail(['--hive', '/nowhere', 'inbox', '--json']);
    expect(ran).toMatchObject({ exitCode: 3 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ error: { code: 'hive-not-found' } });
    expect(existsSync('/nowhere')).toBe(false);
  });

  it('the agent comes from the environment, or from the directory we stand in', async () => {
    const { dir } = await makeHive();
    const env = { HIVEMAIL_HIVE: dir, HIVEMAIL_AGENT: 'coder' };
    expect((await hivemail(['inbox'], { env })).stdout).toBe('No letters for coder.\n');
    const cwd = join(dir, 'agents/planner/outbox');
    expect((await hivemail(['inbox'], { cwd })).stdout).toBe('No letters for planner.\n');
    const ran = await hivemail(['inbox'], { cwd: dir });
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('Which agent?');
  });
});
