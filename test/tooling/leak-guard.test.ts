import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { removeTree, tempDir } from '../helpers/temp-dir.ts';
import { run, scratchProject, TOOL_MS } from './scratch-project.ts';

/** What a test leaves behind, and what the guard calls it. */
const LEAKS: [name: string, code: string, found: string][] = [
  ['watcher', 'fs.watch(tempDir())', 'file watcher (FSEventWrap)'],
  ['timer', 'setTimeout(() => {}, 9e6)', 'timer'],
  ['interval', 'setInterval(() => {}, 9e6).unref()', 'interval'],
  ['child', `spawn('sleep', ['4'], { stdio: 'ignore' })`, 'child process (ProcessWrap)'],
  ['server', 'net.createServer().listen(0)', 'TCP server (TCPServerWrap)'],
  ['signal', `process.on('SIGTERM', () => {})`, 'handler of SIGTERM'],
  ['folder', 'fs.mkdirSync(join(tmpdir(), "left"))', 'temporary left (make it with tempDir)'],
];
const HEAD = `
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { tempDir } from './helpers/temp-dir.ts';
`;
const TIDY = `
let server, shared;
const dirs = [];
beforeAll(() => { server = net.createServer().listen(0); shared = tempDir(); });
afterAll(() => { server.close(); });
it('tidy', () => {
  const watcher = fs.watch(tempDir());
  onTestFinished(() => { watcher.close(); });
  setTimeout(() => {}, 50);
  dirs.push(tempDir());
});
it('tidied', () => {
  expect(fs.existsSync(dirs[0])).toBe(false);
  expect(fs.existsSync(shared)).toBe(true);
});
`;

describe('the leak guard', { timeout: TOOL_MS }, () => {
  it('fails each test that leaves something open, and no other', () => {
    const leaky = LEAKS.map(([name, code]) => `it('${name}', () => { ${code}; });\n`).join('');
    const dir = scratchProject({ 'test/leaks.test.ts': HEAD + TIDY + leaky });
    const { status, output } = run(dir, 'node_modules/.bin/vitest', 'run', '--reporter=verbose');
    expect(status).toBe(1);
    const missed = LEAKS.filter(([, , found]) => !output.includes(`The test left open: ${found}.`));
    expect(missed, output).toEqual([]);
    expect(output).toContain(`${LEAKS.length} failed | 2 passed`);
  });
});

describe('removeTree', () => {
  it('removes locked folders, links and names that are not UTF-8', () => {
    const dir = join(tempDir(), 'tree');
    mkdirSync(join(dir, 'a', 'b'), { recursive: true });
    writeFileSync(join(dir, 'a', 'b', 'file'), '');
    if (process.platform === 'linux') {
      writeFileSync(Buffer.concat([Buffer.from(`${dir}/a/`), Buffer.from([0xff, 0xfe])]), '');
    }
    symlinkSync(tempDir(), join(dir, 'link'), 'junction');
    chmodSync(join(dir, 'a', 'b'), 0);
    chmodSync(join(dir, 'a'), 0);
    removeTree(dir);
    expect(existsSync(dir)).toBe(false);
  });
});
