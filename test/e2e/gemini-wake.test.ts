// needs: git, tmux
/** Idle sessions of the real Gemini CLI that the router wakes by keystrokes, where that is allowed. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { GEMINI_SETTINGS, installGemini, openGemini } from '../clients/gemini.ts';
import { startStubModel } from '../clients/stub-model.ts';
import { clientTestsWanted } from '../clients/wanted.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { hivemail, makePlace, type Place, requireBuild, startRouter } from './built.ts';
import { begin, idle, run, SOON, send, toldIn, wakeCodes } from './wake-place.ts';

describe.skipIf(!clientTestsWanted('Gemini CLI'))('an idle Gemini', { timeout: 300_000 }, () => {
  beforeAll(async () => {
    requireBuild();
    await installGemini();
  }, 10 * 60_000);

  it('is woken by keystrokes and told once, but never over what is typed', async () => {
    const place = await makeGeminiPlace(tempDir('h-'));
    await using _router = await startRouter(place, 280_000);
    await using stub = await startStubModel(() => ({ text: 'Done.' }));
    const env = { HIVEMAIL_HIVE: place.hive, HIVEMAIL_AGENT: 'coder' };
    await using terminal = await openGemini({ ...place, model: stub.url, env });
    await begin(place, stub, terminal);

    await send(place, 'Split the parser');
    await vi.waitFor(() => expect(toldIn(stub)).toEqual([0, 1]), SOON);
    expect(stub.turns()[1]?.userText).toContain('Hivemail has mail for coder');
    await idle(place);
    await vi.waitFor(() => expect(wakeCodes(place)).toEqual(['woken']), SOON);

    terminal.type('half a line');
    await vi.waitFor(() => expect(terminal.screen()).toContain('half a line'), SOON);
    await send(place, 'Join the parser');
    await vi.waitFor(() => expect(wakeCodes(place)).toEqual(['woken', 'no-way']), SOON);
    await vi.waitFor(async () => {
      const { stdout } = await hivemail(place, ['status']);
      expect(stdout).toMatch(/could not be woken \(something is typed in its line of input/);
    }, SOON);
    expect(terminal.screen()).toContain('half a line');
    expect(terminal.screen().match(/Hivemail has mail/g)).toHaveLength(1);
    expect(toldIn(stub)).toEqual([0, 1]);
  });
});

interface GeminiPlace extends Place {
  home: string;
  cwd: string;
}

async function makeGeminiPlace(dir: string): Promise<GeminiPlace> {
  const place = await makePlace(dir, 'planner,coder');
  const [home, cwd] = [join(dir, 'home'), join(dir, 'project')];
  for (const each of [join(home, '.gemini'), cwd]) mkdirSync(each, { recursive: true });
  writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify(GEMINI_SETTINGS));
  const doorbell = { tmuxSockets: [join(home, 'tmux')] };
  writeFileSync(join(place.hive, 'hive.json'), JSON.stringify({ doorbell }));
  const install = ['hooks', 'install', 'gemini', '--scope', 'user', '--mode', 'continue', '--tmux'];
  await run({ ...place, env: { ...place.env, HOME: home } }, install, 'coder');
  return { ...place, home, cwd };
}
