import { Command } from 'commander';
import { defineAgentCommands } from './definitions/agent.ts';
import type { Call } from './definitions/call.ts';
import { addGlobalOptions, WHOSE_MAILBOX } from './definitions/global-options.ts';
import { defineHiveCommands } from './definitions/hive.ts';
import { defineLookingBackCommands } from './definitions/looking-back.ts';
import { defineMailCommands } from './definitions/mail.ts';
import { defineOverviewCommands } from './definitions/overview.ts';
import { defineClientCommands } from './definitions/setup.ts';
import type { Surface } from './surface.ts';
import { version } from './version.ts';

/** What came of a run: the command's exit code, or how its call was wrong. */
export interface RunOutcome {
  exitCode: number;
  usage: string;
}

const ABOUT = `Durable mailboxes in a shared directory for coding agents.

One router delivers letters between the agents of a hive. Everything is plain files.`;

const MORE = `
The hive that is meant: --hive, else $HIVEMAIL_HIVE or $HIVE_ROOT, else the nearest parent directory
that holds hive.json, else ./hive.
The agent that is meant: --agent, else $HIVEMAIL_AGENT or $AGENT_ID, else the agents/<id>/ we stand in.

Examples:
  hivemail init                       make a hive in ./hive with the agents god, planner, coder
  hivemail up                         run its router; leave it running
  eval "$(hivemail agent env coder)"  be the agent coder in this shell
  hivemail send --to planner --act query --subject "Which parser?" --body "The old or the new one?"
  hivemail inbox                      list the letters for me
  hivemail log -f                     watch the mail go by

Exit codes: 0 done, 1 internal error, 2 wrong call, 3 not found, 4 refused or bounced, 5 another router
is up, 6 health is red, 7 time is up.`;

/** Builds the program: what can be said, not what is done about it; each command is loaded when called. */
export function createProgram(surface: Surface, outcome: RunOutcome): Command {
  const program = new Command('hivemail');
  program
    .description(ABOUT)
    .usage('[options] <command>')
    .version(version(), '--version', 'print the version')
    .helpOption('-h, --help', 'explain, also after a command')
    .helpCommand('help [command]', 'explain a command')
    // A body may look like an option; after a command only that command reads options.
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp({ subcommandTerm: termOf })
    .configureOutput({
      writeOut: (text) => surface.stdout.write(text),
      writeErr: (text) => surface.stderr.write(text),
      outputError: (text) => {
        outcome.usage = text;
      },
      getOutHelpWidth: () => surface.stdout.columns ?? 100,
      getErrHelpWidth: () => surface.stderr.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText('after', MORE);
  addGlobalOptions(program, WHOSE_MAILBOX);
  const call: Call = (load) => callerOf(load, surface, outcome);
  defineHiveCommands(program, call);
  defineMailCommands(program, call);
  defineOverviewCommands(program, call);
  defineLookingBackCommands(program, call);
  defineAgentCommands(program, call);
  defineClientCommands(program, call);
  return program;
}

function callerOf(
  load: Parameters<Call>[0],
  surface: Surface,
  outcome: RunOutcome,
): ReturnType<Call> {
  return async (...args) => {
    const command = args.pop() as Command;
    const options = args.pop() as object;
    const [{ Context }, run] = await Promise.all([import('./context.ts'), load()]);
    const context = new Context(surface, { ...outerOptions(command), ...options });
    outcome.exitCode = (await run(context, ...(args as never[]), options as never)) ?? 0;
  };
}

/** A command in the list of commands: what it is called on, not that it takes options, as all do. */
function termOf(command: Command): string {
  const words = command.registeredArguments.map((argument) => {
    const word = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? `<${word}>` : `[${word}]`;
  });
  return [command.name(), ...words].join(' ');
}

/** Options that stand before the command; those behind it win. */
function outerOptions(command: Command): object {
  const { parent } = command;
  return parent === null ? {} : { ...outerOptions(parent), ...parent.opts() };
}
