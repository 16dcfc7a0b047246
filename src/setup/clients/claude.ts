import { join } from 'node:path';
import { commandIn, ownerOf, ownsHooksOf } from '../hook-command.ts';
import type { Entry } from '../json-entries.ts';
import type { Asked, PlanSetup } from '../plan.ts';
import { isAtLeast } from '../version.ts';

/** Events that every version knows; docs/clients.md says what happens at each. */
const EVENTS = ['SessionStart', 'UserPromptSubmit', 'Stop', 'Notification', 'SessionEnd'];

/** Mail beside a tool's output: once for all that ran side by side, where the client can. */
const AFTER_TOOLS = { newer: 'PostToolBatch', older: 'PostToolUse' };

/** Events that newer versions know: an older one might refuse the whole file for a name it does not know. */
const NEWER_EVENTS = ['StopFailure', 'PermissionRequest', 'Elicitation', 'ElicitationResult'];

/** In seconds: a hook answers in milliseconds or not at all. */
const TIMEOUT_S = 5;

/** In seconds. Without one a waiter ends after 10 minutes; much larger ones end it at once. */
const WAIT_S = 86_400;

/** The version that all of this was seen working in. Older ones take `asyncRewake` for an ordinary hook. */
const NEWER_SINCE = '2.1.197';

/** Plans the hooks of Claude Code: groups in `hooks` of its settings, each with one command. */
export const planClaude: PlanSetup = (asked) => {
  const version = asked.version('claude');
  const isNewer = version !== undefined && isAtLeast(version, NEWER_SINCE);
  const events = isNewer
    ? [...EVENTS, AFTER_TOOLS.newer, ...NEWER_EVENTS]
    : [...EVENTS, AFTER_TOOLS.older];
  const waiters = isNewer && asked.mode === 'continue' ? ['SessionStart', 'Stop'] : [];
  return {
    file: fileOf(asked),
    change: {
      form: 'entries',
      entries: [
        ...events.map((event) =>
          hook(event, { command: asked.command(event), timeout: TIMEOUT_S }),
        ),
        ...waiters.map((event) => {
          const command = asked.command(event, '--wake');
          return hook(event, { command, timeout: WAIT_S, asyncRewake: true });
        }),
      ],
      owns: ownsHooksOf(asked.owner),
      isOurs: (value) => ownerOf(commandIn(value)) !== undefined,
    },
    notes: [
      'Sessions that run already have these hooks when they are started anew.',
      ...(isNewer ? [] : [sayOlder(version)]),
    ],
  };
};

function sayOlder(version: string | undefined): string {
  const found =
    version === undefined
      ? '`claude --version` in PATH did not say its version'
      : `this is ${version}`;
  return `Idle sessions are not woken, and a person who is waited for is noticed less: that takes Claude Code ${NEWER_SINCE}, and ${found}. Install again with a newer one.`;
}

function hook(
  event: string,
  fields: { command: string; timeout: number; asyncRewake?: true },
): Entry {
  return { list: ['hooks', event], value: { hooks: [{ type: 'command', ...fields }] } };
}

function fileOf({ scope, file, cwd, env, home }: Asked): string {
  if (file !== undefined) return file;
  // The person's own settings of the project: `settings.json` there is shared through git.
  if (scope === 'project') return join(cwd, '.claude', 'settings.local.json');
  return join(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'settings.json');
}
