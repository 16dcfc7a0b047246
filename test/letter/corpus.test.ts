import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { assessLetter } from '../../src/letter/completeness.ts';
import { examineLetter } from '../../src/letter/examine.ts';
import type { Completeness, Letter, LetterLimits, Repair } from '../../src/letter/letter.ts';
import { parseLetter } from '../../src/letter/parse.ts';
import { LIMITS } from './arbitrary-letter.ts';

/** What `expected.json` of a case says; `letter` or `issues`. */
interface Expected {
  /** What differs from the limits of design.md. */
  limits?: Partial<LetterLimits>;
  completeness: Completeness;
  repairs: Repair[];
  letter?: Letter;
  issues?: { code: string; path: string; line?: number; column?: number }[];
}

const CORPUS = new URL('../corpus/', import.meta.url);
const cases = readdirSync(CORPUS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => {
    const folder = new URL(`${name}/`, CORPUS);
    const why = readFileSync(new URL('why.md', folder), 'utf8').trim();
    return { name, folder, why };
  });

describe('the corpus', () => {
  test('holds cases, each with its reason', () => {
    expect(cases.length).toBeGreaterThan(40);
    expect(cases.filter(({ why }) => why === '')).toEqual([]);
  });

  test.each(cases)('$name: $why', ({ folder }) => {
    const bytes = new Uint8Array(readFileSync(new URL('letter', folder)));
    const text = readFileSync(new URL('expected.json', folder), 'utf8');
    const expected = JSON.parse(text) as Expected;
    const limits = { ...LIMITS, ...expected.limits };
    const parsed = parseLetter(examineLetter(bytes, limits));
    expect(assessLetter(examineLetter(bytes, limits))).toBe(expected.completeness);
    expect(parsed.repairs).toEqual(expected.repairs);
    if (parsed.ok) expect(parsed.letter).toEqual(expected.letter);
    else {
      expect(expected.letter).toBeUndefined();
      expect(parsed.issues).toEqual(
        expected.issues?.map((issue) => expect.objectContaining(issue)),
      );
    }
  });
});
