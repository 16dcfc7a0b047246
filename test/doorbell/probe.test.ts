import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { answerHook } from '../../src/doorbell/answer-hook.ts';
import type { Probe } from '../../src/doorbell/probe.ts';
import { wakeLine } from '../../src/doorbell/wake-line.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { callFor, makeMailbox, opencodeHook, type TestMailbox } from './mailbox.ts';

const NOW = Date.parse('2026-11-30T17:19:11.123Z');
const MINUTE_MS = 60_000;

let mailbox: TestMailbox;

beforeEach(() => {
  mailbox = makeMailbox(tempDir());
  mailbox.settle({ mode: 'continue' });
  hear('session.created');
});

/** Ids of the letters that one event tells of. */
function hear(event: string, { now = NOW, idle = false } = {}): string[] {
  const call = { ...callFor(mailbox, 'opencode'), event, now, idle };
  const { answer } = answerHook({ ...call, payload: { session_id: 'ses_1' } });
  const digest = Object.values(JSON.parse(answer.stdout) as Record<string, string>).join();
  return [...digest.matchAll(/^l\d(?= )/gm)].map(([id]) => id);
}

function put(probe: Partial<Probe> | string): void {
  const moments = { 'a-tool': 'tool', 'a-turn-end': 'turn-end', 'a-idle': 'idle' };
  const whole = { until: NOW + MINUTE_MS, after: '', moments, ...(probe as object) };
  writeFileSync(mailbox.paths.probe, typeof probe === 'string' ? probe : JSON.stringify(whole));
}

function deliverAll(): void {
  mailbox.deliver('l1', { conversation: 'a-tool' });
  mailbox.deliver('l2', { conversation: 'a-turn-end' });
  mailbox.deliver('l3', { conversation: 'a-idle' });
}

describe('a probe', () => {
  it('has each of its letters told at its moment and at no other', () => {
    put({});
    deliverAll();
    expect(hear('chat.message')).toEqual([]);
    expect(hear('tool.execute.after')).toEqual(['l1']);
    expect(hear('session.idle')).toEqual(['l2']);
    expect(hear('session.idle')).toEqual([]);
    expect(hear('session.idle', { idle: true })).toEqual(['l3']);
  });

  it('has a letter told once, whatever happens after', () => {
    put({});
    deliverAll();
    expect(hear('tool.execute.after')).toEqual(['l1']);
    mailbox.deliver('l4');
    expect(hear('chat.message')).toEqual(['l4']);
    expect(hear('tool.execute.after')).toEqual([]);
  });

  it('takes the prompt of a wake from outside for the wake of an idle session', () => {
    const call = { ...callFor(mailbox, 'gemini'), now: NOW };
    const read = (event: string, prompt = ''): string =>
      answerHook({ ...call, event, payload: { session_id: 's', prompt } }).answer.stdout;
    changeToGemini(read);
    put({});
    deliverAll();
    expect(read('BeforeAgent', wakeLine(mailbox.agent, 'hivemail'))).toContain('About l3');
    expect(read('BeforeAgent', 'Go on.')).not.toContain('About');
  });

  it('holds up no other letter, and none that was there before', () => {
    put({ after: 'l1' });
    mailbox.deliver('l1', { conversation: 'a-idle' });
    mailbox.deliver('l4', { conversation: 'other' });
    mailbox.deliver('l5', { conversation: 'a-idle' });
    expect(hear('chat.message')).toEqual(['l1', 'l4']);
  });

  it('says nothing after its deadline, and its file goes', () => {
    put({ until: NOW });
    deliverAll();
    expect(hear('chat.message')).toEqual(['l1', 'l2', 'l3']);
    expect(existsSync(mailbox.paths.probe)).toBe(false);
  });

  it('says nothing when its deadline is further away than any is, as after a step of the clock', () => {
    put({ until: NOW + 1000 * MINUTE_MS });
    deliverAll();
    expect(hear('chat.message')).toEqual(['l1', 'l2', 'l3']);
  });

  it.each([
    ['no JSON', '{'],
    ['nothing of a probe', '[]'],
    ['no moments', JSON.stringify({ until: NOW + MINUTE_MS, after: '', moments: 3 })],
    [
      'moments that are none',
      JSON.stringify({ until: NOW + 1, after: '', moments: { 'a-tool': 'end' } }),
    ],
  ])('holds up nothing when its file holds %s', (_, text) => {
    put(text);
    deliverAll();
    expect(hear('chat.message')).toEqual(['l1', 'l2', 'l3']);
  });

  it('holds up nothing when its file is a pipe', () => {
    execFileSync('mkfifo', [mailbox.paths.probe]);
    deliverAll();
    expect(hear('chat.message')).toEqual(['l1', 'l2', 'l3']);
  });

  it('notes at which event of the client a letter was told', () => {
    mailbox.deliver('l1');
    expect(opencodeHook(mailbox, 'tool.execute.after', { now: NOW }).rang).toBe(true);
    const [name = ''] = readdirSync(mailbox.paths.events);
    expect(JSON.parse(readFileSync(join(mailbox.paths.events, name), 'utf8'))).toMatchObject({
      moment: 'tool',
      event: 'tool.execute.after',
    });
  });
});

/** The session of opencode ends, and one of Gemini CLI that has ended a turn takes its place. */
function changeToGemini(read: (event: string, prompt?: string) => string): void {
  hear('session.deleted');
  for (const event of ['SessionStart', 'BeforeAgent', 'AfterAgent']) read(event);
}
