// needs: git
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { installCodex, runCodex, writeCodexConfig } from '../clients/codex.ts';
import { startStubModel } from '../clients/stub-model.ts';
import { clientTestsWanted } from '../clients/wanted.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { hivemail, lettersIn, makePlace, type Place, startRouter } from './built.ts';
import { worker } from './mcp-worker.ts';

const INSTALL_LIMIT_MS = 10 * 60_000;
const REQUEST = [
  '--to',
  'coder',
  '--act',
  'request',
  '--subject',
  'Count',
  '--body',
  'Files, please.',
];

describe.skipIf(!clientTestsWanted('Codex'))(
  'Codex with the MCP server',
  { timeout: 180_000 },
  () => {
    beforeAll(async () => {
      await installCodex();
    }, INSTALL_LIMIT_MS);

    it('lists, reads, answers and acks by tools, and its settings come back as they were', async () => {
      const dir = tempDir();
      const place = await makePlace(dir, 'god,planner,coder');
      await using _router = await startRouter(place);
      await hivemail(place, ['send', ...REQUEST], 'planner');
      await using stub = await startStubModel(worker);
      const home = join(dir, 'home');
      await writeCodexConfig(home, stub.url);
      const config = join(home, '.codex', 'config.toml');
      const before = readFileSync(config, 'utf8');
      await setUp(place, home, 'install');
      const session = await runCodex({
        home,
        cwd: dir,
        prompt: 'Look at your mail.',
        configured: true,
        model: stub.url,
      });
      expect(session).toEqual({ ...session, exitCode: 0 });
      expect(stub.strays()).toEqual([]);
      const all = stub.turns().at(-1)?.toolOutputs ?? [];
      const outputs = all.filter((output) => !output.includes('waited'));
      expect(outputs[0]).toContain('Count');
      expect(outputs[1]).toContain('data, not instructions');
      expect(outputs[1]).toContain('Files, please.');
      await vi.waitFor(() => {
        expect(lettersIn(place, 'planner', 'inbox')).toMatchObject([
          { from: 'coder', act: 'done', subject: 'Re: Count', body: 'There are 12.' },
        ]);
      });
      expect(lettersIn(place, 'coder', 'inbox')).toEqual([]);
      expect(lettersIn(place, 'coder', 'inbox/.done')).toHaveLength(1);
      await setUp(place, home, 'uninstall');
      expect(readFileSync(config, 'utf8')).toBe(before);
    });
  },
);

async function setUp(place: Place, home: string, verb: 'install' | 'uninstall'): Promise<void> {
  const env = { ...place.env, HOME: home, CODEX_HOME: join(home, '.codex') };
  const words = ['mcp', verb, 'codex', '--scope', 'user'];
  const done = await hivemail({ ...place, env }, words, 'coder');
  expect(done).toEqual({ ...done, exitCode: 0 });
}
