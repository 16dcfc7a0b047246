/** What the real Codex says of hooks that it was, and was not, told to trust; no model is asked anything. */
import { appendFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { askCodexTrust, installSetup, type SetupPlace } from '../../src/index.ts';
import { runChild } from '../clients/child.ts';
import { installCodex } from '../clients/codex.ts';
import { scrubbedEnvironment } from '../clients/environment.ts';
import { clientTestsWanted } from '../clients/wanted.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const LIMIT_MS = 120_000;

describe.skipIf(!clientTestsWanted('Codex'))('the trust of Codex', { timeout: LIMIT_MS }, () => {
  let script: string;

  beforeAll(async () => {
    script = await installCodex();
  }, 10 * 60_000);

  it('is missing after the installation, and there once each hook is trusted', async () => {
    const dir = tempDir();
    const [home, bin, root] = ['home', 'bin', 'hive/agents/coder'].map((each) => join(dir, each));
    for (const each of [home, bin, root]) mkdirSync(each ?? '', { recursive: true });
    symlinkSync(script, join(bin ?? '', 'codex'));
    const PATH = [bin, process.env['PATH']].join(delimiter);
    const env = scrubbedEnvironment({ HOME: home, PATH });
    const owner = { client: 'codex', hive: join(dir, 'hive'), agent: 'coder' } as const;
    const place: SetupPlace = { kind: 'hooks', owner, root: root ?? '', env, cwd: dir };
    const { file } = await installSetup(place, { scope: 'user' });
    const ask = () => askCodexTrust({ owner, file, env });
    expect(await ask()).toBe('untrusted');

    const listed = await runChild({
      file: process.execPath,
      args: ['-e', LIST_HOOKS, script, dir],
      ...{ cwd: dir, env: { ...env, CODEX_HOME: join(home ?? '', '.codex') } },
      timeLimitMs: LIMIT_MS,
    });
    const hooks = JSON.parse(listed.stdout) as { key: string; currentHash: string }[];
    expect(hooks).toHaveLength(7);
    const trust = hooks.map(
      ({ key, currentHash }) =>
        `[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = ${JSON.stringify(currentHash)}\n`,
    );
    const config = join(home ?? '', '.codex', 'config.toml');
    appendFileSync(config, trust.slice(1).join(''));
    expect(await ask()).toBe('untrusted');
    appendFileSync(config, trust[0] ?? '');
    expect(await ask()).toBe('trusted');
    expect(await askCodexTrust({ owner: { ...owner, agent: 'tester' }, file, env })).toBe('unread');
  });
});

/** Asks Codex for its hooks, as `askCodexTrust` does, and prints them: their hashes are what trust goes by. */
const LIST_HOOKS = `
const [script, cwd] = process.argv.slice(1);
const codex = require('node:child_process').spawn(process.execPath, [script, 'app-server'], {
  stdio: ['pipe', 'pipe', 'ignore'],
});
const say = (message) => codex.stdin.write(JSON.stringify(message) + '\\n');
say({ id: 1, method: 'initialize', params: { clientInfo: { name: 'test', title: 'Test', version: '1' } } });
require('node:readline').createInterface({ input: codex.stdout }).on('line', (line) => {
  const { id, result } = JSON.parse(line);
  if (id === 1) say({ method: 'initialized' });
  if (id === 1) say({ id: 2, method: 'hooks/list', params: { cwds: [cwd] } });
  if (id !== 2) return;
  console.log(JSON.stringify(result.data[0].hooks));
  codex.kill();
});
`;
