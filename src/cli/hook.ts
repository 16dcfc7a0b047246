/**
 * `hivemail hook CLIENT EVENT`: what clients call. An entry of its own that the build makes into one
 * file, since a client waits for it at every tool call: nothing of the command line is loaded.
 *
 * It never disturbs a session: on any error it prints nothing and ends with 0. With `--explain` it tells
 * on standard error why it said what it did.
 */
import { writeSync } from 'node:fs';
import { answerHook, type HookResult } from '../doorbell/answer-hook.ts';
import { findMailbox } from '../doorbell/where.ts';
import { type HookArguments, readHookArguments, readPayload } from './hook-call.ts';

/** A hook that has not decided by then says nothing, in milliseconds. */
const MOST_MS = 80;

const USAGE =
  'usage: hivemail hook <claude|codex|gemini|opencode> <event> [--hive DIR] [--agent ID] [--explain] < payload.json\n';

async function main(words: readonly string[]): Promise<void> {
  const called = readHookArguments(words);
  if (called === undefined || process.stdin.isTTY) {
    writeSync(2, USAGE);
    return;
  }
  const { answer, why } = await answerOf(called);
  if (called.explain) writeSync(2, `hivemail: ${why}\n`);
  if (answer === undefined) return;
  if (answer.stdout !== '') writeSync(1, answer.stdout);
  if (answer.stderr !== '') writeSync(2, answer.stderr);
  process.exitCode = answer.exitCode;
}

async function answerOf(called: HookArguments): Promise<Partial<HookResult>> {
  try {
    const payload = await readPayload(process.stdin);
    const started = performance.now();
    const { hive, agent } = called;
    const mailbox = findMailbox({ flags: { hive, agent }, env: process.env, cwd: process.cwd() });
    if (mailbox === undefined) return { why: 'there is no such hive, or no such agent in it' };
    return answerHook({
      ...called,
      ...mailbox,
      payload,
      env: process.env,
      parent: process.ppid,
      launcher: process.argv[1] ?? 'hivemail',
      now: Date.now(),
      checkTime: () => {
        if (performance.now() - started > MOST_MS) throw new Error('the hive is too slow');
      },
    });
  } catch (error) {
    // A session must not be disturbed by a hive in trouble; its router and `status` tell of it.
    return { why: error instanceof Error ? error.message : 'unknown' };
  }
}

void main(process.argv.slice(3)).finally(() => process.stdin.destroy());
