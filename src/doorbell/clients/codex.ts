import { isWakeLine, NOTHING_LEFT } from '../wake-line.ts';
import { type Client, printing, type Readers, readSignalBy, textIn } from './client.ts';

const READERS: Readers = {
  // After a compaction it comes right before the next prompt, or in the middle of a turn.
  SessionStart: ({ source }) => ({ moment: 'start', goesOn: source === 'compact' }),
  UserPromptSubmit: ({ prompt }) => ({ moment: 'prompt', wake: isWakeLine(prompt) }),
  PostToolUse: (payload) => ({ moment: 'tool', tool: textIn(payload, 'tool_name') }),
  Stop: () => ({ moment: 'turn-end' }),
  // Where a person presses Esc, or says no to a dialog, there is no Stop.
  Interrupt: () => ({ moment: 'turn-end', deaf: true }),
  PermissionRequest: (payload) => {
    const tool = textIn(payload, 'tool_name');
    return { moment: 'dialog', tool, need: `to allow ${tool ?? 'a command'}` };
  },
  SessionEnd: () => ({ moment: 'end' }),
};

/** Codex: context at start, prompt and tool as a developer message, a blocked Stop at the end of a turn. */
export const codex: Client = {
  readSignal: (event, payload) => {
    const signal = readSignalBy(READERS, event, payload);
    return signal && { ...signal, subagent: textIn(payload, 'agent_id') !== undefined };
  },
  ring: (event, moment, digest) => {
    // Any other key voids the answer to Stop.
    if (moment === 'turn-end') return printing({ decision: 'block', reason: digest });
    return printing({ hookSpecificOutput: { hookEventName: event, additionalContext: digest } });
  },
  quiet: printing(),
  decline: printing({ decision: 'block', reason: NOTHING_LEFT }),
  server: /\sapp-server(\s|$)/,
  place: ['CODEX_HOME', 'HOME'],
};
