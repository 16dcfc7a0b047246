import type { Command } from 'commander';
import type { Call } from './call.ts';
import { addGlobalOptions, examples, idArgument, SINCE, UNTIL } from './global-options.ts';

/** Defines the commands that tell what has been. */
export function defineLookingBackCommands(program: Command, call: Call): void {
  program.commandsGroup('Looking back:');
  defineTrace(program.command('trace'), call);
  defineConversation(program.command('conversation'), call);
  defineConversations(program.command('conversations'), call);
  defineReplay(program.command('replay'), call);
}

function defineTrace(command: Command, call: Call): void {
  command
    .summary("tell one message's life")
    .description(
      'Tells when a message was written, taken, decided on and why, delivered where, announced, handled and answered, how long each step took, and the conversation around it. Changes nothing.',
    )
    .argument('<id>', 'its id, or the beginning of it', idArgument)
    .addHelpText('after', examples('hivemail trace 01k4b7s2', 'hivemail trace 01k4b7s2 --json'))
    .action(call(async () => (await import('../commands/trace.ts')).trace));
  addGlobalOptions(command);
}

function defineConversation(command: Command, call: Call): void {
  command
    .summary('show a conversation as a transcript')
    .description(
      'Shows all letters and notices of a conversation with their bodies, oldest first. What looks like a secret is hidden; --json shows everything. Changes nothing.',
    )
    .argument('<id>', 'its name, or a message of it by the id or its beginning', idArgument)
    .addHelpText(
      'after',
      examples('hivemail conversation 01k4b7s2', 'hivemail conversation parser-split'),
    )
    .action(call(async () => (await import('../commands/conversation.ts')).conversation));
  addGlobalOptions(command);
}

function defineConversations(command: Command, call: Call): void {
  command
    .summary('list the open conversations, and who owes whom')
    .description(
      'Lists the conversations in which someone owes an answer, the longest open first. Changes nothing.',
    )
    .option('--since <time>', SINCE)
    .addHelpText('after', examples('hivemail conversations', 'hivemail conversations --since 7d'))
    .action(call(async () => (await import('../commands/conversations.ts')).conversations));
  addGlobalOptions(command, 'only what this agent owes or is owed');
}

function defineReplay(command: Command, call: Call): void {
  command
    .summary('show the history')
    .description(
      'Shows what was said, oldest first, out of the history: letters that were delivered or held, and notices; times are UTC. Changes nothing.',
    )
    .option('--since <time>', SINCE)
    .option('--until <time>', UNTIL)
    .option('--conversation <name>', 'only what belongs to it')
    .option('--bodies', 'show each message in full')
    .option(
      '--into <dir>',
      'rebuild the hive as it stood at --until, there, to be read and no more',
    )
    .addHelpText(
      'after',
      examples(
        'hivemail replay --since yesterday',
        'hivemail replay --agent coder --since 2h --bodies',
        'hivemail replay --into past --until 14:30',
        'hivemail inbox --hive past --agent coder    what coder had not handled at 14:30',
      ),
    )
    .action(call(async () => (await import('../commands/replay.ts')).replay));
  addGlobalOptions(command, 'only what this agent sent or got');
}
