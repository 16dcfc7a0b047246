import { describe, expect, it, vi } from 'vitest';
import { runChild, startChild } from './child.ts';

const NEVER_ENDING = 'process.stdout.write("up"); setInterval(() => {}, 1000)';

function node(code: string, timeLimitMs = 10_000) {
  return { file: process.execPath, args: ['-e', code], cwd: '.', env: {}, timeLimitMs };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('runChild', () => {
  it('tells how a child ended and what it printed', async () => {
    const code = 'console.log("out"); console.error("err"); process.exitCode = 3';
    expect(await runChild(node(code))).toEqual({
      exitCode: 3,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
      timedOut: false,
    });
  });

  it('gives a child an empty stdin', async () => {
    const code = 'process.stdin.on("end", () => console.log("empty")).resume()';
    expect((await runChild(node(code))).stdout).toBe('empty\n');
  });

  it('ends a child over its time limit together with what it started', async () => {
    const grandchild = `const { spawn } = require('node:child_process');
      const options = { stdio: ['ignore', 'inherit', 'inherit'] };
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], options);
      console.log(child.pid); setInterval(() => {}, 1000)`;
    const result = await runChild(node(grandchild, 3_000));
    expect(result.timedOut).toBe(true);
    // Nobody but init waits for a grandchild, so its pid stays for a moment.
    await vi.waitFor(() => expect(isAlive(Number(result.stdout))).toBe(false), 5_000);
  });

  it('makes a child end that does not want to', async () => {
    const result = await runChild(node(`process.on('SIGTERM', () => {}); ${NEVER_ENDING}`, 2_000));
    expect(result).toMatchObject({ timedOut: true, signal: 'SIGKILL' });
  });

  it('fails when there is no such program', async () => {
    await expect(runChild({ ...node(''), file: '/no/such/program' })).rejects.toThrow('ENOENT');
  });
});

describe('startChild', () => {
  it('ends its child when it is disposed of', async () => {
    let pid: number;
    {
      await using child = await startChild(node(NEVER_ENDING));
      pid = child.pid;
      expect(isAlive(pid)).toBe(true);
    }
    expect(isAlive(pid)).toBe(false);
  });
});
