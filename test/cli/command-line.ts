import { PassThrough, Readable } from 'node:stream';
import { run } from '../../src/cli/run.ts';
import type { Output } from '../../src/cli/surface.ts';
import { createHive, type RunningRouter, startRouter } from '../../src/index.ts';
import { tempDir } from '../helpers/temp-dir.ts';

/** Where a command line is run. */
export interface Place {
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string;
  /** Standard output and error are terminals of this width. */
  columns?: number;
}

/** What a command line came to. */
export interface Ran {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs a command line in this process, with streams and an environment of its own. */
export async function hivemail(args: readonly string[], place: Place = {}): Promise<Ran> {
  const stdout = capture(place.columns);
  const stderr = capture(place.columns);
  const exitCode = await run(args, {
    stdin: Readable.from(place.stdin === undefined ? [] : [place.stdin]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: place.env ?? {},
    cwd: () => place.cwd ?? '/',
    keepRunning: () => {},
  });
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

/** A hive for one test, and its command line. */
export interface TestHive {
  dir: string;
  /** Runs a command of this hive; see {@link hivemail}. */
  cli(...args: string[]): Promise<Ran>;
  /** Runs a command of this hive with `--json`, which must end well, and parses what it prints. */
  json<Value = Record<string, unknown>>(...args: string[]): Promise<Value>;
  /** Starts a router in this process; dispose of it. */
  up(): Promise<RunningRouter>;
}

/** Makes a hive with the agents god (orchestrator), planner and coder. */
export async function makeHive(prefix?: string): Promise<TestHive> {
  const dir = `${tempDir(prefix)}/hive`;
  await createHive(dir, { agents: ['god', 'planner', 'coder'], orchestrator: 'god' });
  const cli = (...args: string[]): Promise<Ran> => hivemail(['--hive', dir, ...args]);
  return {
    dir,
    cli,
    json: async <Value>(...args: string[]) => {
      const { exitCode, stdout, stderr } = await cli('--json', ...args);
      if (exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${exitCode}: ${stderr}`);
      return JSON.parse(stdout) as Value;
    },
    up: () => startRouter({ dir, pollMs: 50, watch: false }),
  };
}

function capture(columns: number | undefined): { stream: Output; text: () => string } {
  const chunks: Buffer[] = [];
  const stream: Output = new PassThrough().on('data', (chunk: Buffer) => chunks.push(chunk));
  if (columns !== undefined) Object.assign(stream, { isTTY: true, columns });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}
