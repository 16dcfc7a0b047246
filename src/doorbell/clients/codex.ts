import type { Moment } from '../moment.ts';
import { type Client, printing, textIn } from './client.ts';

const MOMENT_OF: Readonly<Record<string, Moment>> = {
  SessionStart: 'start',
  UserPromptSubmit: 'prompt',
  PostToolUse: 'tool',
  Stop: 'turn-end',
  PermissionRequest: 'dialog',
  SessionEnd: 'end',
};

/** Codex: context at start, prompt and tool as a developer message, a blocked Stop at the end of a turn. */
export const codex: Client = {
  readSignal: (event, payload) => {
    const session = textIn(payload, 'session_id');
    const moment = MOMENT_OF[event];
    if (session === undefined || moment === undefined) return undefined;
    const tool = textIn(payload, 'tool_name');
    return {
      moment,
      session,
      subagent: textIn(payload, 'agent_id') !== undefined,
      ...(tool === undefined ? {} : { tool }),
      ...(moment === 'dialog' ? { need: `to allow ${tool ?? 'a command'}` } : {}),
    };
  },
  ring: (event, moment, digest) => {
    // Any other key voids the answer to Stop.
    if (moment === 'turn-end') return printing({ decision: 'block', reason: digest });
    return printing({ hookSpecificOutput: { hookEventName: event, additionalContext: digest } });
  },
  quiet: printing(),
  place: ['CODEX_HOME', 'HOME'],
};
