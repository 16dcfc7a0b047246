// needs: git, tmux
/**
 * Idle sessions of the real Claude Code that mail wakes: one that takes its prompts from a stream, and one
 * in a terminal, with a dialog that only a person may answer.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { doorbellPaths } from '../../src/doorbell/paths.ts';
import type { DoorbellState } from '../../src/doorbell/state.ts';
import { readState } from '../../src/doorbell/state-file.ts';
import { isSameProcessAlive } from '../../src/hive/process-identity.ts';
import { claudeWanted, installClaude, openClaude, say, startClaude } from '../clients/claude.ts';
import { type StubModel, startStubModel } from '../clients/stub-model.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { type Place, requireBuild, startRouter } from './built.ts';
import {
  digestsIn,
  expectNoProblems,
  expectNoStrays,
  letter,
  makeClaudePlace,
} from './claude-place.ts';

const SOON = { timeout: 40_000, interval: 100 };

function turnsOf(stub: StubModel): number[] {
  return stub.turns().map(({ userText }) => digestsIn(userText).length);
}

describe.skipIf(!(await claudeWanted()))('an idle Claude Code', { timeout: 240_000 }, () => {
  beforeAll(async () => {
    requireBuild();
    await installClaude();
  }, 10 * 60_000);

  it('is woken by mail when it takes its prompts from a stream', async () => {
    const place = await makeClaudePlace(tempDir(), '--mode', 'continue');
    await using _router = await startRouter(place);
    await using stub = await startStubModel(() => ({ text: 'Done.' }));
    await using session = await startClaude(place.session(stub));
    say(session, 'Work.');
    await vi.waitFor(() => expect(turnsOf(stub)).toEqual([0]), SOON);
    for (const seen of [
      [0, 1],
      [0, 1, 1],
    ]) {
      await idle(place);
      await place.planner(...letter('Split the parser'));
      await vi.waitFor(() => expect(turnsOf(stub)).toEqual(seen), SOON);
    }
    expectNoStrays(stub);
  });

  it('is woken in its terminal, but never while a person has to decide or over what was typed', async () => {
    const place = await makeClaudePlace(tempDir(), '--mode', 'continue');
    await using _router = await startRouter(place);
    await using stub = await startStubModel(({ userText }) =>
      userText.includes('Letter 1') ? { shell: 'touch allowed' } : { text: 'Done.' },
    );
    await using terminal = await openClaude(place.session(stub));
    const shows = (text: string) =>
      vi.waitFor(() => expect(terminal.screen()).toContain(text), SOON);
    await shows('? for shortcuts');
    terminal.type('Work.');
    terminal.press('Enter');
    await vi.waitFor(() => expect(turnsOf(stub)).toEqual([0]), SOON);
    await idle(place);
    terminal.type('half a line');
    await shows('half a line');
    await place.planner(...letter('Letter 1'));
    await vi.waitFor(() => expect(turnsOf(stub)).toEqual([0, 1]), SOON);
    await shows('Do you want');
    await vi.waitFor(() => expect(stateOf(place).dialog?.what).toBe('to allow Bash'), SOON);

    await place.planner(...letter('Letter 2'));
    await pause(5_000);
    expect(turnsOf(stub)).toEqual([0, 1]);
    await shows('Do you want');

    terminal.press('Enter');
    await vi.waitFor(() => expect(turnsOf(stub)).toEqual([0, 1, 1]), SOON);
    expect(stateOf(place).dialog).toBeUndefined();
    await idle(place);
    await shows('half a line');
    expect(turnsOf(stub)).toEqual([0, 1, 1]);
    // In a terminal it looks for news of itself whatever it is told; nothing but the model answers here.
    expectNoProblems(stub);
  });
});

function stateOf({ hive }: Place): DoorbellState {
  return readState(doorbellPaths(join(hive, 'agents', 'coder')).state).state;
}

/** Waits until the session has ended its turn, and something waits beside it. */
async function idle(place: Place): Promise<void> {
  await vi.waitFor(() => {
    const { activity, waiter } = stateOf(place);
    expect(activity).toBe('idle');
    expect(waiter !== undefined && isSameProcessAlive(waiter)).toBe(true);
  }, SOON);
}
