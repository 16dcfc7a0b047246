/**
 * How long mail takes to a session: from the rename into an outbox to the end of the hook that tells of
 * it at a tool call, and to the end of the waiter that wakes an idle session. Against the machine's own
 * limit in the same run: a rename, a watch of the directory, and a process that does nothing with it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readState } from '../src/doorbell/state-file.ts';
import { layoutOf } from '../src/hive/layout.ts';
import type { AgentId } from '../src/protocol/addresses.ts';
import { letterText, makeHive, quantile, report, round, withTempDir } from './measure.ts';

const HIVEMAIL = join(import.meta.dirname, '../dist/cli/hivemail.cjs');
const ROUNDS = 40;
const SESSION = 'bench';
/** Ends when anything comes into a directory. */
const BARE_WAITER = `require('node:fs').watch(process.argv[1], () => process.exit(2)); process.stdout.write('up');`;

await withTempDir(async (dir) => {
  const hive = await makeHive(dir, 2);
  const { inbox, root } = layoutOf(hive).agent('a0' as AgentId);
  const { outbox } = layoutOf(hive).agent('a1' as AgentId);
  const bare = join(dir, 'bare');
  for (const made of [bare, join(root, '.doorbell')]) mkdirSync(made, { recursive: true });
  writeFileSync(join(root, '.doorbell/settings.json'), JSON.stringify({ mode: 'continue' }));
  const router = spawn(process.execPath, [HIVEMAIL, 'up', hive], { stdio: 'ignore' });
  await pause(1500);

  const hook = (event: string, ...flags: string[]): ChildProcess => {
    const words = ['hook', 'claude', event, '--hive', hive, '--agent', 'a0', ...flags];
    const child = start([HIVEMAIL, ...words]);
    child.stdin?.end(JSON.stringify({ session_id: SESSION, hook_event_name: event, cwd: dir }));
    return child;
  };
  const times = { hook: [], bareHook: [], wake: [], bareWake: [] } as Record<
    'hook' | 'bareHook' | 'wake' | 'bareWake',
    number[]
  >;
  await ended(hook('UserPromptSubmit'));
  for (let serial = 0; serial < ROUNDS; serial += 1) {
    let letter = write(outbox, serial);
    const arrived = changeIn(inbox);
    let began = letter.send();
    await arrived;
    requireTold(await ended(hook('PostToolUse')));
    times.hook.push(performance.now() - began);
    clear(inbox);

    letter = write(bare, serial);
    const changed = changeIn(bare);
    began = letter.send();
    await changed;
    await ended(start(['-e', '0']));
    times.bareHook.push(performance.now() - began);

    await ended(hook('UserPromptSubmit'));
    await ended(hook('Stop'));
    const waiter = hook('Stop', '--wake');
    letter = write(outbox, ROUNDS + serial);
    await placeOf(waiter, join(root, '.doorbell/state'));
    began = letter.send();
    requireTold(await ended(waiter));
    times.wake.push(performance.now() - began);
    clear(inbox);

    letter = write(bare, ROUNDS + serial);
    const bareWaiter = start(['-e', BARE_WAITER, bare]);
    await once(bareWaiter.stdout as NodeJS.ReadableStream, 'data');
    began = letter.send();
    await ended(bareWaiter);
    times.bareWake.push(performance.now() - began);
  }
  router.kill('SIGTERM');
  await once(router, 'exit');
  tell('outbox to the output of a hook', times.hook, times.bareHook);
  tell('outbox to the wake of an idle session', times.wake, times.bareWake);
});

function tell(what: string, taken: readonly number[], bare: readonly number[]): void {
  const [p50, p99, limit] = [quantile(taken, 0.5), quantile(taken, 0.99), quantile(bare, 0.5)];
  const value = `p50 ${round(p50)} ms, p99 ${round(p99)} ms`;
  report(what, value, `p50 ${round(p50 / limit)} x bare (${round(limit)} ms)`, '-');
}

/** Writes a letter under a name that is none yet. `send` renames it, and returns when. */
function write(into: string, serial: number): { send(): number } {
  const temporary = join(into, '.tmp-bench');
  writeFileSync(temporary, letterText('a0', serial));
  return {
    send: () => {
      const began = performance.now();
      renameSync(temporary, join(into, `l${serial}.json`));
      return began;
    },
  };
}

async function changeIn(dir: string): Promise<void> {
  const watcher = watch(dir);
  await once(watcher, 'change');
  watcher.close();
}

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
}

/** Waits for the end of a process. @returns what it has printed */
async function ended(child: ChildProcess): Promise<string> {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  }
  await once(child, 'close');
  return text;
}

function requireTold(text: string): void {
  if (!text.includes('Letter ')) throw new Error(`Nothing was told of the letter: ${text}`);
}

/** Waits until a waiter has the place of its session's one waiter. */
async function placeOf({ pid }: ChildProcess, state: string): Promise<void> {
  while (readState(state).state.waiter?.pid !== pid) await pause(10);
}

/** Takes the letters out, as an agent that deletes what it has handled. */
function clear(inbox: string): void {
  for (const name of readdirSync(inbox)) if (name.endsWith('.json')) rmSync(join(inbox, name));
}
