import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { doorbellPaths } from '../../src/doorbell/paths.ts';
import type { DoorbellState } from '../../src/doorbell/state.ts';
import { readState } from '../../src/doorbell/state-file.ts';
import type { StubModel } from '../clients/stub-model.ts';
import type { Terminal } from '../clients/terminal.ts';
import { hivemail, type Place, rowsOf } from './built.ts';
import { digestsIn, letter } from './claude-place.ts';

/** For what takes a client and a router some seconds, on a machine under load. */
export const SOON = { timeout: 60_000, interval: 100 };

/** Runs hivemail as an agent; it must end well. */
export async function run(place: Place, words: string[], agent: string): Promise<void> {
  const result = await hivemail(place, words, agent);
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
}

/** Sends a letter of the planner to the coder. */
export async function send(place: Place, subject: string): Promise<void> {
  await run(place, letter(subject), 'planner');
}

/** Has the session do a turn, so that it is known. */
export async function begin(place: Place, stub: StubModel, terminal: Terminal): Promise<void> {
  await vi.waitFor(() => expect(terminal.screen()).toContain('? for shortcuts'), SOON);
  terminal.type('Work.');
  await vi.waitFor(() => expect(terminal.screen()).toContain('Work.'), SOON);
  terminal.press('Enter');
  await vi.waitFor(() => expect(toldIn(stub)).toEqual([0]), SOON);
  await idle(place);
}

/** How many digests the model has read anew in each turn. */
export function toldIn(stub: StubModel): number[] {
  return stub.turns().map(({ userText }) => digestsIn(userText).length);
}

/** What the doorbell of the coder remembers. */
export function stateOf({ hive }: Place): DoorbellState {
  return readState(doorbellPaths(join(hive, 'agents', 'coder')).state).state;
}

/** Waits until the session of the coder is idle. */
export async function idle(place: Place): Promise<void> {
  await vi.waitFor(() => {
    const { activity, holder } = stateOf(place);
    expect([activity, holder !== undefined]).toEqual(['idle', true]);
  }, SOON);
}

/** The codes of the wakes in the log. */
export function wakeCodes(place: Place): (string | undefined)[] {
  return rowsOf(place).flatMap(({ kind, code }) => (kind === 'wake' ? [code] : []));
}
