// needs: git
/**
 * `doctor wake` as it is shipped, with a router and the hooks as processes of their own; the session that
 * calls them is played by the test.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { doorbellPaths } from '../../src/doorbell/paths.ts';
import { readSessionStatus } from '../../src/doorbell/read-session-status.ts';
import { layoutOf } from '../../src/hive/layout.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import type { AgentId, WakeReport } from '../../src/index.ts';
import { type Child, startChild } from '../clients/child.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import {
  HIVEMAIL,
  hivemail,
  lettersIn,
  makePlace,
  type Place,
  requireBuild,
  startRouter,
} from './built.ts';
import { type HookSession, openHookSession } from './hook-session.ts';

const LIMIT_MS = 120_000;
const SOON = { timeout: 60_000, interval: 50 };

let place: Place;
let session: HookSession;

beforeAll(requireBuild);

beforeEach(async () => {
  place = await makePlace(tempDir(), 'god,coder');
  session = openHookSession(place);
}, LIMIT_MS);

function inMode(mode: string): void {
  const { settings } = doorbellOf(place);
  mkdirSync(join(place.hive, 'agents', 'coder', '.doorbell'), { recursive: true });
  writeFileSync(settings, JSON.stringify({ mode }));
}

function doorbellOf({ hive }: Place): ReturnType<typeof doorbellPaths> {
  return doorbellPaths(join(hive, 'agents', 'coder'));
}

/** Starts the test, and waits until its letters are there. */
async function test(timeout = '60', letters = 3): Promise<Child> {
  const args = ['doctor', 'wake', '--agent', 'coder', '--json', '--timeout', timeout];
  const child = await startChild({
    file: process.execPath,
    args: [HIVEMAIL, ...args, '--hive', place.hive],
    cwd: place.hive,
    env: place.env,
    timeLimitMs: LIMIT_MS,
  });
  await vi.waitFor(() => expect(lettersIn(place, 'coder', 'inbox')).toHaveLength(letters), SOON);
  return child;
}

function reportOf(stdout: string): WakeReport & { version?: string } {
  return JSON.parse(stdout) as WakeReport;
}

/** Does what the digest of a test letter asks for. */
async function obey(digest: string): Promise<string> {
  const [, id = '', subject = ''] =
    /\n(\S{21})  .*? (Test of .*?)(?:\\n|\n)/.exec(digest.replaceAll('\\n', '\n')) ?? [];
  const acked = await hivemail(place, ['ack', id], 'coder');
  expect(acked, acked.stderr).toMatchObject({ exitCode: 0 });
  return subject;
}

function expectNothingLeft(letters = 3): void {
  expect(existsSync(doorbellOf(place).probe)).toBe(false);
  expect(lettersIn(place, 'coder', 'inbox')).toEqual([]);
  expect(lettersIn(place, 'coder', 'inbox/.done')).toHaveLength(letters);
  expect(lettersIn(place, 'human', 'inbox')).toEqual([]);
}

