import { type Command, Option } from 'commander';
import type { Call } from './call.ts';
import { addGlobalOptions, examples } from './global-options.ts';

const WHOSE = 'the agent whose mail it is, by id';
const CLIENTS = 'claude, codex, gemini or opencode';
const SCOPES = ['project', 'user', 'file'];

/** Defines the commands that connect the sessions of clients with the mail of agents. */
export function defineHookCommands(program: Command, call: Call): void {
  const hooks = program
    .command('hooks')
    .summary('have clients tell their sessions of mail')
    .description(
      'Puts hooks into the settings of a client, so that its sessions hear of the mail of an agent, and takes them out again.',
    );
  defineInstall(hooks.command('install'), call);
  defineUninstall(hooks.command('uninstall'), call);
  defineShow(hooks.command('show'), call);
}

function defineInstall(command: Command, call: Call): void {
  addTarget(command)
    .summary('put them into the settings of a client')
    .description(
      'Puts the hooks of an agent into the settings of a client, or brings them up to date. Nothing else in there is touched.',
    )
    .addOption(
      new Option(
        '--mode <mode>',
        'notify: mail is told with the next tool call or prompt. continue: it also lets an ended turn go on, and wakes an idle session; that costs tokens (default: as it is, at first notify)',
      ).choices(['notify', 'continue']),
    )
    .addHelpText(
      'after',
      examples(
        'hivemail hooks install claude --agent coder',
        'hivemail hooks install codex --agent tester --scope user',
        'hivemail hooks install claude --agent coder --mode continue --scope file ~/coder.json',
      ),
    )
    .action(call(async () => (await import('../commands/hooks.ts')).install));
  addGlobalOptions(command, WHOSE);
}

function defineUninstall(command: Command, call: Call): void {
  addTarget(command)
    .summary('take them out')
    .description(
      'Takes the hooks of an agent out of the settings of a client, and leaves these as they were before. Without --scope, out of all that they were put into.',
    )
    .addHelpText('after', examples('hivemail hooks uninstall claude --agent coder'))
    .action(call(async () => (await import('../commands/hooks.ts')).uninstall));
  addGlobalOptions(command, WHOSE);
}

function defineShow(command: Command, call: Call): void {
  command
    .summary('show where they are')
    .description(
      'Shows into which settings the hooks of an agent were put, whether they are still there, and how it is told of its mail. Changes nothing.',
    )
    .argument('[client]', `${CLIENTS}; all when left out`)
    .addHelpText('after', examples('hivemail hooks show', 'hivemail hooks show claude'))
    .action(call(async () => (await import('../commands/hooks.ts')).show));
  addGlobalOptions(command, WHOSE);
}

function addTarget(command: Command): Command {
  return command
    .argument('<client>', CLIENTS)
    .argument('[file]', 'with --scope file: the settings file')
    .addOption(
      new Option(
        '--scope <scope>',
        'project: your own settings for this directory. user: for all your sessions. file: as named',
      ).choices(SCOPES),
    );
}
