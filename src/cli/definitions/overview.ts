import type { Command } from 'commander';
import type { Call } from './call.ts';
import {
  addGlobalOptions,
  examples,
  SINCE,
  seconds,
  UNTIL,
  wholeNumber,
} from './global-options.ts';

const MOST_ROWS = 1_000_000;
const MOST_TIMEOUT_S = 3600;
const WAKE_TIMEOUT_S = 120;

/** Defines the commands that show and mend what goes on in a hive as a whole. */
export function defineOverviewCommands(program: Command, call: Call): void {
  program.commandsGroup('Overview:');
  defineStatus(program.command('status'), call);
  defineLog(program.command('log'), call);
  defineHeld(program.command('held'), call);
  defineRelease(program.command('release'), call);
  defineDoctor(program.command('doctor'), call);
}

function defineStatus(command: Command, call: Call): void {
  command
    .summary('show how the hive stands')
    .description(
      'Shows whether a router is up, what is amiss, and how much mail each agent has. Changes nothing. Exit code 6 when a promise of the hive is at risk.',
    )
    .option('-w, --watch [seconds]', 'show it again every 2 seconds, or so many', seconds)
    .addHelpText('after', examples('hivemail status', 'hivemail status --watch'))
    .action(call(async () => (await import('../commands/status.ts')).status));
  addGlobalOptions(command);
}

function defineLog(command: Command, call: Call): void {
  command
    .summary('show what happened')
    .description('Shows the last 20 rows of the log, or all of a time; times are UTC.')
    .option('-f, --follow', 'go on as rows are written')
    .option('--kind <kinds>', 'only these: letter, notice, release, warning …; several with commas')
    .option('--since <time>', SINCE)
    .option('--until <time>', UNTIL)
    .option('--conversation <name>', 'only what belongs to it')
    .option('-n, --lines <n>', 'how many of the last rows', wholeNumber(0, MOST_ROWS))
    .addHelpText(
      'after',
      examples(
        'hivemail log -f',
        'hivemail log --kind letter --agent coder --since 2h',
        'hivemail log --conversation 01k4b7s2n000-q1w2e3r4 --since yesterday',
        'hivemail log --json -n 1000',
      ),
    )
    .action(call(async () => (await import('../commands/log.ts')).log));
  addGlobalOptions(command, 'only what this agent sent or got');
}

function defineHeld(command: Command, call: Call): void {
  command
    .summary('list the letters that are held back')
    .description(
      'Lists held/: letters that were accepted and not delivered, why, and since when. Changes nothing.',
    )
    .addHelpText('after', examples('hivemail held'))
    .action(call(async () => (await import('../commands/held.ts')).held));
  addGlobalOptions(command);
}

function defineRelease(command: Command, call: Call): void {
  command
    .summary('deliver a letter that is held back')
    .description('Delivers a held letter; it starts afresh at hops 0.')
    .argument('<id>', 'its id, or the beginning of it')
    .addHelpText('after', examples('hivemail release 01k4b7s2'))
    .action(call(async () => (await import('../commands/release.ts')).release));
  addGlobalOptions(command);
}

function defineDoctor(command: Command, call: Call): void {
  command
    .summary('look for what is broken, and mend it')
    .description(
      'Looks at everything in a hive that can be broken, and says what it means. Without --fix it changes nothing. Exit code 6 when something is an error; with --fix, when one remains.',
    )
    .option('--fix', 'mend what can safely be mended; never deletes mail')
    .addHelpText('after', examples('hivemail doctor', 'hivemail doctor --fix'))
    .action(call(async () => (await import('../commands/doctor.ts')).doctor));
  addGlobalOptions(command);
  defineDoctorWake(command.command('wake'), call);
}

function defineDoctorWake(command: Command, call: Call): void {
  command
    .summary('prove how mail reaches the running session of an agent')
    .description(
      'Sends test letters to an agent whose session runs, from the person, and tells which reach it: at a tool call, at the end of a turn, while it is idle, and after how long. What a session costs for three short turns is spent. Leaves nothing behind but handled letters. Exit code 7 when one was not shown to work.',
    )
    .option(
      '--timeout <seconds>',
      'how long to wait',
      wholeNumber(1, MOST_TIMEOUT_S),
      WAKE_TIMEOUT_S,
    )
    .addHelpText(
      'after',
      examples('hivemail doctor wake --agent coder', 'hivemail doctor wake --agent coder --json'),
    )
    .action(call(async () => (await import('../commands/doctor-wake.ts')).doctorWake));
  addGlobalOptions(command, 'the agent whose session it is, by id');
}
