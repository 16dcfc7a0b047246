import type { Moment, Signal } from '../moment.ts';
import { type Client, type Payload, printing, textIn } from './client.ts';

const MOMENT_OF: Readonly<Record<string, Moment>> = {
  'session.created': 'start',
  'session.compacted': 'start',
  'chat.message': 'prompt',
  'tool.execute.after': 'tool',
  'session.idle': 'turn-end',
  'permission.asked': 'dialog',
  'permission.replied': 'dialog-over',
  'question.asked': 'dialog',
  'question.replied': 'dialog-over',
  'question.rejected': 'dialog-over',
  'session.deleted': 'end',
};

/**
 * opencode: our plugin calls the hook with its events and does what the answer says; `append` goes
 * behind a tool's output or a prompt, `prompt` starts a turn.
 */
export const opencode: Client = {
  readSignal: (event, payload) => {
    const session = textIn(payload, 'session_id');
    const moment = MOMENT_OF[event];
    if (session === undefined || moment === undefined) return undefined;
    const signal: Signal = {
      moment,
      session,
      subagent: textIn(payload, 'parent_id') !== undefined,
    };
    return { ...signal, ...particulars(event, moment, payload) };
  },
  ring: (_event, moment, digest) =>
    printing(moment === 'turn-end' || moment === 'idle' ? { prompt: digest } : { append: digest }),
  quiet: printing({}),
  place: ['HOME'],
};

function particulars(event: string, moment: Moment, payload: Payload): Partial<Signal> {
  const tool = textIn(payload, 'tool_name');
  // These are bus events: there is nothing to append to. A session is compacted in the midst of a turn.
  if (moment === 'start') return { deaf: true, goesOn: event === 'session.compacted' };
  if (moment === 'dialog') {
    const need =
      event === 'question.asked' ? 'to answer a question' : `to allow ${tool ?? 'a tool'}`;
    // opencode says when it is over; no tool that ends meanwhile does, so it has the name of none.
    return { need, tool: event };
  }
  if (moment === 'turn-end') return { deaf: payload['failed'] === true };
  return tool === undefined ? {} : { tool };
}
