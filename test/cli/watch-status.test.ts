import { PassThrough, Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { run } from '../../src/cli/run.ts';
import type { Output } from '../../src/cli/surface.ts';
import { makeHive, type TestHive } from './command-line.ts';

/** Runs `status --watch` until its reader goes away. */
function watch(hive: TestHive, { args = [], rows }: { args?: string[]; rows?: number } = {}) {
  const stdout: Output = new PassThrough();
  let text = '';
  stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  if (rows !== undefined) Object.assign(stdout, { isTTY: true, columns: 120, rows });
  const surface = {
    ...{ stdin: Readable.from([]), stdout, stderr: new PassThrough(), env: {} },
    ...{ cwd: () => '/', keepRunning: () => {} },
  };
  const ended = run(['--hive', hive.dir, 'status', '--watch', '0.2', ...args], surface);
  const stop = async (): Promise<number> => {
    stdout.destroy();
    return await ended;
  };
  return { text: () => text, stop };
}

const SOON = { timeout: 20_000 };

it('a watched status is drawn anew in place, as the hive is by then', async () => {
  const hive = await makeHive();
  const watched = watch(hive, { rows: 50 });
  await expect.poll(() => watched.text().split('\u001b[H').length, SOON).toBeGreaterThan(3);
  await hive.cli('send', ...'--agent planner --to coder --act inform --subject x'.split(' '));
  await expect.poll(() => watched.text(), SOON).toContain('1 letter to send');
  expect(await watched.stop()).toBe(0);
  const [clear, first = ''] = watched.text().split('\u001b[H');
  expect(clear).toBe('\u001b[2J');
  expect(first.split('\n')[0]).toBe(`${hive.dir}\u001b[K`);
  expect(first.endsWith('\n\u001b[J')).toBe(true);
});

it('a watched status leaves out what the terminal has no room for, and says so', async () => {
  const hive = await makeHive();
  const watched = watch(hive, { rows: 5 });
  await expect.poll(() => watched.text().split('\u001b[H').length, SOON).toBeGreaterThan(2);
  await watched.stop();
  const lines = watched.text().split('\u001b[H')[1]?.split('\n') ?? [];
  expect(lines).toHaveLength(5);
  expect(lines[3]).toMatch(/^… \d more lines/);
});

it('a watched status is one line of JSON each time for a program, and has no escapes', async () => {
  const hive = await makeHive();
  const watched = watch(hive, { args: ['--json'] });
  await expect.poll(() => watched.text().split('\n').length, SOON).toBeGreaterThan(2);
  await watched.stop();
  const [first = '', second = ''] = watched.text().split('\n');
  expect(JSON.parse(first)).toMatchObject({ dir: hive.dir, atRisk: false });
  expect(JSON.parse(second)).toMatchObject({ dir: hive.dir });
});

it('a watched status stands below the one before where there is no terminal', async () => {
  const hive = await makeHive();
  const watched = watch(hive);
  await expect.poll(() => watched.text().split(`${hive.dir}\n`).length, SOON).toBeGreaterThan(2);
  await watched.stop();
  expect(watched.text()).not.toContain('\u001b');
});
