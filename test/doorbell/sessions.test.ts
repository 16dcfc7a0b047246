/** Which session reads an agent's mail, and what it has forgotten. */
import { beforeEach, describe, expect, it } from 'vitest';
import { readState } from '../../src/doorbell/state-file.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { makeMailbox, opencodeHook, type TestMailbox } from './mailbox.ts';

let mailbox: TestMailbox;

beforeEach(() => {
  mailbox = makeMailbox(tempDir());
});

const hook = (session: string, event: string, fields: object = {}) =>
  opencodeHook(mailbox, event, { session_id: session, ...fields });
const stateNow = () => readState(mailbox.paths.state).state;

describe('two sessions in one process', () => {
  it('do not take the mail from each other at every tool call', () => {
    hook('one', 'chat.message');
    mailbox.deliver('l1');
    expect(hook('one', 'tool.execute.after').rang).toBe(true);
    for (let turns = 0; turns < 3; turns += 1) {
      expect(hook('two', 'tool.execute.after').why).toContain('another live session');
      expect(hook('two', 'session.idle').rang).toBe(false);
      expect(hook('one', 'tool.execute.after').rang).toBe(false);
    }
  });

  it('leave it to the one that the person turns to', () => {
    hook('one', 'chat.message');
    mailbox.deliver('l1');
    hook('one', 'tool.execute.after');
    expect(hook('two', 'chat.message').rang).toBe(true);
    expect(stateNow().holder?.session).toBe('two');
  });

  it('do not end each other', () => {
    hook('one', 'chat.message');
    hook('two', 'session.deleted');
    expect(stateNow().holder?.session).toBe('one');
  });
});

describe('a session that is resumed or compacted', () => {
  it('is offered again what it may have forgotten, and stays in the midst of its work', () => {
    mailbox.deliver('l1');
    expect(hook('one', 'chat.message').rang).toBe(true);
    expect(hook('one', 'session.compacted').rang).toBe(false);
    expect(stateNow().activity).toBe('busy');
    expect(hook('one', 'tool.execute.after').answer.stdout).toContain('About l1');
    hook('one', 'session.created');
    expect(stateNow().activity).toBe('idle');
    expect(hook('one', 'chat.message').rang).toBe(true);
  });

  it('is known by its new place', () => {
    hook('one', 'chat.message', { cwd: '/before' });
    hook('one', 'session.created', { cwd: '/after' });
    expect(stateNow().holder?.place).toMatchObject({ cwd: '/after' });
  });
});

describe('a dialog', () => {
  it('is over when the client says so, not when another tool ends', () => {
    hook('one', 'chat.message');
    hook('one', 'permission.asked', { tool_name: 'bash' });
    mailbox.deliver('l1');
    expect(hook('one', 'tool.execute.after', { tool_name: 'bash' }).rang).toBe(false);
    expect(stateNow().dialog?.what).toBe('to allow bash');
    hook('one', 'permission.replied');
    expect(hook('one', 'tool.execute.after', { tool_name: 'bash' }).rang).toBe(true);
  });

  it('may be a question to the person', () => {
    hook('one', 'chat.message');
    hook('one', 'question.asked');
    expect(stateNow().dialog?.what).toBe('to answer a question');
    hook('one', 'question.rejected');
    expect(stateNow().dialog).toBeUndefined();
  });
});
