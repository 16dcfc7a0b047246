import { join } from 'node:path';
import { commandIn, ownerOf, ownsHooksOf } from '../hook-command.ts';
import type { Entry } from '../json-entries.ts';
import type { Asked, PlanHooks } from '../plan.ts';
import { isAtLeast } from '../version.ts';

/** Events that have something to tell or to be told; docs/clients.md says what happens at each. */
const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PostToolUse',
  'Stop',
  'StopFailure',
  'PermissionRequest',
  'Notification',
  'SessionEnd',
] as const;

/** In seconds: a hook answers in milliseconds or not at all. */
const TIMEOUT_S = 5;

/** In seconds. Without one a waiter ends after 10 minutes; much larger ones end it at once. */
const WAIT_S = 86_400;

/** Older versions pass over `asyncRewake` and would wait for the waiter. */
const WAKES_SINCE = '2.1.197';

/** Plans the hooks of Claude Code: groups in `hooks` of its settings, each with one command. */
export const planClaude: PlanHooks = (asked) => {
  const wakes = asked.mode === 'continue' ? canWake(asked) : false;
  const waiters = wakes === true ? ['SessionStart', 'Stop'] : [];
  return {
    file: fileOf(asked),
    change: {
      form: 'entries',
      entries: [
        ...EVENTS.map((event) =>
          hook(event, { command: asked.command(event), timeout: TIMEOUT_S }),
        ),
        ...waiters.map((event) =>
          hook(event, {
            command: asked.command(event, '--wake'),
            timeout: WAIT_S,
            asyncRewake: true,
          }),
        ),
      ],
      owns: ownsHooksOf(asked.owner),
      isOurs: (value) => ownerOf(commandIn(value)) !== undefined,
    },
    notes: [
      'Sessions that run already read their hooks again when they are started anew.',
      ...(typeof wakes === 'string' ? [wakes] : []),
    ],
  };
};

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

/** @returns why an idle session can't be woken, where it can't */
function canWake({ version }: Asked): true | string {
  const found = version('claude');
  if (found === undefined) {
    return `An idle session is not woken: \`claude --version\` did not say whether it is ${WAKES_SINCE} or newer. Install again once it is in PATH.`;
  }
  if (isAtLeast(found, WAKES_SINCE)) return true;
  return `An idle session is not woken: that needs Claude Code ${WAKES_SINCE}, and this is ${found}. Update it, then install again.`;
}
