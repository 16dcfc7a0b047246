import type { Surface } from './surface.ts';

const AFTER_MS = 1000;
const EACH_MS = 100;
const WIDTH = 24;
const CLEAR = '\r\u001b[K';

/** A bar on standard error that shows how far something is. */
export interface Progress {
  /** Shows a share, from 0 to 1; nothing within the first second, and where no terminal is. */
  show(this: void, share: number): void;
  /** Takes the bar off the terminal, before something else is printed. */
  clear(this: void): void;
}

/**
 * Opens a bar for what may take long.
 * @param what - what is being done; our own words
 * @param now - monotonic, in milliseconds
 */
export function openProgress(
  { stderr, env }: Pick<Surface, 'stderr' | 'env'>,
  what: string,
  now: () => number = () => performance.now(),
): Progress {
  const begun = now();
  let shown = 0;
  const clear = (): void => {
    if (shown > 0) stderr.write(CLEAR);
    shown = 0;
  };
  const show = (share: number): void => {
    const at = now();
    if (!hasTerminal(stderr, env) || at - begun < AFTER_MS || at - shown < EACH_MS) return;
    shown = at;
    const done = Math.min(1, Math.max(0, share));
    const bar = '#'.repeat(Math.round(done * WIDTH)).padEnd(WIDTH, '.');
    stderr.write(`${CLEAR}${what} [${bar}] ${Math.floor(done * 100)} %`);
  };
  return { show, clear };
}

function hasTerminal(stderr: Surface['stderr'], env: Surface['env']): boolean {
  return stderr.isTTY === true && env['TERM'] !== 'dumb';
}

/** Does something with a bar, which is gone afterwards. */
export async function withProgress<Result>(
  surface: Pick<Surface, 'stderr' | 'env'>,
  what: string,
  work: (progress: Progress) => Result | Promise<Result>,
): Promise<Result> {
  const progress = openProgress(surface, what);
  try {
    return await work(progress);
  } finally {
    progress.clear();
  }
}
