import { type Command, Option } from 'commander';
import type { Call } from './call.ts';
import {
  addGlobalOptions,
  examples,
  idArgument,
  idArguments,
  seconds,
  WHOSE_MAILBOX,
  wholeNumber,
} from './global-options.ts';

const HOUR_MS = 3_600_000;
const ACTS = 'request, query, propose, inform, agree, refuse or done';

/** Defines the commands of an agent's own mailbox. */
export function defineMailCommands(program: Command, call: Call): void {
  program.commandsGroup('Mail:');
  defineSend(program.command('send'), call);
  defineInbox(program.command('inbox'), call);
  defineRead(program.command('read'), call);
  defineAck(program.command('ack'), call);
  defineReply(program.command('reply'), call);
  defineWait(program.command('wait'), call);
}

function defineSend(command: Command, call: Call): void {
  command
    .summary('send a letter and tell what became of it')
    .description(
      'Puts a letter into the outbox and waits for its outcome, at most 5 seconds. `queued` means that it is on its way: do not send it again.',
    )
    .option(
      '--to <who>',
      'an id, several with commas, role:<role>, orchestrator, human, broadcast',
      collect,
    )
    .requiredOption('--act <act>', ACTS)
    .option('--subject <line>', 'what it is about')
    .addOption(new Option('--body <text>', 'what it says').conflicts('bodyFile'))
    .option('--body-file <file>', 'read the body from a file; - for standard input')
    .option('--reply-to <id>', 'the letter that this one answers; then --to may be left out')
    .option('--conversation <name>', 'ties letters together')
    .option('--reply-by <date>', 'when an answer is wanted')
    .option('--wait-ms <n>', 'how long to wait for the outcome', wholeNumber(0, HOUR_MS))
    .addHelpText(
      'after',
      examples(
        'hivemail send --to coder --act request --subject "Split the parser" --body "By concern."',
        'hivemail send --to role:tester --act inform --subject "Report" --body-file report.md',
        'git diff | hivemail send --to planner --act propose --subject "A patch" --body-file -',
      ),
    )
    .action(call(async () => (await import('../commands/send.ts')).send));
  addGlobalOptions(command, WHOSE_MAILBOX);
}

function defineInbox(command: Command, call: Call): void {
  command
    .summary('list the letters that are not handled')
    .description('Lists the inbox, oldest first. Changes nothing.')
    .option('--done', 'the handled ones instead')
    .option('--bodies', 'show each letter in full')
    .addHelpText('after', examples('hivemail inbox', 'hivemail inbox --agent human --bodies'))
    .action(call(async () => (await import('../commands/inbox.ts')).inbox));
  addGlobalOptions(command, WHOSE_MAILBOX);
}

function defineRead(command: Command, call: Call): void {
  command
    .summary('show a letter')
    .description(
      'Shows a letter in full. Changes nothing. What looks like a secret is hidden; --raw and --json show everything.',
    )
    .argument('<id>', 'its id, or the beginning of it', idArgument)
    .option('--raw', 'the file as it is, control characters written as \\uXXXX')
    .addHelpText('after', examples('hivemail read 01k4b7s2', 'hivemail read 01k4b7s2 --raw'))
    .action(call(async () => (await import('../commands/read.ts')).read));
  addGlobalOptions(command, WHOSE_MAILBOX);
}

function defineAck(command: Command, call: Call): void {
  command
    .summary('mark letters as handled')
    .description('Moves letters to inbox/.done. Only that says they are handled.')
    .argument('<id...>', 'their ids, or the beginnings of them', idArguments)
    .addHelpText('after', examples('hivemail ack 01k4b7s2', 'hivemail ack 01k4b7s2 01k4b7t0'))
    .action(call(async () => (await import('../commands/ack.ts')).ack));
  addGlobalOptions(command, WHOSE_MAILBOX);
}

function defineReply(command: Command, call: Call): void {
  command
    .summary('answer a letter')
    .description('Sends an answer to the sender of a letter, in its conversation.')
    .argument('<id>', 'the letter, by its id or the beginning of it', idArgument)
    .requiredOption('--act <act>', ACTS)
    .addOption(new Option('--body <text>', 'what it says').conflicts('bodyFile'))
    .option('--body-file <file>', 'read the body from a file; - for standard input')
    .option('--subject <line>', 'what it is about (default: "Re: …")')
    .option('--wait-ms <n>', 'how long to wait for the outcome', wholeNumber(0, HOUR_MS))
    .addHelpText(
      'after',
      examples(
        'hivemail reply 01k4b7s2 --act done --body "Split; 14 tests pass."',
        'hivemail reply 01k4b7s2 --act refuse --body "It is in use until Monday."',
      ),
    )
    .action(call(async () => (await import('../commands/reply.ts')).reply));
  addGlobalOptions(command, WHOSE_MAILBOX);
}

function defineWait(command: Command, call: Call): void {
  command
    .summary('wait until there is mail')
    .description(
      'Returns when the inbox holds a letter, at once when it does already, and lists it. Changes nothing. Exit code 7 when time is up.',
    )
    .option('--after <id>', 'only for letters that come after this one')
    .option('--timeout <seconds>', 'how long to wait; for ever when left out', seconds)
    .addHelpText(
      'after',
      examples('hivemail wait --timeout 600', 'hivemail wait --after 01k4b7s2n000-q1w2e3r4'),
    )
    .action(call(async () => (await import('../commands/wait.ts')).wait));
  addGlobalOptions(command, WHOSE_MAILBOX);
}

function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}
