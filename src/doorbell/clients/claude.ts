import type { Moment, Signal } from '../moment.ts';
import { type Client, type Payload, printing, textIn } from './client.ts';

const MOMENT_OF: Readonly<Record<string, Moment>> = {
  SessionStart: 'start',
  UserPromptSubmit: 'prompt',
  PostToolUse: 'tool',
  PostToolUseFailure: 'tool',
  PostToolBatch: 'tool',
  Stop: 'turn-end',
  StopFailure: 'turn-end',
  PermissionRequest: 'dialog',
  Elicitation: 'dialog',
  ElicitationResult: 'dialog-over',
  SessionEnd: 'end',
};

/** Notifications that mean that a person has to decide; `idle_prompt` does not. */
const DIALOGS = new Set(['permission_prompt', 'elicitation_dialog']);

/** Events at which the client takes no text. */
const DEAF = new Set(['StopFailure', 'PostToolUseFailure']);

/** Claude Code: context at start, prompt and tool, a blocked Stop at the end of a turn. */
export const claude: Client = {
  readSignal: (event, payload) => {
    const session = textIn(payload, 'session_id');
    const moment = momentOf(event, payload);
    if (session === undefined || moment === undefined) return undefined;
    const signal: Signal = { moment, session, subagent: textIn(payload, 'agent_id') !== undefined };
    const tool = textIn(payload, 'tool_name');
    return {
      ...signal,
      ...(tool === undefined ? {} : { tool }),
      ...(moment === 'dialog' ? { need: needOf(event, payload, tool) } : {}),
      ...(DEAF.has(event) ? { deaf: true } : {}),
      // It has lost its memory in the middle of a turn, or between two.
      ...(payload['source'] === 'compact' ? { goesOn: true } : {}),
    };
  },
  ring: (event, moment, digest) => {
    if (moment === 'idle') return { stdout: '', stderr: digest, exitCode: 2 };
    if (moment === 'turn-end') return printing({ decision: 'block', reason: digest });
    return printing({ hookSpecificOutput: { hookEventName: event, additionalContext: digest } });
  },
  isOneShot: (words) =>
    words.some((word) => word === '-p' || word === '--print') && !takesPromptsFromStream(words),
  quiet: printing(),
  place: ['CLAUDE_CONFIG_DIR'],
};

function momentOf(event: string, payload: Payload): Moment | undefined {
  if (event !== 'Notification') return MOMENT_OF[event];
  return DIALOGS.has(String(payload['notification_type'])) ? 'dialog' : undefined;
}

function needOf(event: string, payload: Payload, tool: string | undefined): string {
  if (event === 'Elicitation') return 'a form of an MCP server';
  return tool === undefined ? (textIn(payload, 'message') ?? 'a decision') : `to allow ${tool}`;
}

function takesPromptsFromStream(words: readonly string[]): boolean {
  const at = words.indexOf('--input-format');
  return words[at + 1] === 'stream-json' || words.includes('--input-format=stream-json');
}
