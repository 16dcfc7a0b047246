import { describe, expect, test } from 'vitest';
import { nearestAct } from '../../src/letter/nearest-act.ts';

describe('nearestAct', () => {
  test.each([
    ['requst', 'request'],
    ['reqest', 'request'],
    ['querry', 'query'],
    ['informs', 'inform'],
    ['agreed', 'agree'],
    ['task', 'request'],
    ['ack', 'agree'],
    ['reply', 'inform'],
    ['completed', 'done'],
  ])('finds that %s comes near %s', (wrong, act) => {
    expect(nearestAct(wrong)).toBe(act);
  });

  test.each(['yell', '', 'constructor', '__proto__', 'x'.repeat(1_000_000), '🙂'])(
    'finds no act near a word such as no. %#',
    (wrong) => {
      expect(nearestAct(wrong)).toBeUndefined();
    },
  );
});
