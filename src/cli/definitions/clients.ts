import type { Command } from 'commander';
import type { Call } from './call.ts';
import { addGlobalOptions, examples, WHOSE_MAILBOX } from './global-options.ts';

/** Defines the commands that bring mail into agents' clients. */
export function defineClientCommands(program: Command, call: Call): void {
  program.commandsGroup('Clients:');
  defineMcp(program.command('mcp'), call);
}

function defineMcp(command: Command, call: Call): void {
  command
    .summary('serve a mailbox as MCP tools')
    .description(
      'Serves the mailbox of one agent to an MCP client over standard input and output. The client starts it; it ends with the client.',
    )
    .addHelpText('after', examples('hivemail mcp --agent coder'))
    .action(call(async () => (await import('../commands/mcp.ts')).mcp));
  addGlobalOptions(command, WHOSE_MAILBOX);
}
