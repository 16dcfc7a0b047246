import { type Command, Option } from 'commander';
import type { Kind, SetupArguments } from '../commands/setup.ts';
import type { Call } from './call.ts';
import { addGlobalOptions, examples } from './global-options.ts';

const WHOSE = 'the agent whose mail it is, by id';
const CLIENTS = 'claude, codex, gemini or opencode';
const SCOPES = ['project', 'user', 'file'];

/** Defines the commands that bring mail into the sessions of clients. */
export function defineClientCommands(program: Command, call: Call): void {
  program.commandsGroup('Clients:');
  const hooks = program
    .command('hooks')
    .summary('have clients tell their sessions of mail')
    .description(
      'Puts hooks into the settings of a client, so that its sessions hear of the mail of an agent, and takes them out again.',
    );
  defineSetup(hooks, 'hooks', call);
  const mcp = program
    .command('mcp')
    .summary('serve a mailbox as MCP tools')
    .description(
      'Serves the mailbox of one agent to an MCP client over standard input and output. The client starts it, as `hivemail mcp install` tells it to; it ends with the client.',
    )
    .addHelpText(
      'after',
      examples('hivemail mcp --agent coder', 'hivemail mcp install claude --agent coder'),
    )
    .action(call(async () => (await import('../commands/mcp.ts')).mcp));
  addGlobalOptions(mcp, WHOSE);
  defineSetup(mcp, 'mcp', call);
}

const WHAT: Record<Kind, string> = {
  hooks: 'the hooks of an agent',
  mcp: "the MCP server of an agent's mailbox",
};

function defineSetup(parent: Command, kind: Kind, call: Call): void {
  defineInstall(parent.command('install'), kind, call);
  defineUninstall(parent.command('uninstall'), kind, call);
  defineShow(parent.command('show'), kind, call);
}

function defineInstall(command: Command, kind: Kind, call: Call): void {
  addTarget(command)
    .summary('put it into the settings of a client')
    .description(
      `Puts ${WHAT[kind]} into the settings of a client, or brings it up to date. Nothing else in there is touched.`,
    )
    .addHelpText(
      'after',
      examples(
        `hivemail ${kind} install claude --agent coder`,
        `hivemail ${kind} install codex --agent tester --scope user`,
        `hivemail ${kind} install claude --agent coder --scope file ~/coder.json`,
      ),
    )
    .action(
      call(async () => {
        const { install } = await import('../commands/setup.ts');
        return async (context, ...words: SetupArguments) => install(kind, context, words);
      }),
    );
  if (kind === 'hooks') for (const option of toldOptions()) command.addOption(option);
  addGlobalOptions(command, WHOSE);
}

function toldOptions(): Option[] {
  return [
    new Option(
      '--mode <mode>',
      'notify: mail is told with the next tool call or prompt. continue: it also lets an ended turn go on, and wakes an idle session; that costs tokens (default: as it is, at first notify)',
    ).choices(['notify', 'continue']),
    new Option(
      '--tmux',
      'with mode continue: where nothing else wakes an idle session, type a line into its tmux pane, if nothing is typed and nothing asked there (default: as it is, at first not)',
    ),
    new Option('--no-tmux', 'type nothing any more'),
  ];
}

function defineUninstall(command: Command, kind: Kind, call: Call): void {
  addTarget(command)
    .summary('take it out')
    .description(
      `Takes ${WHAT[kind]} out of the settings of a client, and leaves these as they were before. Without --scope, out of all that it was put into.`,
    )
    .addHelpText('after', examples(`hivemail ${kind} uninstall claude --agent coder`))
    .action(
      call(async () => {
        const { uninstall } = await import('../commands/setup.ts');
        return async (context, ...words: SetupArguments) => uninstall(kind, context, words);
      }),
    );
  addGlobalOptions(command, WHOSE);
}

function defineShow(command: Command, kind: Kind, call: Call): void {
  command
    .summary('show where it is')
    .description(
      `Shows into which settings ${WHAT[kind]} was put, and whether it is still there. Changes nothing.`,
    )
    .argument('[client]', `${CLIENTS}; all when left out`)
    .addHelpText('after', examples(`hivemail ${kind} show`, `hivemail ${kind} show claude`))
    .action(
      call(async () => {
        const { show } = await import('../commands/setup.ts');
        return async (context, client: string | undefined) => show(kind, context, client);
      }),
    );
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
