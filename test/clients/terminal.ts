import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, vi } from 'vitest';

/** A program in a terminal, as a person sees it. Disposing of it ends its tmux, and waits for the program. */
export interface Terminal extends AsyncDisposable {
  /** What is on the screen. */
  screen(): string;
  /** Presses keys, by tmux's names for them. */
  press(...keys: string[]): void;
  /** Types a text, without Enter. */
  type(text: string): void;
  /** Runs a command of its tmux. */
  tmux(...words: string[]): string;
}

/** What to run in a terminal. */
export interface TerminalOptions {
  /** A directory for tmux's socket. */
  dir: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** The program and its words. */
  command: readonly string[];
}

/** Runs a program in a terminal of a tmux of its own. */
export function openTerminal({ dir, cwd, env, command }: TerminalOptions): Terminal {
  const socket = join(dir, 'tmux');
  const surroundings = { ...env, TERM: 'xterm-256color' };
  const tmux = (...words: string[]): string =>
    execFileSync('tmux', ['-S', socket, ...words], { env: surroundings, encoding: 'utf8' });
  const size = ['-x', '160', '-y', '50'];
  tmux('-f', '/dev/null', 'new-session', '-d', '-c', cwd, ...size, ...command);
  return {
    tmux,
    screen: () => tmux('capture-pane', '-p'),
    press: (...keys) => tmux('send-keys', ...keys),
    type: (text) => tmux('send-keys', '-l', text),
    [Symbol.asyncDispose]: async () => {
      const session = tmux('display-message', '-p', '#{pane_pid}').trim();
      tmux('kill-server');
      // It still writes into its home on its way out.
      await vi.waitFor(() => expect(processesOf(session)).toEqual([]), ENDING);
    },
  };
}

const ENDING = { timeout: 15_000, interval: 100 };

/** Lists the processes of a session of the system, which a terminal's program leads. */
function processesOf(session: string): string[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--sid', session], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.trim() !== '');
}
