import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openDaemonLog } from '../../src/cli/daemon-log.ts';
import type { Output } from '../../src/cli/surface.ts';

function logTo(stream: Output, env: Record<string, string> = {}): string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const log = openDaemonLog({ stderr: stream, env });
  log.info('Ready \u001b[31mnow.');
  log.error('It failed.', Object.assign(new Error('no\u0007 space'), { code: 'ENOSPC' }));
  return Buffer.concat(chunks).toString('utf8');
}

const terminal = (): Output => Object.assign(new PassThrough(), { isTTY: true });

describe('the log of the router process', () => {
  it('is a JSON line for each sentence where no person looks', () => {
    const lines = logTo(new PassThrough()).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'info', pid: process.pid, msg: 'Ready \\u001b[31mnow.' },
      { level: 'error', code: 'ENOSPC', cause: 'no\\u0007 space', msg: 'It failed.' },
    ]);
  });

  it('is text on a terminal, and safe there', () => {
    const text = logTo(terminal(), { NO_COLOR: '1' });
    expect(text).toMatch(/^\d\d:\d\d:\d\d {2}info: Ready \\u001b\[31mnow\.$/m);
    expect(text).toMatch(/^\d\d:\d\d:\d\d {2}error: It failed\. .*"code":"ENOSPC".*$/m);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });

  it('is coloured on a terminal where nobody declined', () => {
    expect(logTo(terminal())).toContain('\u001b[36m');
  });
});
