import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { startStopwatch } from '../../src/doorbell/stopwatch.ts';

/** Sleeps without giving the processor up for anything but the sleep. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('startStopwatch', () => {
  it('tells the time that a blocked process has spent, as on a slow disk', () => {
    const spent = startStopwatch();
    sleep(60);
    expect(spent()).toBeGreaterThan(40);
  });

  it.runIf(process.platform === 'linux')('leaves out what it waits for a processor', () => {
    // Two processes that never rest share one processor, so each waits for about half of the time.
    const code = `
      const { startStopwatch } = await import(${JSON.stringify(new URL('../../src/doorbell/stopwatch.ts', import.meta.url).href)});
      const started = performance.now();
      const spent = startStopwatch();
      while (performance.now() - started < 1000);
      console.log(spent() / (performance.now() - started));`;
    const node = [process.execPath, '--import', 'tsx', '--input-type=module', '-e'];
    const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
    const pair = `${[...node, code].map(quote).join(' ')}`;
    const script = `taskset -pc 0 $$ >/dev/null; ${pair} & ${pair} & wait`;
    const shares = execFileSync('sh', ['-c', script]).toString().trim().split('\n').map(Number);
    expect(Math.min(...shares)).toBeLessThan(0.8);
  });
});
