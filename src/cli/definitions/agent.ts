import type { Command } from 'commander';
import type { Call } from './call.ts';
import { addGlobalOptions, examples } from './global-options.ts';

/** Defines `agent` and its commands. */
export function defineAgentCommands(program: Command, call: Call): void {
  program.commandsGroup('Agents:');
  const agent = program
    .command('agent')
    .summary('list, add and change agents')
    .description('Lists, adds and changes the agents of a hive.')
    .addHelpText(
      'after',
      examples(
        'hivemail agent add tester --role tester',
        'eval "$(hivemail agent env tester)"',
        'hivemail agent hold tester',
      ),
    );
  addGlobalOptions(agent);
  defineAdd(agent.command('add'), call);
  defineList(agent.command('list'), call);
  defineShow(agent.command('show'), call);
  defineEnv(agent.command('env'), call);
  defineSet(agent.command('set'), call);
  defineRename(agent.command('rename'), call);
  for (const [op, does] of CHANGES) defineChange(agent.command(op), { op, does, call });
}

const CHANGES = [
  ['archive', 'end an agent: its mail is filed, and broadcasts pass by'],
  ['restore', 'take an archived agent back'],
  ['hold', 'keep the mail of an agent back until the hold ends'],
  ['unhold', 'end a hold and deliver what was kept back'],
] as const;

function addFields(command: Command): Command {
  return command
    .option('--name <text>', 'display name')
    .option('--role <role>', 'what it does; role:<role> is an address')
    .option('--capabilities <list>', 'what it can do, with commas')
    .option('--provider <name>', 'which client runs it')
    .option('--cwd <dir>', 'where it works')
    .option('--reports-to <id>', 'whom it reports to')
    .option('--send-only', 'it sends, and gets no mail')
    .option('--orchestrator', 'it speaks for the person; a hive has at most one');
}

function defineAdd(command: Command, call: Call): void {
  command
    .summary('add an agent')
    .description('Adds an agent and prints the environment that a session runs in as this agent.')
    .argument('<id>', 'its id for life: a-z, 0-9, ".", "_" and "-"');
  addFields(command)
    .addHelpText(
      'after',
      examples('hivemail agent add tester --role tester --capabilities unit,e2e'),
    )
    .action(call(async () => (await import('../commands/agent-change.ts')).addAgent));
  addGlobalOptions(command);
}

function defineSet(command: Command, call: Call): void {
  command
    .summary('change what is known of an agent')
    .description('Changes fields of an agent; those not named stay as they are.')
    .argument('<id>');
  addFields(command)
    .option('--no-send-only', 'it gets mail')
    .option('--no-orchestrator', 'it speaks for the person no longer')
    .addHelpText(
      'after',
      examples('hivemail agent set tester --role qa', 'hivemail agent set god --no-orchestrator'),
    )
    .action(call(async () => (await import('../commands/agent-change.ts')).setAgent));
  addGlobalOptions(command);
}

function defineList(command: Command, call: Call): void {
  command
    .summary('list the agents')
    .description('Lists the agents.')
    .addHelpText('after', examples('hivemail agent list'))
    .action(call(async () => (await import('../commands/agent-list.ts')).listAgents));
  addGlobalOptions(command);
}

function defineShow(command: Command, call: Call): void {
  command
    .summary('show what is known of an agent')
    .description('Shows what the registry says of an agent.')
    .argument('<id>')
    .addHelpText('after', examples('hivemail agent show coder'))
    .action(call(async () => (await import('../commands/agent-list.ts')).showAgent));
  addGlobalOptions(command);
}

function defineEnv(command: Command, call: Call): void {
  command
    .summary('print the environment of a session')
    .description('Prints the environment that a session runs in as this agent, for a shell.')
    .argument('<id>')
    .addHelpText('after', examples('eval "$(hivemail agent env coder)"'))
    .action(call(async () => (await import('../commands/agent-env.ts')).printEnvironment));
  addGlobalOptions(command);
}

function defineRename(command: Command, call: Call): void {
  command
    .summary('change the display name of an agent')
    .description('Changes the display name; the id is for life.')
    .argument('<id>')
    .argument('<name>')
    .addHelpText('after', examples('hivemail agent rename coder "Parser coder"'))
    .action(call(async () => (await import('../commands/agent-change.ts')).renameAgent));
  addGlobalOptions(command);
}

interface Change {
  op: (typeof CHANGES)[number][0];
  does: string;
  call: Call;
}

function defineChange(command: Command, { op, does, call }: Change): void {
  command
    .summary(does)
    .description(`${does.charAt(0).toUpperCase()}${does.slice(1)}.`)
    .argument('<id>')
    .addHelpText('after', examples(`hivemail agent ${op} coder`))
    .action(call(async () => (await import('../commands/agent-change.ts')).changeState(op)));
  addGlobalOptions(command);
}
