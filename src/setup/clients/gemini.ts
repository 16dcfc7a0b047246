import { join } from 'node:path';
import { commandIn, ownerOf, ownsHooksOf } from '../hook-command.ts';
import type { Entry } from '../json-entries.ts';
import type { Asked, PlanSetup } from '../plan.ts';

/** In milliseconds, unlike those of other clients: a hook answers at once or not at all. */
const TIMEOUT_MS = 5000;

/** Event → the tools that concern us at it; all where none is named. */
const MATCHER_OF: Readonly<Record<string, string | undefined>> = {
  SessionStart: undefined,
  BeforeAgent: undefined,
  // A subagent's tools look like the session's own; this one tells when one is at work.
  BeforeTool: 'invoke_agent',
  AfterTool: undefined,
  AfterAgent: undefined,
  Notification: undefined,
  SessionEnd: undefined,
};

/** Plans the hooks of Gemini CLI: groups in `hooks` of a settings.json, each with one command. */
export const planGemini: PlanSetup = (asked) => ({
  file: fileOf(asked),
  change: {
    form: 'entries',
    entries: Object.entries(MATCHER_OF).map(([event, matcher]) =>
      entryOf(event, asked.command(event), matcher),
    ),
    owns: ownsHooksOf(asked.owner),
    isOurs: (value) => ownerOf(commandIn(value)) !== undefined,
  },
  notes: [
    'Sessions that run already read their hooks again when they are started anew. `/hooks panel` shows them.',
    ...(asked.scope === 'project'
      ? ['Gemini CLI reads .gemini/settings.json only in a folder that you trust.']
      : []),
    ...(asked.mode === 'continue'
      ? [
          'Gemini CLI has no way to be woken while it is idle: mail is told at the next tool call, turn end or prompt.',
        ]
      : []),
  ],
});

function entryOf(event: string, command: string, matcher: string | undefined): Entry {
  const hook = { type: 'command', name: 'hivemail', command, timeout: TIMEOUT_MS };
  const group = { ...(matcher === undefined ? {} : { matcher }), hooks: [hook] };
  return { list: ['hooks', event], value: group };
}

function fileOf({ scope, file, cwd, home }: Asked): string {
  return file ?? join(scope === 'project' ? cwd : home, '.gemini', 'settings.json');
}
