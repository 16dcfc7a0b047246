import { describe, expect, it } from 'vitest';
import { ACTS, isAct, obliges } from '../../src/protocol/acts.ts';

describe('acts', () => {
  it('are seven, and written exactly', () => {
    expect(ACTS).toEqual(['request', 'query', 'propose', 'inform', 'agree', 'refuse', 'done']);
    for (const act of ACTS) expect(isAct(act)).toBe(true);
    for (const other of ['REQUEST', 'request ', 'yell', '', 5, null, undefined, 'constructor']) {
      expect(isAct(other)).toBe(false);
    }
  });
  it('oblige an answer when they ask for something', () => {
    expect(ACTS.filter(obliges)).toEqual(['request', 'query', 'propose']);
  });
});
