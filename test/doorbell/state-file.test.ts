import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DoorbellState, NO_STATE } from '../../src/doorbell/state.ts';
import { readState, writeState } from '../../src/doorbell/state-file.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const stateOf = (rung: number): DoorbellState => ({ ...NO_STATE, rung });

describe('the memory of a doorbell', () => {
  it('takes one of several changes that were made from the same state', () => {
    const dir = join(tempDir(), 'state');
    const { number } = readState(dir);
    expect([1, 2, 3].map((rung) => writeState(dir, number, stateOf(rung)))).toEqual([
      true,
      false,
      false,
    ]);
    expect(readState(dir)).toEqual({ number: number + 1, state: stateOf(1) });
  });

  it('takes no change from a state that was left behind, though its number is free again', () => {
    const dir = join(tempDir(), 'state');
    for (const number of [0, 1, 2, 3]) expect(writeState(dir, number, stateOf(number))).toBe(true);
    expect(writeState(dir, 0, stateOf(9))).toBe(false);
    expect(readState(dir).state).toEqual(stateOf(3));
  });

  it('keeps two states and nothing else', () => {
    const dir = join(tempDir(), 'state');
    for (const number of [0, 1, 2, 3]) writeState(dir, number, stateOf(number));
    expect(readdirSync(dir).sort()).toEqual(['0000000003.json', '0000000004.json']);
  });
});
