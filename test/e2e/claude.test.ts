// needs: git
/**
 * Real sessions of Claude Code that are the agent coder, with the hooks as `hooks install` puts them, the
 * built program and a running router; only the model is played by a script. What reached the model is
 * read off the requests that it got.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { claudeWanted, installClaude, runClaude } from '../clients/claude.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { hivemail, lettersIn, requireBuild, startRouter } from './built.ts';
import {
  digestsIn,
  expectNoStrays,
  letter,
  makeClaudePlace,
  SETTINGS,
  scripted,
  sending,
  textOf,
} from './claude-place.ts';

describe.skipIf(!(await claudeWanted()))('Claude Code', { timeout: 240_000 }, () => {
  beforeAll(async () => {
    requireBuild();
    await installClaude();
  }, 10 * 60_000);

  it('hears of mail beside the output of a tool, once, and answers it with its own tool', async () => {
    const place = await makeClaudePlace(tempDir());
    await using router = await startRouter(place);
    await using stub = await scripted([
      () => ({ shell: sending('Split the parser') }),
      ({ userText, toolOutput }) => {
        const [digest] = digestsIn(`${userText}${toolOutput}`);
        if (digest === undefined) throw new Error(`No digest in: ${userText}`);
        const { command, id } = digest;
        return { shell: `${command} reply ${id} --act done --body Split. && ${command} ack ${id}` };
      },
      () => ({ text: 'Done.' }),
    ]);
    const ran = await runClaude('Work.', place.session(stub));
    expectNoStrays(stub);
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'Done.\n' });
    const seen = stub
      .turns()
      .map(({ userText, toolOutput }) => digestsIn(`${userText}${toolOutput}`));
    expect(seen.map(({ length }) => length)).toEqual([0, 1, 0]);
    expect(seen[1]?.[0]?.line).toContain('Split the parser');
    expect(lettersIn(place, 'coder', 'inbox')).toEqual([]);
    expect(lettersIn(place, 'planner', 'inbox')).toMatchObject([{ act: 'done', body: 'Split.' }]);
    expect(router.stderr()).not.toContain('error');
  });

  it('hears of mail at the end of a turn with its next prompt, in mode notify', async () => {
    const place = await makeClaudePlace(tempDir());
    await using _router = await startRouter(place);
    const send = async () => {
      await place.planner(...letter('Split the parser'));
      return { text: 'Done.' };
    };
    await using stub = await scripted([send, () => ({ text: 'I see.' })]);
    await runClaude('Work.', place.session(stub));
    expect(stub.turns()).toHaveLength(1);
    await runClaude('Go on.', place.session(stub, '--continue'));
    expectNoStrays(stub);
    expect(stub.turns().map(({ userText }) => digestsIn(userText).length)).toEqual([0, 1]);
  });

  it('goes on for mail at the end of a turn in mode continue, three times in a row', async () => {
    const place = await makeClaudePlace(tempDir(), '--mode', 'continue');
    await using _router = await startRouter(place);
    let sent = 0;
    const send = async () => {
      sent += 1;
      await place.planner(...letter(`Letter ${sent}`));
      return { text: 'Done.' };
    };
    await using stub = await scripted(Array.from({ length: 9 }, () => send));
    const ran = await runClaude('Work.', place.session(stub));
    expectNoStrays(stub);
    // A waiter that waited beside a session that ends with its prompt would hold it up, over its time limit.
    expect(ran).toMatchObject({ exitCode: 0, timedOut: false });
    const seen = stub.turns().map(({ userText }) => digestsIn(userText));
    expect(seen.map(({ length }) => length)).toEqual([0, 1, 1, 1]);
    expect(seen[2]?.[0]?.line).toContain('Letter 2');
    expect(stub.turns()[1]?.userText).toContain('Stop hook feedback');
  });

  it('leaves no trace in its settings', async () => {
    const place = await makeClaudePlace(tempDir(), '--mode', 'continue');
    expect(textOf(place.settings)).toContain('asyncRewake');
    await hivemail(place, ['hooks', 'uninstall', 'claude'], 'coder');
    expect(textOf(place.settings)).toBe(SETTINGS);
  });
});
