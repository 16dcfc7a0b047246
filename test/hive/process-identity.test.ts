import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  bootId,
  isSameProcessAlive,
  ownIdentity,
  parseProcStat,
  parsePsLine,
  processIdentity,
} from '../../src/hive/process-identity.ts';

async function end(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('the child did not start');
  return child.pid;
}

describe('the identity of a process', () => {
  it('stays the same while it runs, and stops being found once it has ended', async () => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    const pid = pidOf(child);
    const identity = { pid, startedAt: processIdentity(pid), bootId: bootId() };
    expect(identity.startedAt).toMatch(/\S/);
    expect(processIdentity(pid)).toBe(identity.startedAt);
    expect(isSameProcessAlive(identity)).toBe(true);
    await end(child);
    expect(processIdentity(pid)).toBeUndefined();
    expect(isSameProcessAlive(identity)).toBe(false);
  });
  it('finds a stopped process alive', async () => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    const pid = pidOf(child);
    const identity = { pid, startedAt: processIdentity(pid), bootId: bootId() };
    child.kill('SIGSTOP');
    await pause(20);
    expect(isSameProcessAlive(identity)).toBe(true);
    await end(child);
  });
  it('finds a killed process ended although its parent has not looked yet', async () => {
    // A parent that starts a child and then stands still: nothing in it can wait for the child.
    const standStill =
      "const child = require('node:child_process').spawn('sleep', ['60'], { stdio: 'ignore' });" +
      "require('node:fs').writeSync(1, String(child.pid));" +
      'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
    const parent = spawn(process.execPath, ['-e', standStill], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => end(parent));
    const [line] = await once(parent.stdout, 'data');
    const pid = Number(String(line));
    const identity = { pid, startedAt: processIdentity(pid), bootId: bootId() };
    expect(isSameProcessAlive(identity)).toBe(true);
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(isSameProcessAlive(identity)).toBe(false));
    expect(() => process.kill(pid, 0)).not.toThrow();
  });
  it('tells a process from a later one with the same number, and from one of another boot', () => {
    const own = ownIdentity();
    expect(own.pid).toBe(process.pid);
    expect(isSameProcessAlive(own)).toBe(true);
    expect(isSameProcessAlive({ ...own, startedAt: '1' })).toBe(false);
    expect(isSameProcessAlive({ ...own, bootId: 'another' })).toBe(false);
  });
  it('goes by the number alone where no start time was recorded', () => {
    const own = { ...ownIdentity(), startedAt: undefined };
    expect(isSameProcessAlive(own)).toBe(true);
    expect(isSameProcessAlive({ ...own, bootId: undefined })).toBe(true);
    expect(isSameProcessAlive({ ...own, pid: 2 ** 22 + 1 })).toBe(false);
  });
  it('gives the same answer by ps as often as it is asked', () => {
    const identity = processIdentity(process.pid, 'freebsd');
    expect(identity).toMatch(/^\w{3} \w{3} \d+ [\d:]{8} \d{4}$/);
    expect(processIdentity(process.pid, 'freebsd')).toBe(identity);
    expect(processIdentity(2 ** 22 + 1, 'freebsd')).toBeUndefined();
  });
  it('names the boot on Linux as the kernel does', () => {
    expect(bootId('linux')).toBe(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
    expect(bootId('freebsd')).toBeUndefined();
    expect(processIdentity(process.pid, 'win32')).toBeUndefined();
  });
});

describe('what the system prints of a process', () => {
  const rest = '1 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 98765 4096 100';
  it('reads the start time behind any command, also one with brackets and blanks', () => {
    for (const command of ['node', 'a b', ') S 1', '((x)) R (', '']) {
      expect(parseProcStat(`7 (${command}) S ${rest}\n`)).toBe('98765');
    }
  });
  it('finds no start time of an ended process, or in what is no such line', () => {
    expect(parseProcStat(`7 (node) Z ${rest}`)).toBeUndefined();
    expect(parseProcStat(`7 (node) X ${rest}`)).toBeUndefined();
    for (const line of ['', '7', '7 (node) S 1 2', `7 (node) S ${rest.replace('98765', 'x')}`]) {
      expect(parseProcStat(line)).toBeUndefined();
    }
  });
  it('reads ps lines, however padded', () => {
    expect(parsePsLine('Ss   Mon Nov  2 18:52:11 2026 \n')).toBe('Mon Nov 2 18:52:11 2026');
    expect(parsePsLine('Z+   Mon Nov  2 18:52:11 2026')).toBeUndefined();
    expect(parsePsLine('')).toBeUndefined();
  });
});
