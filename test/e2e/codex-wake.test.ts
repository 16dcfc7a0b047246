// needs: git, tmux
/** Idle sessions of the real Codex that the router wakes when mail comes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { installCodex, openCodex, startCodexServer } from '../clients/codex.ts';
import { type StubModel, startStubModel } from '../clients/stub-model.ts';
import { clientTestsWanted } from '../clients/wanted.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { hivemail, makePlace, type Place, requireBuild, startRouter } from './built.ts';
import { begin, idle, run, SOON, send, stateOf, toldIn, wakeCodes } from './wake-place.ts';

interface CodexPlace extends Place {
  home: string;
  cwd: string;
  /** Where the router finds Codex, and its settings. */
  router: Place;
}

describe.skipIf(!clientTestsWanted('Codex'))('an idle Codex', { timeout: 240_000 }, () => {
  beforeAll(async () => {
    requireBuild();
    await installCodex();
  }, 10 * 60_000);

  it('is woken in its terminal and told once; what was typed stays', async () => {
    const place = await makeCodexPlace(tempDir());
    await using _router = await startRouter(place.router, 200_000);
    await using stub = await startStubModel(() => ({ text: 'Done.' }));
    await using terminal = await openCodex(sessionOf(place, stub));
    await begin(place, stub, terminal);
    terminal.type('half a line');
    await vi.waitFor(() => expect(terminal.screen()).toContain('half a line'), SOON);

    await send(place, 'Split the parser');
    await vi.waitFor(() => expect(toldIn(stub)).toEqual([0, 1]), SOON);
    expect(stub.turns()[1]?.userText).toContain('Hivemail has mail for coder');
    expect(stub.turns()[1]?.userText).toContain('Split the parser');
    await idle(place);
    expect(terminal.screen()).toContain('half a line');

    await send(place, 'Join the parser');
    await vi.waitFor(() => expect(toldIn(stub)).toEqual([0, 1, 1]), SOON);
    await idle(place);
    await vi.waitFor(() => expect(wakeCodes(place)).toEqual(['queued', 'queued']), SOON);
    expect(stub.requests().flatMap(({ problem }) => problem ?? [])).toEqual([]);
  });

  it('begins no turn when the mail was handled before the wake came to it', async () => {
    const dir = tempDir();
    const inbox = join(dir, 'hive', 'agents', 'coder', 'inbox');
    const place = await makeCodexPlace(dir, `mv '${inbox}'/*.json '${inbox}/.done/'`);
    await using _router = await startRouter(place.router, 200_000);
    await using stub = await startStubModel(() => ({ text: 'Done.' }));
    await using terminal = await openCodex(sessionOf(place, stub));
    await begin(place, stub, terminal);
    await send(place, 'Split the parser');
    await vi.waitFor(
      () => expect(terminal.screen()).toContain('has been handled or told of'),
      SOON,
    );
    await vi.waitFor(() => expect(wakeCodes(place)).toEqual(['queued']), SOON);
    expect(toldIn(stub)).toEqual([0]);
  });

  it('is woken in a server of many sessions', async () => {
    const place = await makeCodexPlace(tempDir());
    await using _router = await startRouter(place.router, 200_000);
    await using stub = await startStubModel(() => ({ text: 'Done.' }));
    await using _server = await startCodexServer({
      ...sessionOf(place, stub),
      timeLimitMs: 200_000,
    });
    await using terminal = await openCodex(sessionOf(place, stub), ['--remote', 'unix://']);
    await begin(place, stub, terminal);
    expect(stateOf(place).holder?.shared).toBe(true);
    await send(place, 'Split the parser');
    await vi.waitFor(() => expect(toldIn(stub)).toEqual([0, 1]), SOON);
  });

  it('is shown with the reason where the router can not wake it', async () => {
    const place = await makeCodexPlace(tempDir());
    await using _router = await startRouter(place, 200_000);
    await using stub = await startStubModel(() => ({ text: 'Done.' }));
    await using terminal = await openCodex(sessionOf(place, stub));
    await begin(place, stub, terminal);
    await send(place, 'Split the parser');
    await vi.waitFor(async () => {
      const { stdout } = await hivemail(place, ['status']);
      expect(stdout).toMatch(
        /coder: 1 letter delivered, not announced: .*could not be woken \(the router does not know its CODEX_HOME/,
      );
    }, SOON);
    expect(wakeCodes(place)).toEqual(['no-way']);
    expect(toldIn(stub)).toEqual([0]);
  });
});

/** @param first - what a shell does before the router's codex runs */
async function makeCodexPlace(dir: string, first = ''): Promise<CodexPlace> {
  const place = await makePlace(dir, 'planner,coder');
  const [home, cwd, bin] = [join(dir, 'home'), join(dir, 'project'), join(dir, 'bin')];
  for (const each of [home, cwd, bin]) mkdirSync(each);
  const codex = `#!/bin/sh\n${first}\nexec '${process.execPath}' '${await installCodex()}' "$@"\n`;
  writeFileSync(join(bin, 'codex'), codex, { mode: 0o755 });
  const PATH = [bin, place.env['PATH'] ?? ''].join(delimiter);
  const env = { ...place.env, PATH, CODEX_HOME: join(home, '.codex') };
  const made = { ...place, home, cwd, router: { ...place, env } };
  const install = ['hooks', 'install', 'codex', '--scope', 'user', '--mode', 'continue'];
  await run({ ...place, env: { ...env, HOME: home } }, install, 'coder');
  return made;
}

function sessionOf({ home, cwd, hive }: CodexPlace, { url }: StubModel) {
  return { home, cwd, model: url, env: { HIVEMAIL_HIVE: hive, HIVEMAIL_AGENT: 'coder' } };
}
