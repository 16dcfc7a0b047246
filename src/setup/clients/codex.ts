import { join } from 'node:path';
import { commandIn, ownerOf, ownsHooksOf } from '../hook-command.ts';
import type { Entry } from '../json-entries.ts';
import type { Asked, PlanSetup } from '../plan.ts';

/** In seconds: a hook answers in milliseconds or not at all. Codex allows the last two 3 and no more. */
const TIMEOUT_S_OF = {
  SessionStart: 5,
  UserPromptSubmit: 5,
  PostToolUse: 5,
  Stop: 5,
  PermissionRequest: 5,
  Interrupt: 3,
  SessionEnd: 3,
} as const;

/**
 * Plans the hooks of Codex: groups in `hooks` of a hooks.json, each with one command. Its trust goes by
 * the file, the place in it and the whole definition, so these are the same in every mode and version.
 */
export const planCodex: PlanSetup = (asked) => ({
  file: fileOf(asked),
  change: {
    form: 'entries',
    entries: Object.entries(TIMEOUT_S_OF).map(([event, timeout]) =>
      entryOf(event, asked.command(event), timeout),
    ),
    owns: ownsHooksOf(asked.owner),
    isOurs: (value) => ownerOf(commandIn(value)) !== undefined,
  },
  notes: notesFor(asked),
});

function entryOf(event: string, command: string, timeout: number): Entry {
  return { list: ['hooks', event], value: { hooks: [{ type: 'command', command, timeout }] } };
}

function fileOf({ scope, file, cwd, env, home }: Asked): string {
  if (file !== undefined) return file;
  if (scope === 'project') return join(cwd, '.codex', 'hooks.json');
  return join(env['CODEX_HOME'] || join(home, '.codex'), 'hooks.json');
}

function notesFor({ scope, mode }: Asked): string[] {
  const notes = [
    'Codex runs no hook before you trust it, and says nothing of those it leaves out: start `codex` in the project, type /hooks, and trust the seven of hivemail.',
    "In its sandbox Codex may write only in the project: start it with `--add-dir` and the agent's directory, so that the agent can ack and answer.",
  ];
  if (scope === 'project') {
    notes.push(
      'Codex reads .codex/hooks.json only in a project that it trusts; it asks when it first starts there.',
    );
  }
  if (mode === 'continue') {
    notes.push(
      'An idle session of Codex is not woken: it is told at its next tool call, turn end or prompt.',
    );
  }
  return notes;
}
