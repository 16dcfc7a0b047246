import type { Command } from 'commander';
import type { Call } from './call.ts';
import { addGlobalOptions, examples, wholeNumber } from './global-options.ts';

const HOUR_MS = 3_600_000;

/** Defines the commands that make a hive and run its router. */
export function defineHiveCommands(program: Command, call: Call): void {
  program.commandsGroup('Hive:');
  defineInit(program.command('init'), call);
  defineUp(program.command('up'), call);
}

function defineInit(command: Command, call: Call): void {
  command
    .summary('make a hive, or complete one')
    .description(
      'Makes a hive: the directory with the mailboxes. On an existing hive, only puts back what is missing.',
    )
    .argument('[dir]', 'where; ./hive when left out')
    .option('--agents <ids>', 'the first agents, with commas (default: god,planner,coder)')
    .option('--orchestrator <id>', 'who speaks for the person (default: god, if among the agents)')
    .option('--no-orchestrator', 'nobody does; mail for the person goes to the desk')
    .addHelpText(
      'after',
      examples(
        'hivemail init',
        'hivemail init ~/work/hive --agents lead,coder,tester --orchestrator lead',
        'hivemail init mail --agents a,b --no-orchestrator',
      ),
    )
    .action(call(async () => (await import('../commands/init.ts')).init));
  addGlobalOptions(command);
}

function defineUp(command: Command, call: Call): void {
  command
    .summary('run the router')
    .description(
      'Runs the router of a hive until it is stopped (Ctrl-C or SIGTERM). On a terminal it shows the mail that goes by; otherwise it writes JSON lines about itself to standard error.',
    )
    .argument('[dir]', 'the hive; the one that is meant when left out')
    .option('--once', 'route what is there, then end')
    .option('--poll-ms <n>', 'look at least this often, in milliseconds', wholeNumber(20, HOUR_MS))
    .option('--no-watch', 'do not watch directories; the poll alone finds mail')
    .option('--takeover', 'go ahead although another router holds the hive')
    .addHelpText(
      'after',
      examples(
        'hivemail up',
        'hivemail up ~/work/hive --poll-ms 500',
        'hivemail up --once        route what waits, as from cron',
        'hivemail up --takeover    the other router is stopped, or its machine is gone',
      ),
    )
    .action(call(async () => (await import('../commands/up.ts')).up));
  addGlobalOptions(command);
}
