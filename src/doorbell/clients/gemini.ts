import type { Moment } from '../moment.ts';
import { type Client, printing, textIn } from './client.ts';

const MOMENT_OF: Readonly<Record<string, Moment>> = {
  SessionStart: 'start',
  BeforeAgent: 'prompt',
  AfterTool: 'tool',
  AfterAgent: 'turn-end',
  Notification: 'dialog',
  SessionEnd: 'end',
};

/** Gemini CLI: context at start, prompt and tool, a denied AfterAgent at the end of a turn. */
export const gemini: Client = {
  readSignal: (event, payload) => {
    const session = textIn(payload, 'session_id');
    const moment = MOMENT_OF[event];
    if (session === undefined || moment === undefined) return undefined;
    if (moment === 'dialog' && textIn(payload, 'notification_type') !== 'ToolPermission')
      return undefined;
    const tool = textIn(payload, 'tool_name');
    return {
      moment,
      session,
      subagent: textIn(payload, 'agent_id') !== undefined,
      ...(tool === undefined ? {} : { tool }),
      ...(moment === 'dialog' ? { need: textIn(payload, 'message') ?? 'to allow a tool' } : {}),
    };
  },
  ring: (event, moment, digest) => {
    if (moment === 'turn-end') return printing({ decision: 'deny', reason: digest });
    return printing({ hookSpecificOutput: { hookEventName: event, additionalContext: digest } });
  },
  // Its hooks print JSON or nothing it can read.
  quiet: printing({}),
  place: ['HOME'],
};
