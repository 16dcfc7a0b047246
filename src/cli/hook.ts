/**
 * `hivemail hook CLIENT EVENT`: what clients call. An entry of its own that the build makes into one
 * file, since a client waits for it at every tool call: nothing of the command line is loaded.
 *
 * It never disturbs a session: on any error it prints nothing and ends with 0. With `--explain` it tells
 * on standard error why it said what it did.
 */
import { writeSync } from 'node:fs';
import { answerHook, type HookCall, type HookResult } from '../doorbell/answer-hook.ts';
import { startStopwatch } from '../doorbell/stopwatch.ts';
import { waitForMail } from '../doorbell/wait-for-mail.ts';
import { findMailbox } from '../doorbell/where.ts';
import { type HookArguments, readHookArguments, readPayload } from './hook-call.ts';

/** A hook that has not decided by then says nothing, in milliseconds. */
const MOST_MS = 80;

/** A waiter looks at least so often, in milliseconds. */
const POLL_MS = 1500;

const USAGE =
  'usage: hivemail hook <claude|codex|gemini|opencode> <event> [--hive DIR] [--agent ID] [--wake] [--explain] < payload.json\n';

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
  const parent = process.ppid;
  try {
    const payload = await readPayload(process.stdin);
    const spent = startStopwatch();
    const { hive, agent } = called;
    const mailbox = findMailbox({ flags: { hive, agent }, env: process.env, cwd: process.cwd() });
    if (mailbox === undefined) return { why: 'there is no such hive, or no such agent in it' };
    const call = {
      ...{ ...called, ...mailbox, payload, parent, env: process.env },
      launcher: process.argv[1] ?? 'hivemail',
    };
    if (called.wake) return await waitUntilMail(call);
    return answerHook({
      ...call,
      now: Date.now(),
      checkTime: () => {
        if (spent() > MOST_MS) throw new Error('the hive is too slow');
      },
    });
  } catch (error) {
    // A session must not be disturbed by a hive in trouble; its router and `status` tell of it.
    return { why: error instanceof Error ? error.message : 'unknown' };
  }
}

function waitUntilMail(call: Omit<HookCall, 'now' | 'checkTime'>): Promise<HookResult> {
  // The client holds the other end of standard input; that it lets go of it means nothing.
  process.stdin.destroy();
  return waitForMail({
    ...call,
    now: Date.now,
    currentParent: () => process.ppid,
    pollMs: POLL_MS,
    signal: new AbortController().signal,
  });
}

void main(process.argv.slice(3)).finally(() => process.stdin.destroy());
