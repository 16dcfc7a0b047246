import { runProcess } from '../../hive/process-run.ts';
import { HivemailError } from '../../protocol/errors.ts';

/** What a tmux pane shows. */
export interface Screen {
  /** All rows of the visible part. */
  text: string;
  /** Of the row that the cursor is in, what stands before the cursor, and from it on. */
  before: string;
  after: string;
  cursor: string;
}

/** How a tmux pane is, and what it shows. */
export interface PaneView extends Screen {
  /** Process that tmux started in it. */
  pid: number;
  isDead: boolean;
  /** Copy-mode, or another mode that takes the keys for itself. */
  isInMode: boolean;
}

/** A pane of a running tmux. */
export interface Pane {
  /** @returns nothing when there is no such pane any more, or no such tmux */
  look(): Promise<PaneView | undefined>;
  /** Types a text as it is. */
  type(text: string): Promise<void>;
  enter(): Promise<void>;
}

/** Where a pane is. */
export interface PanePlace {
  /** Absolute path of tmux. */
  file: string;
  socket: string;
  /** As in `TMUX_PANE`: `%` and a number. */
  id: string;
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

const LIMIT_MS = 10_000;
const FORMAT = '#{pane_id} #{pane_pid} #{pane_dead} #{pane_in_mode} #{cursor_x} #{cursor_y}';

/** Opens a pane. Nothing of it is looked at yet. */
export function openPane({ file, socket, id, env, signal }: PanePlace): Pane {
  const tmux = async (...args: string[]): Promise<string | undefined> => {
    const call = { file, env, signal, cwd: '/', timeoutMs: LIMIT_MS };
    try {
      const end = await runProcess({ ...call, args: ['-u', '-S', socket, ...args] });
      return end.exitCode === 0 ? end.stdout : undefined;
    } catch (error) {
      // It took too long, or printed what no screen holds: there is no pane to be sure of.
      if (error instanceof HivemailError && !signal.aborted) return undefined;
      throw error;
    }
  };
  return {
    look: async () => {
      // One call, so that cursor and screen are of one moment.
      const show = ['display-message', '-p', '-t', id, FORMAT];
      const printed = await tmux(...show, ';', 'capture-pane', '-p', '-t', id);
      return printed === undefined ? undefined : parseView(id, printed);
    },
    type: async (text) => void (await tmux('send-keys', '-t', id, '-l', '--', text)),
    enter: async () => void (await tmux('send-keys', '-t', id, 'Enter')),
  };
}

/** Reads what tmux prints of a pane; nothing when it is of another one. */
export function parseView(id: string, printed: string): PaneView | undefined {
  const end = printed.indexOf('\n');
  const [pane, pid, dead, mode, x, y] = printed.slice(0, end).split(' ');
  if (pane !== id) return undefined;
  const text = printed.slice(end + 1);
  const row = [...(text.split('\n')[Number(y)] ?? '')];
  return {
    ...{ pid: Number(pid), isDead: dead !== '0', isInMode: mode !== '0' },
    ...{ text, cursor: `${x},${y}` },
    before: row.slice(0, Number(x)).join(''),
    after: row.slice(Number(x)).join(''),
  };
}

/** Tells whether two screens show the same, the cursor included. */
export function isSameScreen(one: Screen, other: Screen): boolean {
  return one.text === other.text && one.cursor === other.cursor;
}
