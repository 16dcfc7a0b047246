// needs: tmux
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type DoorbellState, NO_STATE } from '../../../src/doorbell/state.ts';
import { wakeByTmux } from '../../../src/doorbell/tmux/wake.ts';
import type { WakeCall } from '../../../src/doorbell/wake/call.ts';
import { wakeSession } from '../../../src/doorbell/wake/wake.ts';
import { bootId, processIdentity } from '../../../src/hive/process-identity.ts';
import { openTerminal, type Terminal } from '../../clients/terminal.ts';
import { tempDir } from '../../helpers/temp-dir.ts';

const LINE = 'Hivemail has mail for coder; "hivemail --hive \'/a b\' inbox" lists it.';
const TIMES = { restMs: 300, answerMs: 3000, lookMs: 50 };
const PATIENT = { ...TIMES, answerMs: 20_000 };
const SOON = { timeout: 20_000, interval: 50 };

interface Scene extends Terminal {
  dir: string;
  /** What the stand-in has read from its terminal, and what was sent to it. */
  keys(): string;
  sent(): string;
  pid: number;
  /** How the session stands; busy once something was sent, unless it says otherwise. */
  state: Partial<DoorbellState>;
  call(changes?: Partial<WakeCall>): WakeCall;
}

const REPL = join(import.meta.dirname, 'repl.mjs');

async function open(
  how = '',
  dir = tempDir('t-'),
  command = [process.execPath, REPL, dir, how],
): Promise<Scene> {
  const terminal = openTerminal({ dir, cwd: dir, env: process.env, command });
  onTestFinished(async () => await terminal[Symbol.asyncDispose]());
  const read = (file: string): string =>
    existsSync(join(dir, file)) ? readFileSync(join(dir, file), 'utf8') : '';
  await vi.waitFor(() => expect(terminal.screen()).toMatch(/^[>❯]/m), SOON);
  const [id = '', pid = ''] = terminal
    .tmux('display-message', '-p', '#{pane_id} #{pane_pid}')
    .trim()
    .split(' ');
  const process_ = { pid: Number(pid), startedAt: processIdentity(Number(pid)), bootId: bootId() };
  const place = { TMUX: `${join(dir, 'tmux')},1,0`, TMUX_PANE: id };
  const holder = { client: 'gemini', session: 's', process: process_, heardAt: 1, place } as const;
  const scene: Scene = {
    ...terminal,
    ...{ dir, pid: Number(pid), keys: () => read('keys'), sent: () => read('sent') },
    state: {},
    call: (changes = {}) => ({
      ...{ holder, line: LINE, mayType: true, codexHomes: [], timeoutMs: 1000 },
      ...{ tmuxSockets: [join(dir, 'tmux')], env: { PATH: process.env['PATH'] } },
      signal: new AbortController().signal,
      current: () => ({
        ...{ ...NO_STATE, holder, activity: read('sent') === '' ? 'idle' : 'busy' },
        ...scene.state,
      }),
      ...changes,
    }),
  };
  return scene;
}

