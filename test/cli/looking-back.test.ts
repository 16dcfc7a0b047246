import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { showDuration } from '../../src/cli/duration.ts';
import { openProgress } from '../../src/cli/progress.ts';
import { showThread } from '../../src/cli/thread-lines.ts';
import type { OpenConversation, RecordedMessage, ThreadEntry, Trace } from '../../src/index.ts';
import type { MessageId } from '../../src/protocol/ids.ts';
import { hivemail, makeHive, type TestHive } from './command-line.ts';

/** A hive in which coder has asked back about a request of planner's. */
async function talked(body = 'By concern.') {
  const hive = await makeHive();
  const send = async (agent: string, ...args: string[]) =>
    await hive.json<{ id: string }>('send', '--agent', agent, ...args);
  await using _router = await hive.up();
  const words = ['--subject', 'Split', '--body', body];
  const asked = await send('planner', '--to', 'coder', '--act', 'request', ...words);
  const reply = ['--reply-to', asked.id, '--act', 'query', '--body', 'Which?'];
  const answer = await send('coder', ...reply);
  return { hive, asked, answer };
}

async function lines(hive: TestHive, ...args: string[]): Promise<string[]> {
  const { exitCode, stdout, stderr } = await hive.cli(...args);
  if (exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${exitCode}: ${stderr}`);
  return stdout.split('\n');
}

describe('trace', () => {
  it("tells a message's life, and the conversation as a tree", async () => {
    const { hive, asked, answer } = await talked();
    const told = (await lines(hive, 'trace', asked.id.slice(0, 15))).join('\n');
    expect(told).toMatch(new RegExp(`^${asked.id}  planner → coder  request  "Split"\n`));
    expect(told).toMatch(/ \+\d+ms {2}accepted /);
    expect(told).toContain('delivered  in the inbox of coder');
    expect(told).toContain(`coder answered: query  ${answer.id}`);
    expect(told).toContain('now: in the inbox of coder');
    expect(told).toMatch(new RegExp(`\n▸ [^\n]+planner → coder[^\n]+${asked.id}\n`));
    expect(told).toMatch(new RegExp(`\n  [\\d: -]+    coder → planner  query[^\n]+${answer.id}`));
    const json = await hive.json<Trace>('trace', asked.id);
    expect(json).toMatchObject({ id: asked.id, entry: { act: 'request' }, gaps: [] });
  });
  it('ends with 3 for what is unknown, and with 2 for what is no id', async () => {
    const { hive } = await talked();
    expect(await hive.cli('trace', '1m8pyqzvp000-jgvvao4d')).toMatchObject({ exitCode: 3 });
    for (const id of ['not an id', '1']) {
      const ran = await hive.cli('trace', id);
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ran.stderr).toMatch(/no id|Give more of the id/);
    }
  });
});

describe('conversation and conversations', () => {
  it('show a transcript, and who owes whom', async () => {
    const { hive, asked } = await talked('My key is sk-ant-api03-abcdefghijklmnopqrstuvwxyz012345');
    const told = (await lines(hive, 'conversation', asked.id)).join('\n');
    expect(told.indexOf('| Which?')).toBeGreaterThan(told.indexOf('| My key is'));
    expect(told).not.toContain('abcdefghijklmnop');
    const open = await lines(hive, 'conversations');
    expect(open[1]).toMatch(new RegExp(`^${asked.id} +\\d+s +coder +planner +request +unhandled`));
    expect(open[2]).toMatch(/ planner +coder +query /);
    const json = await hive.json<OpenConversation[]>('conversations', '--agent', 'planner');
    expect(json).toMatchObject([{ conversation: asked.id, owed: [{}, {}] }]);
    expect(await lines(hive, 'conversations', '--agent', 'god')).toEqual([
      'Nobody owes an answer.',
      '',
    ]);
    expect(await hive.cli('conversation', 'none')).toMatchObject({ exitCode: 3 });
  });
});

describe('replay', () => {
  it('shows the history as a timeline, with bodies when asked', async () => {
    const { hive, asked, answer } = await talked();
    const told = await lines(hive, 'replay');
    expect(told[0]).toMatch(/^[\d-]{10} [\d:]{8} {2}planner → coder {2}request {2}"Split"/);
    expect(told[1]).toContain(answer.id);
    expect((await lines(hive, 'replay', '--bodies')).join('\n')).toContain('| By concern.');
    const { stdout } = await hive.cli('replay', '--json', '--conversation', asked.id);
    const json = stdout
      .trim()
      .split('\n')
      .map((line): RecordedMessage => JSON.parse(line));
    expect(json.map(({ id }) => id)).toEqual([asked.id, answer.id]);
    const none = await hive.cli('replay', '--until', '1h');
    expect(none).toMatchObject({ exitCode: 0, stdout: '', stderr: 'Nothing was said then.\n' });
  });
  it('rebuilds the hive as it stood, to be read and no more', async () => {
    const { hive, asked } = await talked();
    const into = join(hive.dir, '..', 'past');
    const told = await hive.cli('replay', '--into', into);
    expect(told.stdout).toContain('2 letters unhandled, 0 handled, 0 held.');
    expect(told.stderr).toBe('');
    const inbox = await hivemail(['inbox', '--hive', into, '--agent', 'coder']);
    expect(inbox.stdout).toContain(asked.id);
    const log = await hivemail(['log', '--hive', into]);
    expect(log.stdout).toContain(asked.id);
    for (const args of [
      ['ack', asked.id, '--agent', 'coder'],
      ['up', '--once'],
      ['init', into],
    ]) {
      const ran = await hivemail([...args, '--hive', into]);
      expect(ran).toMatchObject({ exitCode: 4, stdout: '' });
      expect(ran.stderr).toContain(`Use the hive itself: ${hive.dir}`);
    }
    expect(await hive.cli('replay', '--into', into)).toMatchObject({ exitCode: 4 });
    const both = await hive.cli('replay', '--into', `${into}2`, '--since', '1h');
    expect(both).toMatchObject({ exitCode: 2, stdout: '' });
  });
  it('shows no escape sequence of a letter, wherever it stands', async () => {
    const { hive, asked } = await talked('\u001b[31mred\u202e');
    const name = '\u001b]0;title\u0007.json';
    writeFileSync(
      join(hive.dir, 'agents/planner/outbox', name),
      '{"to":"\\u001b[2J","act":"query","body":"\\u001b[2J"}',
    );
    await hive.cli('up', '--once');
    const rows = await hive.cli('log', '--json', '--kind', 'letter');
    const { id } = JSON.parse(rows.stdout.trim().split('\n').at(-1) ?? '');
    for (const args of [
      ['trace', asked.id],
      ['trace', id],
      ['conversation', asked.id],
      ['conversation', id],
      ['replay', '--bodies'],
      ['replay'],
    ]) {
      const { exitCode, stdout, stderr } = await hive.cli(...args);
      expect(exitCode).toBe(0);
      expect(`${stdout}${stderr}`).not.toMatch(/[\u001b\u0007\u202e]/);
    }
    expect(existsSync(join(hive.dir, 'agents/planner/outbox', name))).toBe(false);
  });
});

describe('how it is shown', () => {
  it('a duration has its two greatest units', () => {
    const shown = [0, 999, 1000, 59_999, 60_000, 3_599_999, 3_600_000, 90_000_000].map(
      showDuration,
    );
    expect(shown).toEqual(['0ms', '999ms', '1.0s', '59.9s', '1m 0s', '59m 59s', '1h 0m', '1d 1h']);
  });
  it('of a long conversation those around the marked one', () => {
    const thread = Array.from(
      { length: 50 },
      (_, place): ThreadEntry => ({
        id: `${String(place).padStart(3, '0')}` as MessageId,
        ...{ conversation: 'c', at: '2026-11-30T17:19:11.123Z', from: 'a', to: ['b'] },
        ...{ act: 'inform', subject: '', outcome: 'delivered', code: 'delivered', hops: 0 },
        in_reply_to: place === 0 ? null : String(place - 1).padStart(3, '0'),
      }),
    );
    const shown = showThread(thread, { marked: '025', most: 10 });
    expect(shown).toHaveLength(12);
    expect(shown[0]).toBe('  … 20 before');
    expect(shown.at(-1)).toBe('  … 20 more');
    expect(shown.filter((line) => line.startsWith('▸'))).toHaveLength(1);
    expect(showThread(thread, { marked: '000', most: 99 })).toHaveLength(50);
  });
  it('a bar shows after a second on a terminal, and is gone at the end', () => {
    const shown: string[] = [];
    const stderr = { isTTY: true, write: (text: string) => shown.push(text) > 0 } as never;
    let now = 5000;
    const bar = openProgress({ stderr, env: {} }, 'reading', () => now);
    bar.show(0.1);
    expect(shown).toEqual([]);
    now += 1500;
    bar.show(0.5);
    expect(shown.join('')).toContain('reading [############............] 50 %');
    bar.clear();
    bar.clear();
    expect(shown.filter((text) => text === '\r\u001b[K')).toHaveLength(1);
    const plain = openProgress({ stderr, env: { TERM: 'dumb' } }, 'x', () => now);
    now += 5000;
    plain.show(0.5);
    expect(shown).toHaveLength(2);
  });
});
