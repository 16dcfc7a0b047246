import type { Readable, Writable } from 'node:stream';

/** A stream to a person or to another program. */
export interface Output extends Writable {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  rows?: number | undefined;
}

/** Everything of the process that the command line touches, so that tests can stand in for it. */
export interface Surface {
  stdin: Readable & { isTTY?: boolean | undefined };
  stdout: Output;
  stderr: Output;
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the working directory. */
  cwd(): string;
  /** From now on a reader that went away does not end the process: it has more to do than to print. */
  keepRunning(): void;
}

/** Error codes of a stream whose other end is gone: a closed pipe, a closed terminal. */
const GONE = new Set(['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']);

/** Takes this process as the surface. A reader that goes away (`| head`) ends it quietly. */
export function processSurface(): Surface {
  let keepsRunning = false;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (!GONE.has(error.code ?? '')) throw error;
      if (!keepsRunning) process.exit();
    });
  }
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: () => process.cwd(),
    keepRunning: () => {
      keepsRunning = true;
    },
  };
}

/** Tells whether a stream is to be coloured: a terminal that can, and a person who did not decline. */
export function hasColor(stream: Output, env: Surface['env']): boolean {
  return stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}
