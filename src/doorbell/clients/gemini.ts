import { isWakeLine, NOTHING_LEFT } from '../wake-line.ts';
import { type Client, printing, type Readers, readSignalBy, textIn } from './client.ts';

/** The tool by which a session has a subagent work. A subagent's own tools carry the session's id. */
const HELPER_TOOL = 'invoke_agent';

const READERS: Readers = {
  SessionStart: () => ({ moment: 'start' }),
  BeforeAgent: ({ prompt }) => ({ moment: 'prompt', wake: isWakeLine(prompt) }),
  BeforeTool: ({ tool_name: tool }) =>
    tool === HELPER_TOOL ? { moment: 'tool', helper: 'begins', deaf: true } : undefined,
  AfterTool: (payload) => {
    const tool = textIn(payload, 'tool_name');
    return { moment: 'tool', tool, helper: tool === HELPER_TOOL ? 'ends' : undefined };
  },
  AfterAgent: () => ({ moment: 'turn-end' }),
  Notification: (payload) =>
    payload['notification_type'] === 'ToolPermission'
      ? { moment: 'dialog', need: textIn(payload, 'message') ?? 'to allow a tool' }
      : undefined,
  SessionEnd: () => ({ moment: 'end' }),
};

/** Gemini CLI: context at start, prompt and tool, a denied AfterAgent at the end of a turn. */
export const gemini: Client = {
  readSignal: (event, payload) => readSignalBy(READERS, event, payload),
  ring: (event, moment, digest) => {
    if (moment === 'turn-end') return printing({ decision: 'deny', reason: digest });
    return printing({ hookSpecificOutput: { hookEventName: event, additionalContext: digest } });
  },
  // Its hooks print JSON or nothing it can read.
  quiet: printing({}),
  decline: printing({ decision: 'deny', reason: NOTHING_LEFT }),
  place: ['HOME'],
};
