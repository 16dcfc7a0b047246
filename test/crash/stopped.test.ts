// needs: strace git
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { scrubbedEnvironment } from '../clients/environment.ts';
import { hivemail, rowsOf } from '../e2e/built.ts';
import { checkRest, copyOf, dropCopy, inboxesOf, makeTemplate, mendInbox } from './scene.ts';
import { type Call, listCalls, sample, startTraced } from './strace.ts';

const LIMIT_MS = 3_600_000;
const FULL = process.env['HIVEMAIL_FULL_SWEEP'] === '1';

let template = '';
let renames: Call[] = [];

beforeAll(async () => {
  template = await makeTemplate();
  mendInbox(template);
  const hive = copyOf(template);
  renames = (await listCalls(hive)).filter(({ name }) => name === 'rename');
  dropCopy(hive);
}, LIMIT_MS);

describe('a router that is stopped inside a rename', { timeout: LIMIT_MS }, () => {
  it('commits and publishes nothing more once another has taken over, and ends', async () => {
    // From the first claim on, until the batch is with the history.
    const protocol = renames.filter(({ text }) => /\.router\/e\d/.test(text));
    expect(protocol.length).toBeGreaterThan(10);
    for (const { ordinal, text } of sample(protocol, FULL ? 1000 : 4)) {
      const hive = copyOf(template);
      const inject = `inject=rename:signal=STOP:when=${ordinal}`;
      const output = `${hive}.trace`;
      const trace = ['-o', output, '-e', 'trace=rename', '-e', inject];
      await using first = await startTraced(hive, { trace, args: ['up', hive, '--once'] });
      const isStopped = () =>
        expect(readFileSync(output, 'latin1')).toContain('stopped by SIGSTOP');
      await vi.waitFor(isStopped, { timeout: 20_000, interval: 20 });
      const place = { hive, env: scrubbedEnvironment({}) };
      const refused = await hivemail(place, ['up', hive, '--once']);
      expect([text, refused.exitCode]).toEqual([text, 5]);
      expect(refused.stderr).toContain(`${first.pid}`);
      const second = await hivemail(place, ['up', hive, '--once', '--takeover']);
      expect([text, second.exitCode, second.stderr]).toMatchObject([text, 0, '']);
      const before = [inboxesOf(hive), rowsOf(place)];
      first.signal('SIGCONT');
      const end = await first.result();
      expect([text, end.exitCode, end.stderr]).toEqual([
        text,
        5,
        expect.stringMatching(/taken over|newer router/),
      ]);
      expect([inboxesOf(hive), rowsOf(place)]).toEqual(before);
      checkRest(hive);
      dropCopy(hive);
    }
  });
});
