import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assessLetter } from '../../src/letter/completeness.ts';
import { examineLetter } from '../../src/letter/examine.ts';
import { bytesOf, LIMITS, prefixesOf, writtenLetter } from './arbitrary-letter.ts';

const assess = (text: string): string => assessLetter(examineLetter(bytesOf(text), LIMITS));

describe('assessLetter', () => {
  test.each(['', ' \n\t', '\ufeff', '\0\0\0\0'])('calls %j empty', (text) => {
    expect(assess(text)).toBe('empty');
  });

  test.each(['{}', ' {"a":"b"}\n', '\ufeff{}', '{"a":{"b":[1]}}'])('calls %j complete', (text) => {
    expect(assess(text)).toBe('complete');
  });

  test.each([
    'null',
    '[]',
    '"hi"',
    '42',
    'true',
    '[{"a":1}]',
    '{"a":1,}',
    '{"a":"x\ny"}',
    '{"a":"C:\\Users"}',
    '{"a":1} and more',
    '{"a":1}{"b":2}',
    '{"a" 1}',
    '```json\n{"a":1}\n```\n',
    '// a letter\n{"a":1}',
    '{}\0\0',
  ])('calls %j closed', (text) => {
    expect(assess(text)).toBe('closed');
  });

  test.each([
    '{',
    '{"a',
    '{"a":1',
    '[{"a":1},',
    '"hi',
    'nul',
    'hello',
    '```json',
    '```json\n{"a":1}\n``',
    '{"a":"x\0\0\0\0',
  ])('calls %j open', (text) => {
    expect(assess(text)).toBe('open');
  });

  test('waits for the rest of a character that the bytes end in', () => {
    expect(assessLetter(examineLetter(Uint8Array.of(0xef, 0xbb), LIMITS))).toBe('open');
    expect(assessLetter(examineLetter(bytesOf('{"a":"é').subarray(0, -1), LIMITS))).toBe('open');
  });

  test('calls an object with bytes that are no text closed', () => {
    const bytes = Uint8Array.from([...bytesOf('{"a":"'), 0xe9, ...bytesOf('"}')]);
    expect(assessLetter(examineLetter(bytes, LIMITS))).toBe('closed');
    expect(assessLetter(examineLetter(bytes.subarray(0, -1), LIMITS))).toBe('open');
  });

  test('calls an object that nests too deep closed, without parsing it', () => {
    expect(assess(`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`)).toBe('closed');
    expect(assess(`{"a":${'['.repeat(10_000)}`)).toBe('open');
  });

  test('calls every written letter complete, and no part of one from its beginning', () => {
    fc.assert(
      fc.property(writtenLetter, fc.constantFrom(0, 2), (written, indent) => {
        const bytes = bytesOf(JSON.stringify(written, undefined, indent));
        expect(assessLetter(examineLetter(bytes, LIMITS))).toBe('complete');
        const [nothing, ...parts] = prefixesOf(bytes).map((part) =>
          assessLetter(examineLetter(part, LIMITS)),
        );
        expect(nothing).toBe('empty');
        expect(parts.filter((part) => part !== 'open')).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  test('calls no part of a UTF-16 letter complete', () => {
    const bytes = new Uint8Array(Buffer.from('\ufeff{"to":"é","body":"{}"}', 'utf16le'));
    expect(assessLetter(examineLetter(bytes, LIMITS))).toBe('complete');
    for (let length = 3; length < bytes.length; length++) {
      expect(assessLetter(examineLetter(bytes.subarray(0, length), LIMITS))).toBe('open');
    }
  });
});
