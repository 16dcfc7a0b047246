import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { WakeCall } from '../../../src/doorbell/wake/call.ts';
import { wakeSession } from '../../../src/doorbell/wake/wake.ts';
import { tempDir } from '../../helpers/temp-dir.ts';

const THREAD = '01a22f4a-c142-7c70-9160-c52dca37000c';
const LINE = 'Hivemail has mail for coder; "hivemail inbox" lists it.';
const QUEUED = { result: 'queued', why: 'queued' };

let dir: string;
let bin: string;
let home: string;

beforeEach(() => {
  dir = tempDir();
  bin = join(dir, 'bin');
  home = join(dir, 'home', '.codex');
  mkdirSync(bin);
  mkdirSync(home, { recursive: true, mode: 0o755 });
});

/** Puts a codex into the PATH that notes how it was called, and then does something. */
function putCodex(then: string): void {
  const notes = '{ args: process.argv.slice(2), env: process.env, cwd: process.cwd() }';
  const script = `#!${process.execPath}
require('fs').writeFileSync(${JSON.stringify(join(dir, 'called'))}, JSON.stringify(${notes}));
${then}
`;
  writeFileSync(join(bin, 'codex'), script, { mode: 0o755 });
}

const wasCalled = (): boolean => existsSync(join(dir, 'called'));

/** How the codex was called; nothing before it was. */
function called(): { args: string[]; env: Record<string, string>; cwd: string } {
  return JSON.parse(readFileSync(join(dir, 'called'), 'utf8'));
}

function wake({ holder = {}, env = {}, ...call }: Parts = {}) {
  return wakeSession({
    holder: {
      ...{ client: 'codex', session: THREAD, heardAt: 1, place: { CODEX_HOME: home } },
      ...holder,
    },
    env: { PATH: `${bin}:/usr/bin:/bin`, HOME: join(dir, 'home'), ...env },
    ...{
      line: LINE,
      codexHomes: [],
      tmuxSockets: [],
      timeoutMs: 30_000,
      signal: new AbortController().signal,
    },
    ...{ mayType: false, current: () => undefined },
    ...call,
  });
}

interface Parts extends Partial<Omit<WakeCall, 'holder' | 'env'>> {
  holder?: Partial<WakeCall['holder']>;
  env?: NodeJS.ProcessEnv;
}

describe('waking a Codex session', () => {
  it('queues the line for its thread, and nothing else', async () => {
    putCodex('');
    expect(await wake()).toEqual(QUEUED);
    expect(called()).toMatchObject({
      args: ['queue', '--thread', THREAD, '--message', LINE],
      cwd: home,
    });
  });

  it('asks a server of many sessions to load the thread again', async () => {
    putCodex('');
    expect(await wake({ holder: { shared: true } })).toEqual(QUEUED);
    expect(called().args.at(-1)).toBe('--resume');
  });

  it('gives it nothing of the environment but what a program needs', async () => {
    putCodex('');
    await wake({
      env: { OPENAI_API_KEY: 'k', HIVEMAIL_AGENT: 'god', CODEX_SQLITE_HOME: '/x' },
      holder: { place: { CODEX_HOME: home, PATH: '/evil', LD_PRELOAD: '/evil.so' } },
    });
    const names = Object.keys(called().env).filter((name) => !name.startsWith('__'));
    expect(names.sort()).toEqual(['CODEX_HOME', 'HOME', 'PATH']);
    expect(called().env).toMatchObject({ CODEX_HOME: home, PATH: `${bin}:/usr/bin:/bin` });
  });

  it.each(['--last', '-c', 'my session', '', `${THREAD}\n`, THREAD.toUpperCase(), '../x'])(
    'takes %j for no thread',
    async (session) => {
      putCodex('');
      expect(await wake({ holder: { session } })).toMatchObject({ why: 'unknown-session' });
      expect(wasCalled()).toBe(false);
    },
  );

  it('believes only in a CODEX_HOME that the router knows without the agent', async () => {
    putCodex('');
    const other = join(dir, 'other');
    mkdirSync(other, { mode: 0o700 });
    const place = { CODEX_HOME: other };
    expect(await wake({ holder: { place } })).toEqual({ result: 'no-way', why: 'unknown-home' });
    expect(await wake({ holder: { place: { CODEX_HOME: 'home/.codex' } } })).toMatchObject({
      why: 'unknown-home',
    });
    expect(await wake({ holder: { place: {} }, env: { HOME: '' } })).toMatchObject({
      why: 'unknown-home',
    });
    expect(wasCalled()).toBe(false);
    expect(await wake({ holder: { place }, codexHomes: [join(dir, 'gone'), other] })).toEqual(
      QUEUED,
    );
    expect(called().env['CODEX_HOME']).toBe(other);
    expect(await wake({ holder: { place }, env: { CODEX_HOME: other } })).toEqual(QUEUED);
  });

  it('follows links to the directory that is meant, and takes the one below HOME where none is named', async () => {
    putCodex('');
    symlinkSync(home, join(dir, 'linked'));
    expect(await wake({ holder: { place: { CODEX_HOME: join(dir, 'linked') } } })).toEqual(QUEUED);
    expect(await wake({ holder: { place: { HOME: join(dir, 'home') } } })).toEqual(QUEUED);
    expect(called().env['CODEX_HOME']).toBe(home);
  });

  it.skipIf(process.getuid === undefined)(
    'does not use a CODEX_HOME that others write to',
    async () => {
      putCodex('');
      chmodSync(home, 0o775);
      expect(await wake()).toEqual({ result: 'no-way', why: 'unsafe-home' });
      expect(wasCalled()).toBe(false);
    },
  );

  it('says so when no codex is in the PATH, relative entries not counted', async () => {
    putCodex('');
    const PATH = ['', '.', 'bin', '/nowhere'].join(':');
    expect(await wake({ env: { PATH } })).toEqual({ result: 'no-way', why: 'no-program' });
  });

  it('says so when codex does not take it, or can not be started', async () => {
    putCodex('process.exitCode = 1;');
    expect(await wake()).toEqual({ result: 'no-way', why: 'refused' });
    writeFileSync(join(bin, 'codex'), '#!/nowhere/at/all\n', { mode: 0o755 });
    expect(await wake()).toEqual({ result: 'no-way', why: 'refused' });
  });

  it('ends a codex that hangs, with all that it has started', async () => {
    const script = `#!/bin/sh\necho $$ > '${join(dir, 'called')}'\nsleep 600 &\nsleep 600\n`;
    writeFileSync(join(bin, 'codex'), script, { mode: 0o755 });
    expect(await wake({ timeoutMs: 3000 })).toEqual({ result: 'no-way', why: 'too-long' });
    const pid = Number(readFileSync(join(dir, 'called'), 'utf8'));
    await vi.waitFor(() => expect(isGroupAlive(pid)).toBe(false), { timeout: 10_000 });
  });

  it('is given up with the router', async () => {
    putCodex('setInterval(() => {}, 1000);');
    const ending = new AbortController();
    const waking = wake({ signal: ending.signal });
    await vi.waitFor(() => expect(wasCalled()).toBe(true), { timeout: 20_000 });
    ending.abort(new Error('the end'));
    await expect(waking).rejects.toThrow('the end');
  });
});

function isGroupAlive(pid: number): boolean {
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}
