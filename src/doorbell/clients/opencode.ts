import type { Moment } from '../moment.ts';
import { type Client, printing, textIn } from './client.ts';

const MOMENT_OF: Readonly<Record<string, Moment>> = {
  'session.created': 'start',
  'session.compacted': 'start',
  'chat.message': 'prompt',
  'tool.execute.after': 'tool',
  'session.idle': 'turn-end',
  'permission.asked': 'dialog',
  'permission.replied': 'dialog-over',
  'session.deleted': 'end',
};

/**
 * opencode: our plugin calls the hook with its bus events and does what the answer says; `append` goes
 * behind a tool's output or a prompt, `prompt` starts a turn.
 */
export const opencode: Client = {
  readSignal: (event, payload) => {
    const session = textIn(payload, 'session_id');
    const moment = MOMENT_OF[event];
    if (session === undefined || moment === undefined) return undefined;
    const tool = textIn(payload, 'tool_name');
    return {
      moment,
      session,
      subagent: textIn(payload, 'parent_id') !== undefined,
      ...(tool === undefined ? {} : { tool }),
      ...(moment === 'dialog' ? { need: `to allow ${tool ?? 'a tool'}` } : {}),
    };
  },
  ring: (_event, moment, digest) =>
    printing(moment === 'turn-end' || moment === 'idle' ? { prompt: digest } : { append: digest }),
  quiet: printing({}),
  place: ['HOME'],
};
