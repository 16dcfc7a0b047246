import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect } from 'vitest';
import type { TakeKernelLock } from '../../src/hive/kernel-lock.ts';
import { layoutOf } from '../../src/hive/layout.ts';
import { acquireRouterLock, type RouterLock, type RouterLockOptions } from '../../src/hive/lock.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import { ownerHere, type RouterOwner, readOwner, writeOwner } from '../../src/hive/owner.ts';
import { HivemailError } from '../../src/protocol/errors.ts';
import { tempDir } from '../helpers/temp-dir.ts';

/** The real file system. */
export const fs = createNodeFs();
/** The moment of every test, until one moves it. */
export const time = { now: 0 };
/** A clock that stands, and jumps as the test says. */
export const clock = { now: () => time.now, monotonic: () => 0 };
const open: { [Symbol.asyncDispose](): PromiseLike<void> }[] = [];

/** A hive of its own for each test; its locks and holders end with the test. */
export const hive = { root: '' };
beforeEach(() => {
  hive.root = tempDir();
  time.now = Date.UTC(2026, 10, 30);
});
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

type Changes = Partial<RouterLockOptions>;

/** With the kernel's lock, and where there is none: titles and options for `it.each`. */
export const withAndWithoutKernel: readonly (readonly [string, Changes])[] = [
  ['with the kernel’s lock', {}],
  ['without it', { takeKernel: async () => 'unsupported' }],
];

/** Options where there is no kernel's lock. */
export const noKernel: Changes = withAndWithoutKernel[1]?.[1] ?? {};

/** Takes the kernel's lock where another process has it. */
export const heldByAnother: TakeKernelLock = async () => 'held';

/** Takes the lock until the end of the test. */
export async function acquire(changes: Changes = {}): Promise<RouterLock> {
  const layout = layoutOf(hive.root);
  const lock = await acquireRouterLock({ layout, clock, takeover: false, fs, ...changes });
  open.push(lock);
  return lock;
}

/** Gives a lock back before the test ends. */
export async function release(lock: RouterLock): Promise<void> {
  await lock[Symbol.asyncDispose]();
}

/** Tries to take the lock, and returns the error that says why not. */
export async function refusal(changes: Changes = {}): Promise<HivemailError> {
  try {
    await acquire(changes);
  } catch (error) {
    if (error instanceof HivemailError) return error;
    throw error;
  }
  throw new Error('the lock was given');
}

/** Reads owner.json. */
export function owner(): RouterOwner | undefined {
  return readOwner(fs, layoutOf(hive.root));
}

/** Leaves an owner.json behind as an earlier router would have. */
export async function leaveOwner(changes: Partial<RouterOwner>): Promise<void> {
  const layout = layoutOf(hive.root);
  fs.mkdir(layout.router);
  await writeOwner(fs, layout, { ...ownerHere(clock, 7), ...changes }, () => true);
}

/** Another process that holds the lock; see lock-holder.ts for what it can be asked. */
export class Holder {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly lines: Interface;

  constructor(root: string, mode: 'stay' | 'leave') {
    const program = fileURLToPath(new URL('./lock-holder.ts', import.meta.url));
    this.child = spawn(process.execPath, ['--import', 'tsx', program, root, mode], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.lines = createInterface({ input: this.child.stdout });
    open.push(this);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  async nextLine(): Promise<string> {
    const [line] = await once(this.lines, 'line');
    return String(line);
  }

  async ask(line: string): Promise<string> {
    const answer = this.nextLine();
    this.child.stdin.write(`${line}\n`);
    return answer;
  }

  async kill(): Promise<void> {
    const closed = once(this.child, 'close');
    this.child.kill('SIGKILL');
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) await this.kill();
  }
}

/** Starts a process that holds the lock of a hive. */
export async function startHolder(root = hive.root): Promise<Holder> {
  const holder = new Holder(root, 'stay');
  expect(await holder.nextLine()).toMatch(/^held true/);
  return holder;
}
