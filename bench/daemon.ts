import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const HIVEMAIL = join(import.meta.dirname, '../dist/cli/hivemail.cjs');
/** Of `/proc/PID/stat`; what Linux tells programs, whatever its kernel was built with. */
const TICKS_A_SECOND = 100;

/** A built router at work, as a process of its own. Linux tells what it takes. */
export interface Daemon extends AsyncDisposable {
  pid: number;
  /** Processor time of all its threads so far, in milliseconds. */
  cpuMs(): number;
}

/** Starts the built router on a hive, and returns once it is ready. */
export async function startDaemon(hive: string): Promise<Daemon> {
  const stdio = ['ignore', 'ignore', 'pipe'] as const;
  const child = spawn(process.execPath, [HIVEMAIL, 'up', hive], { stdio: [...stdio] });
  const pid = child.pid as number;
  await new Promise<void>((resolve, reject) => {
    child.on('exit', (code) => reject(new Error(`The router ended with ${code}.`)));
    child.stderr?.on('data', (text: Buffer) => {
      if (text.includes('Ready.')) resolve();
    });
  });
  return {
    pid,
    cpuMs: () => {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_A_SECOND;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
