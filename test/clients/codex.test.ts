import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { tempDir } from '../helpers/temp-dir.ts';
import { installCodex, runCodex } from './codex.ts';
import { startStubModel } from './stub-model.ts';
import { clientTestsWanted } from './wanted.ts';

let dir: string;

describe.skipIf(!clientTestsWanted('Codex'))('runCodex', { timeout: 60_000 }, () => {
  beforeAll(installCodex, 10 * 60_000);

  beforeEach(() => {
    dir = tempDir();
  });

  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('lets Codex act with its own shell tool, and reach nothing but the stub model', async () => {
    await using stub = await startStubModel();
    const session = await runCodex({
      home: join(dir, 'home'),
      cwd: dir,
      prompt: 'TOOL{{echo written by Codex | tee proof.txt}}',
      model: stub.url,
    });
    expect(session).toMatchObject({ exitCode: 0, timedOut: false });
    expect(readFileSync(join(dir, 'proof.txt'), 'utf8')).toBe('written by Codex\n');
    expect(stub.turns().map(({ toolOutputs }) => toolOutputs.length)).toEqual([0, 1]);
    expect(stub.turns()[1]?.toolOutput).toContain('written by Codex');
    const said = session.events.flatMap(({ item }) => (item?.text ? [item.text] : []));
    expect(said.at(-1)).toMatch(/^DONE .*/);
    expect(stub.strays()).toEqual([]);
  });

  it('gives Codex the variables of the test and none of the person who runs it', async () => {
    for (const name of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'CODEX_API_KEY', 'GIT_DIR']) {
      vi.stubEnv(name, 'of-the-person');
    }
    await using stub = await startStubModel();
    await runCodex({
      home: join(dir, 'home'),
      cwd: dir,
      prompt: 'TOOL{{env}}',
      model: stub.url,
      env: { HIVEMAIL_AGENT: 'planner' },
    });
    const output = stub.turns()[1]?.toolOutput;
    expect(output).toContain('HIVEMAIL_AGENT=planner\n');
    expect(output).toContain(`HOME=${join(dir, 'home')}\n`);
    expect(output).not.toContain('of-the-person');
  });

  it('ends a session over its time limit together with the command it runs', async () => {
    await using stub = await startStubModel();
    const session = await runCodex({
      home: join(dir, 'home'),
      cwd: dir,
      prompt: 'TOOL{{echo $$ > pid; exec sleep 300}}',
      model: stub.url,
      timeLimitMs: 10_000,
    });
    expect(session.timedOut).toBe(true);
    const pid = Number(readFileSync(join(dir, 'pid'), 'utf8'));
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 5_000);
  });

  it('tells why a session failed when the script did', async () => {
    await using stub = await startStubModel(() => {
      throw new Error('This turn was not foreseen.');
    });
    const session = await runCodex({
      home: join(dir, 'home'),
      cwd: dir,
      prompt: 'Hello.',
      model: stub.url,
    });
    expect(session.exitCode).toBe(1);
    expect(session.stdout).toContain('This turn was not foreseen.');
  });
});
