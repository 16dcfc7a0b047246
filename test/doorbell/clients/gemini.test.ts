import { describe, expect, it } from 'vitest';
import { gemini } from '../../../src/doorbell/clients/gemini.ts';
import { wakeLine } from '../../../src/doorbell/wake-line.ts';
import type { AgentId } from '../../../src/protocol/addresses.ts';

const SESSION = '60a92df1-1cba-495b-9ad4-ecec9f8f5610';

/** A payload of Gemini CLI 0.61 as seen, but for paths. */
function payload(fields: object = {}) {
  return { session_id: SESSION, cwd: '/project', timestamp: '2026-11-30T22:33:12.878Z', ...fields };
}

describe('signals of Gemini CLI', () => {
  it.each([
    ['SessionStart', { source: 'startup' }, { moment: 'start' }],
    ['BeforeAgent', { prompt: 'Go on.' }, { moment: 'prompt', wake: false }],
    ['BeforeAgent', { prompt: wakeLine('coder' as AgentId, 'hivemail') }, { wake: true }],
    ['AfterTool', { tool_name: 'run_shell_command' }, { moment: 'tool', helper: undefined }],
    ['BeforeTool', { tool_name: 'invoke_agent' }, { moment: 'tool', helper: 'begins', deaf: true }],
    ['AfterTool', { tool_name: 'invoke_agent' }, { moment: 'tool', helper: 'ends' }],
    ['AfterAgent', { stop_hook_active: false }, { moment: 'turn-end' }],
    [
      'Notification',
      { notification_type: 'ToolPermission', message: 'Tool Shell requires execution' },
      { moment: 'dialog', need: 'Tool Shell requires execution' },
    ],
    ['SessionEnd', { reason: 'exit' }, { moment: 'end' }],
  ])('reads %s %o', (event, fields, signal) => {
    expect(gemini.readSignal(event, payload(fields))).toMatchObject({
      session: SESSION,
      ...signal,
    });
  });

  it.each([
    ['BeforeTool', { tool_name: 'run_shell_command' }],
    ['Notification', { notification_type: 'Other' }],
    ['PreCompress', { trigger: 'auto' }],
    ['BeforeModel', {}],
  ])('passes over %s %o', (event, fields) => {
    expect(gemini.readSignal(event, payload(fields))).toBeUndefined();
  });
});

describe('answers to Gemini CLI', () => {
  it('are JSON even when there is nothing to say', () => {
    expect(JSON.parse(gemini.quiet.stdout)).toEqual({});
  });

  it('deny the end of a turn, and a wake that is about nothing', () => {
    expect(JSON.parse(gemini.ring('AfterAgent', 'turn-end', 'mail').stdout)).toEqual({
      decision: 'deny',
      reason: 'mail',
    });
    expect(JSON.parse(gemini.decline?.stdout ?? '')).toMatchObject({ decision: 'deny' });
  });
});