describe('doctor wake', { timeout: LIMIT_MS }, () => {
  it('proves each of the three ways of an idle session that is woken, by what it is told and does', async () => {
    await using _router = await startRouter(place, LIMIT_MS);
    inMode('continue');
    await session.hear('SessionStart');
    await using testing = await test();
    const woken = await session.hear('Stop', ['--wake']);
    expect(woken.exitCode).toBe(2);
    expect(await obey(woken.stderr)).toBe('Test of the doorbell while you are idle');
    const atTool = await session.hear('PostToolBatch');
    expect(await obey(atTool.stdout)).toBe('Test of the doorbell at a tool call');
    const atEnd = await session.hear('Stop');
    expect(JSON.parse(atEnd.stdout)).toMatchObject({ decision: 'block' });
    expect(await obey(atEnd.stdout)).toBe('Test of the doorbell at the end of a turn');

    const ended = await testing.result();
    expect(ended, ended.stderr).toMatchObject({ exitCode: 0 });
    const { moments, ...report } = reportOf(ended.stdout);
    expect(report).toMatchObject({ agent: 'coder', client: 'claude', mode: 'continue' });
    expect(moments).toMatchObject([
      { moment: 'tool', result: 'works', event: 'PostToolBatch' },
      { moment: 'turn-end', result: 'works', event: 'Stop' },
      { moment: 'idle', result: 'works', event: 'Stop' },
    ]);
    for (const { toldAfterMs = -1, handledAfterMs = -1 } of moments) {
      expect(toldAfterMs).toBeGreaterThan(0);
      expect(handledAfterMs).toBeGreaterThanOrEqual(toldAfterMs);
    }
    expectNothingLeft();
  });

  it('tells at the time limit what was not seen and why, and leaves nothing', async () => {
    await using _router = await startRouter(place, LIMIT_MS);
    inMode('continue');
    await session.hear('SessionStart');
    await using testing = await test('8');
    await session.hear('UserPromptSubmit');
    await session.hear('PostToolBatch');
    const ended = await testing.result();
    expect(ended, ended.stderr).toMatchObject({ exitCode: 7 });
    expect(reportOf(ended.stdout).moments).toMatchObject([
      { moment: 'tool', result: 'told' },
      { moment: 'turn-end', result: 'not-told', why: 'no-turn-end' },
      { moment: 'idle', result: 'not-told', why: 'at-work' },
    ]);
    expectNothingLeft();
  });

  it('ends when the session does, and says so', async () => {
    await using _router = await startRouter(place, LIMIT_MS);
    inMode('continue');
    await session.hear('SessionStart');
    await using testing = await test();
    await session.hear('SessionEnd');
    const ended = await testing.result();
    expect(ended, ended.stderr).toMatchObject({ exitCode: 7, timedOut: false });
    expect(reportOf(ended.stdout).moments.map(({ why }) => why)).toEqual(
      Array(3).fill('no-session'),
    );
    expectNothingLeft();
  });

  it('tests only tool calls in mode notify', async () => {
    await using _router = await startRouter(place, LIMIT_MS);
    await session.hear('SessionStart');
    await using testing = await test('60', 1);
    await obey((await session.hear('PostToolBatch')).stdout);
    const ended = await testing.result();
    expect(ended, ended.stderr).toMatchObject({ exitCode: 0 });
    expect(reportOf(ended.stdout).moments.map(({ result }) => result)).toEqual([
      'works',
      'off',
      'off',
    ]);
    expectNothingLeft(1);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'leaves nothing when it is ended by %s',
    async (signal) => {
      await using _router = await startRouter(place, LIMIT_MS);
      inMode('continue');
      await session.hear('SessionStart');
      await using testing = await test();
      expect(existsSync(doorbellOf(place).probe)).toBe(true);
      testing.signal(signal);
      const ended = await testing.result();
      expect(ended, ended.stderr).toMatchObject({ exitCode: signal === 'SIGINT' ? 130 : 143 });
      expectNothingLeft();
    },
  );

  it('says of a letter told at another moment that the hooks are of an earlier version', async () => {
    await using _router = await startRouter(place, LIMIT_MS);
    inMode('continue');
    await session.hear('SessionStart');
    await using testing = await test();
    // Hooks that know nothing of the file.
    writeFileSync(doorbellOf(place).probe, '');
    const told = await session.hear('UserPromptSubmit');
    expect(told.stdout).toContain('Test of the doorbell at a tool call');
    await session.hear('Stop');
    const ended = await testing.result();
    expect(reportOf(ended.stdout).moments.map(({ why }) => why)).toEqual(
      Array(3).fill('elsewhere'),
    );
  });

  it('refuses without a router, without a session, as an agent, and beside another test', async () => {
    const fails = async (agent?: string) => {
      const args = ['doctor', 'wake', '--agent', 'coder', '--timeout', '1'];
      const { exitCode, stderr } = await hivemail(place, args, agent);
      return { exitCode, stderr };
    };
    expect(await fails()).toEqual({ exitCode: 6, stderr: expect.stringContaining('hivemail up') });
    await using _router = await startRouter(place, LIMIT_MS);
    expect(await fails()).toEqual({
      exitCode: 3,
      stderr: expect.stringContaining('hooks install CLIENT --agent coder'),
    });
    await session.hear('SessionStart');
    expect(await fails('coder')).toEqual({
      exitCode: 4,
      stderr: expect.stringContaining('only the person acts'),
    });
    await using testing = await test('60', 1);
    expect(await fails()).toEqual({
      exitCode: 4,
      stderr: expect.stringContaining('is being tested'),
    });
    testing.signal('SIGINT');
    await testing.result();
    await session.hear('SessionEnd');
    expect((await fails()).exitCode).toBe(3);
    expect(statusOf()?.session).toBeUndefined();
  });

  it('prints for a person a line for each moment', async () => {
    await using _router = await startRouter(place, LIMIT_MS);
    await session.hear('SessionStart');
    const { exitCode, stdout, stderr } = await hivemail(place, [
      ...['doctor', 'wake', '--agent', 'coder', '--timeout', '1'],
    ]);
    expect(exitCode).toBe(7);
    expect(stderr).toContain('give it something to do that calls a tool');
    expect(stdout).toMatch(
      /^coder: claude .*, idle \d+s, mode notify\ntool call {2}not seen {2}its session is idle .*\nturn end {3}off .*\nidle {7}off .*\n$/,
    );
  });
});

function statusOf() {
  const hive = { fs: createNodeFs(), layout: layoutOf(place.hive) };
  return readSessionStatus(hive, 'coder' as AgentId, { unread: [], now: Date.now() });
}
