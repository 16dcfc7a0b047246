import { describe, expect, it } from 'vitest';
import { codex } from '../../../src/doorbell/clients/codex.ts';
import { wakeLine } from '../../../src/doorbell/wake-line.ts';
import type { AgentId } from '../../../src/protocol/addresses.ts';

const SESSION = '01a22e8c-f02a-73d0-99fe-41ab5287c32a';

/** A payload of Codex 0.171 as seen, but for paths. */
function payload(fields: object = {}) {
  return {
    session_id: SESSION,
    cwd: '/project',
    model: 'm',
    permission_mode: 'default',
    ...fields,
  };
}

describe('signals of Codex', () => {
  it.each([
    ['SessionStart', { source: 'startup' }, { moment: 'start', goesOn: false }],
    ['SessionStart', { source: 'resume' }, { moment: 'start', goesOn: false }],
    ['SessionStart', { source: 'compact' }, { moment: 'start', goesOn: true }],
    ['UserPromptSubmit', { prompt: 'Go on.' }, { moment: 'prompt', wake: false }],
    ['PostToolUse', { tool_name: 'Bash' }, { moment: 'tool', tool: 'Bash' }],
    ['Stop', { stop_hook_active: false }, { moment: 'turn-end' }],
    ['Interrupt', {}, { moment: 'turn-end', deaf: true }],
    ['PermissionRequest', { tool_name: 'Bash' }, { moment: 'dialog', need: 'to allow Bash' }],
    ['SessionEnd', { reason: 'other' }, { moment: 'end' }],
  ])('reads %s %o', (event, fields, signal) => {
    expect(codex.readSignal(event, payload(fields))).toMatchObject({
      session: SESSION,
      subagent: false,
      ...signal,
    });
  });

  it('knows the line of a wake, but not a prompt that only mentions it', () => {
    const line = wakeLine('coder' as AgentId, 'hivemail --agent coder');
    const wake = (prompt: string) =>
      codex.readSignal('UserPromptSubmit', payload({ prompt }))?.wake;
    expect(wake(line)).toBe(true);
    expect(wake(`${line}\n`)).toBe(true);
    expect(wake(`What does "${line}" mean?`)).toBe(false);
    expect(wake(`${line}\nAnd then run the tests.`)).toBe(false);
  });

  it('marks what a subagent does', () => {
    const fields = { tool_name: 'Bash', agent_id: '01a22e93', agent_type: 'default' };
    expect(codex.readSignal('PostToolUse', payload(fields))).toMatchObject({ subagent: true });
  });

  it.each(['PreToolUse', 'PreCompact', 'SubagentStart', 'SubagentStop', 'constructor'])(
    'passes over %s',
    (event) => {
      expect(codex.readSignal(event, payload())).toBeUndefined();
    },
  );

  it('passes over a payload that names no session', () => {
    expect(codex.readSignal('Stop', {})).toBeUndefined();
  });
});

describe('answers to Codex', () => {
  it('gives context where it is only read, and nothing else at the end of a turn but the block', () => {
    expect(JSON.parse(codex.ring('PostToolUse', 'tool', 'mail').stdout)).toEqual({
      hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'mail' },
    });
    expect(JSON.parse(codex.ring('Stop', 'turn-end', 'mail').stdout)).toEqual({
      decision: 'block',
      reason: 'mail',
    });
    expect(codex.quiet).toEqual({ stdout: '', stderr: '', exitCode: 0 });
  });
});