describe('waking by keystrokes', { timeout: 90_000 }, () => {
  it('types one line as it is, and Enter by itself', async () => {
    const scene = await open();
    expect(await wakeByTmux(scene.call(), PATIENT)).toEqual({ result: 'woken', why: 'typed' });
    expect(scene.keys()).toBe(`${LINE}\r`);
    expect(scene.sent()).toBe(`${LINE}\n`);
  });

  it.each<[string, Partial<DoorbellState>]>([
    ['dialog', { dialog: { what: 'to allow Bash', since: 1 } }],
    ['not-idle', { activity: 'busy' }],
    ['not-idle', { holder: undefined }],
  ])('sends no key where the hooks say so: %s', async (why, state) => {
    const scene = await open();
    scene.state = state;
    expect(await wakeByTmux(scene.call(), TIMES)).toEqual({ result: 'no-way', why });
    expect(scene.keys()).toBe('');
  });

  it('sends no key to a half-typed line, wherever its cursor is', async () => {
    const scene = await open();
    scene.type('half a line');
    await vi.waitFor(() => expect(scene.screen()).toContain('> half a line'), SOON);
    expect(await wakeByTmux(scene.call(), TIMES)).toMatchObject({ why: 'draft' });
    expect(scene.keys()).toBe('half a line');
  });

  it('sends no key to a menu that no hook tells of', async () => {
    const scene = await open('menu');
    expect(await wakeByTmux(scene.call(), TIMES)).toMatchObject({ why: 'draft' });
    expect(scene.keys()).toBe('');
  });

  it('sends no key in copy-mode', async () => {
    const scene = await open();
    scene.tmux('copy-mode');
    expect(await wakeByTmux(scene.call(), TIMES)).toMatchObject({ why: 'copy-mode' });
    scene.tmux('send-keys', '-X', 'cancel');
    expect(scene.keys()).toBe('');
  });

  it('sends no key to a dead pane, nor to one that is gone', async () => {
    const scene = await open();
    scene.tmux('set-option', '-w', 'remain-on-exit', 'on');
    const call = scene.call();
    process.kill(scene.pid);
    const isDead = () => scene.tmux('display-message', '-p', '#{pane_dead}').trim();
    await vi.waitFor(() => expect(isDead()).toBe('1'), SOON);
    expect(await wakeByTmux(call, TIMES)).toMatchObject({ why: 'pane-gone' });
    const place = { ...call.holder.place, TMUX_PANE: '%99' };
    const gone = { ...call, holder: { ...call.holder, place } };
    expect(await wakeByTmux(gone, TIMES)).toMatchObject({ why: 'pane-gone' });
  });

  it('sends no key where another process is in front than the session’s own', async () => {
    const scene = await open();
    const other = spawn('sleep', ['600']);
    await once(other, 'spawn');
    const pid = other.pid ?? 0;
    const identity = { pid, startedAt: processIdentity(pid), bootId: bootId() };
    const call = scene.call();
    for (const process_ of [identity, undefined, { ...identity, pid: scene.pid }]) {
      const holder = { ...call.holder, process: process_ };
      expect(await wakeByTmux({ ...call, holder }, TIMES)).toMatchObject({ why: 'not-in-front' });
    }
    other.kill();
    await once(other, 'close');
    expect(scene.keys()).toBe('');
  });

  it('sends no key to a session that was put into the background of its pane', async () => {
    const dir = tempDir('t-');
    const jobs = `set -m; sleep 601 & echo $! > behind; exec '${process.execPath}' '${REPL}' .`;
    const scene = await open('', dir, ['sh', '-c', jobs]);
    const pid = Number(readFileSync(join(dir, 'behind'), 'utf8'));
    const behind = { pid, startedAt: processIdentity(pid), bootId: bootId() };
    const call = scene.call();
    const holder = { ...call.holder, process: behind };
    expect(await wakeByTmux({ ...call, holder }, TIMES)).toMatchObject({ why: 'not-in-front' });
    process.kill(pid);
    expect(scene.keys()).toBe('');
    expect(await wakeByTmux(call, PATIENT)).toMatchObject({ result: 'woken' });
  });

  it('sends no key while the screen changes by itself', async () => {
    const scene = await open('spinner');
    expect(await wakeByTmux(scene.call(), TIMES)).toMatchObject({ why: 'restless' });
    expect(scene.keys()).toBe('');
  });

  it('sends no Enter when a dialog opens between the two', async () => {
    const scene = await open();
    const call = scene.call();
    const current = () => {
      const state = call.current() ?? NO_STATE;
      return scene.keys() === '' ? state : { ...state, dialog: { what: 'x', since: 1 } };
    };
    expect(await wakeByTmux({ ...call, current }, TIMES)).toMatchObject({ why: 'unsent' });
    expect(scene.keys()).toBe(LINE);
  });

  it('sends no Enter when a person types between the two', async () => {
    const scene = await open();
    const call = scene.call();
    let looks = 0;
    const current = () => {
      // Once the line has been seen at rest, which takes two looks, right before Enter.
      if (scene.screen().includes('lists it.')) looks += 1;
      if (looks === 2) scene.type(' and more');
      return call.current();
    };
    const times = { ...TIMES, answerMs: 6000 };
    expect(await wakeByTmux({ ...call, current }, times)).toMatchObject({ why: 'unsent' });
    expect(scene.keys()).toBe(`${LINE} and more`);
    expect(scene.sent()).toBe('');
  });

  it('tries again with Enter alone', async () => {
    const scene = await open('deaf-once');
    expect(await wakeByTmux(scene.call(), TIMES)).toMatchObject({ result: 'woken' });
    expect(scene.keys()).toBe(`${LINE}\r\r`);
  });

  it('says so when no turn begins', async () => {
    const scene = await open('deaf');
    const call = scene.call();
    expect(await wakeByTmux(call, TIMES)).toEqual({ result: 'no-way', why: 'unsent' });
    expect(scene.keys()).toBe(`${LINE}\r\r`);
    // What it left there counts as typed.
    expect(await wakeByTmux(call, TIMES)).toMatchObject({ why: 'draft' });
    expect(scene.keys()).toBe(`${LINE}\r\r`);
  });

  it('believes in no socket but those of the user’s own tmux and of hive.json', async () => {
    const root = tempDir('t-');
    const dir = join(root, `tmux-${process.getuid?.()}`);
    mkdirSync(dir, { mode: 0o700 });
    const scene = await open('', dir);
    const call = scene.call({ tmuxSockets: [] });
    expect(await wakeByTmux(call, TIMES)).toEqual({ result: 'no-way', why: 'no-pane' });
    const env = { ...call.env, TMUX_TMPDIR: dirname(dir) };
    chmodSync(dir, 0o755);
    expect(await wakeByTmux({ ...call, env }, TIMES)).toMatchObject({ why: 'no-pane' });
    chmodSync(dir, 0o700);
    for (const place of [
      {},
      { TMUX: '/etc/passwd,1,0', TMUX_PANE: '%0' },
      { TMUX: `${dir}/tmux,1,0` },
    ]) {
      const holder = { ...call.holder, place };
      expect(await wakeByTmux({ ...call, env, holder }, TIMES)).toMatchObject({ why: 'no-pane' });
    }
    expect(scene.keys()).toBe('');
    expect(await wakeByTmux({ ...call, env }, PATIENT)).toMatchObject({ result: 'woken' });
  });

  it('is for agents whose settings allow it, and needs tmux in the PATH', async () => {
    const scene = await open();
    expect(await wakeSession(scene.call({ mayType: false }))).toMatchObject({ result: 'no-way' });
    const env = { PATH: '/nowhere' };
    expect(await wakeSession(scene.call({ env }))).toEqual({ result: 'no-way', why: 'no-tmux' });
    expect(scene.keys()).toBe('');
  });
});
