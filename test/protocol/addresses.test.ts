import { describe, expect, it } from 'vitest';
import {
  AGENT_ID,
  agentIdProblem,
  BROADCAST_NAMES,
  foldCase,
  isAgentId,
} from '../../src/protocol/addresses.ts';

describe('an agent id', () => {
  it('is 1 to 64 of lower-case letters, digits, dots, dashes and underscores', () => {
    for (const id of [
      'a',
      '7',
      'coder',
      'coder-2',
      'a.b_c-d',
      'x'.repeat(64),
      'god',
      'constructor',
    ]) {
      expect(isAgentId(id), id).toBe(true);
    }
  });
  it('begins and ends with a letter or a digit', () => {
    for (const id of ['.a', 'a.', '-a', 'a-', '_a', 'a_', '.', '..', '-']) {
      expect(isAgentId(id), id).toBe(false);
    }
  });
  it('is no path, no other case, no other script, and never empty or longer', () => {
    const others = ['', 'Coder', 'a/b', '../god', 'a\\b', 'a b', 'a\n', 'é', 'ａ', 'x'.repeat(65)];
    for (const id of [...others, 7, null, undefined, ['a']]) expect(isAgentId(id)).toBe(false);
  });
  it('is none of the names that mean something else', () => {
    const reserved = ['orchestrator', 'human', 'system', 'router', 'tasks', ...BROADCAST_NAMES];
    for (const id of reserved) expect(agentIdProblem(id), id).toContain('reserved');
  });
  it('is no device of Windows, with or without an ending', () => {
    for (const id of ['con', 'nul', 'aux.json', 'prn', 'com1', 'lpt9.a.b', 'com0', 'conin$']) {
      expect(agentIdProblem(id), id).toContain('Windows');
    }
    for (const id of ['console', 'com', 'com10', 'nulls', 'a.con'])
      expect(isAgentId(id)).toBe(true);
  });
  it('comes with a sentence that says what to do when it is none', () => {
    expect(agentIdProblem('Coder!')).toMatch(/use 1 to 64 of .* beginning and ending/);
    expect(agentIdProblem('coder')).toBeUndefined();
    expect(AGENT_ID.test('coder')).toBe(true);
  });
});

describe('foldCase', () => {
  /** What an id may have, and what addresses are told apart by. */
  const MEANS_SOMETHING = /^[a-z0-9._:*,@-]$/i;

  it('makes no character of an id out of one from beyond ASCII', () => {
    for (let code = 0x80; code <= 0x10ffff; code++) {
      const folded = foldCase(String.fromCodePoint(code));
      if (MEANS_SOMETHING.test(folded)) expect([code.toString(16), folded]).toEqual([]);
    }
  });
  it('makes equal what differs in case or in how accents are written', () => {
    expect(foldCase('CODER-2')).toBe('coder-2');
    expect(foldCase('Rene\u0301')).toBe('ren\u00e9');
    expect(foldCase('\u212aate \u212a')).toBe('\u212aate \u212a');
  });
});
