// needs: git
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { GEMINI_SETTINGS, installGemini, runGemini } from '../clients/gemini.ts';
import { startStubModel } from '../clients/stub-model.ts';
import { clientTestsWanted } from '../clients/wanted.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { hivemail, lettersIn, makePlace, startRouter } from './built.ts';
import { worker } from './mcp-worker.ts';

const INSTALL_LIMIT_MS = 10 * 60_000;
const REQUEST = ['--to', 'coder', '--act', 'request', '--subject', 'Count', '--body', 'Files.'];

describe.skipIf(!clientTestsWanted('Gemini CLI'))(
  'Gemini CLI with the MCP server',
  { timeout: 240_000 },
  () => {
    beforeAll(async () => {
      await installGemini();
    }, INSTALL_LIMIT_MS);

    it('lists, reads, answers and acks by tools, and its settings come back as they were', async () => {
      const dir = tempDir();
      const place = await makePlace(dir, 'god,planner,coder');
      await using _router = await startRouter(place);
      await hivemail(place, ['send', ...REQUEST], 'planner');
      await using stub = await startStubModel(worker);
      const home = join(dir, 'home');
      const settings = join(home, '.gemini', 'settings.json');
      const before = JSON.stringify(GEMINI_SETTINGS);
      mkdirSync(join(home, '.gemini'), { recursive: true });
      writeFileSync(settings, before);
      const ofPerson = { ...place, env: { ...place.env, HOME: home } };
      const setUp = async (verb: string) =>
        hivemail(ofPerson, ['mcp', verb, 'gemini', '--scope', 'user'], 'coder');
      expect(await setUp('install')).toMatchObject({ exitCode: 0 });
      const session = { home, cwd: dir, prompt: 'Look at your mail.', model: stub.url };
      expect(await runGemini(session)).toMatchObject({ exitCode: 0 });
      await vi.waitFor(() => {
        expect(lettersIn(place, 'planner', 'inbox')).toMatchObject([
          { from: 'coder', act: 'done', subject: 'Re: Count', body: 'There are 12.' },
        ]);
      });
      expect(lettersIn(place, 'coder', 'inbox')).toEqual([]);
      expect(lettersIn(place, 'coder', 'inbox/.done')).toHaveLength(1);
      expect(await setUp('uninstall')).toMatchObject({ exitCode: 0 });
      expect(readFileSync(settings, 'utf8')).toBe(before);
    });
  },
);
