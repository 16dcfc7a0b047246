import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { layoutOf } from '../../src/hive/layout.ts';
import { acknowledge, findInInbox, listInbox, putLetter } from '../../src/hive/mailbox.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const fs = createNodeFs();
const coder = 'coder' as AgentId;

function mailbox() {
  const layout = layoutOf(tempDir());
  const paths = layout.agent(coder);
  for (const dir of [paths.done, paths.sent]) mkdirSync(dir, { recursive: true });
  return { layout, paths };
}

function put(dir: string, id: string): void {
  const message = {
    ...{ id, conversation: id, in_reply_to: null, from: 'planner', to: 'coder', act: 'inform' },
    ...{
      subject: id,
      body: '',
      hops: 0,
      requires_reply: false,
      needs_human: false,
      created_at: '',
    },
  };
  writeFileSync(join(dir, `${id}.json`), JSON.stringify(message));
}

describe('a mailbox', () => {
  it('lists letters oldest first, and one that is no message by its name', () => {
    const { layout, paths } = mailbox();
    put(paths.inbox, 'b');
    put(paths.inbox, 'a');
    writeFileSync(join(paths.inbox, 'c.json'), 'not a message');
    writeFileSync(join(paths.inbox, '.tmp-1.json'), '{}');
    const entries = listInbox(fs, layout, coder);
    expect(entries.map(({ id, message }) => [id, message?.subject])).toEqual([
      ['a', 'a'],
      ['b', 'b'],
      ['c', undefined],
    ]);
  });

  it('changes nothing when it is looked at', () => {
    const { layout, paths } = mailbox();
    put(paths.inbox, 'a');
    listInbox(fs, layout, coder);
    findInInbox(fs, layout, coder, 'a');
    expect(readdirSync(paths.inbox).sort()).toEqual(['.done', 'a.json']);
  });

  it('finds a letter by the beginning of its id, handled ones too', () => {
    const { layout, paths } = mailbox();
    put(paths.inbox, 'abc1');
    put(paths.done, 'xyz1');
    expect(findInInbox(fs, layout, coder, 'abc').id).toBe('abc1');
    expect(findInInbox(fs, layout, coder, 'xyz1')).toMatchObject({ handled: true });
  });

  it('asks for more of an id that fits several, and prefers the exact one', () => {
    const { layout, paths } = mailbox();
    for (const id of ['ab', 'ab1', 'ab2']) put(paths.inbox, id);
    expect(findInInbox(fs, layout, coder, 'ab').id).toBe('ab');
    rmSync(join(paths.inbox, 'ab.json'));
    expect(() => findInInbox(fs, layout, coder, 'ab')).toThrow(/fits 2 letters/);
    expect(() => findInInbox(fs, layout, coder, 'no')).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    );
  });

  it('moves an acknowledged letter to .done, once, even where .done is missing', () => {
    const { layout, paths } = mailbox();
    put(paths.inbox, 'a');
    rmSync(paths.done, { recursive: true });
    acknowledge(fs, layout, coder, 'a');
    acknowledge(fs, layout, coder, 'a');
    expect(existsSync(join(paths.done, 'a.json'))).toBe(true);
    expect(listInbox(fs, layout, coder)).toEqual([]);
    expect(listInbox(fs, layout, coder, true)).toHaveLength(1);
  });

  it('puts a letter into the outbox whole, and nothing else', async () => {
    const { layout, paths } = mailbox();
    const name = await putLetter(fs, layout, coder, { to: 'planner', act: 'done', body: 'x' });
    expect(readdirSync(paths.outbox).sort()).toEqual(['.sent', name]);
    expect(JSON.parse(readFileSync(join(paths.outbox, name), 'utf8'))).toMatchObject({ body: 'x' });
  });
});

describe('a mailbox in trouble', () => {
  it('has no letter of an empty id, as from a variable that is not set', () => {
    const { layout, paths } = mailbox();
    put(paths.inbox, 'a');
    expect(() => acknowledge(fs, layout, coder, '')).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    );
    expect(existsSync(join(paths.inbox, 'a.json'))).toBe(true);
  });

  it('says what stands in the way when its inbox is a file', () => {
    const { layout, paths } = mailbox();
    rmSync(paths.inbox, { recursive: true });
    writeFileSync(paths.inbox, '');
    expect(() => listInbox(fs, layout, coder)).toThrow(
      expect.objectContaining({ code: 'io', message: expect.stringContaining('ENOTDIR') }),
    );
  });

  it('keeps a letter unhandled when .done is a file', () => {
    const { layout, paths } = mailbox();
    put(paths.inbox, 'a');
    rmSync(paths.done, { recursive: true });
    writeFileSync(paths.done, '');
    expect(() => acknowledge(fs, layout, coder, 'a')).toThrow(
      expect.objectContaining({ code: 'io' }),
    );
    expect(existsSync(join(paths.inbox, 'a.json'))).toBe(true);
  });
});
