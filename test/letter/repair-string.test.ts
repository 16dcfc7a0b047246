import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mendString } from '../../src/letter/repair-string.ts';

const mended = (inner: string): { text: unknown; repairs: string[] } => {
  const result = mendString(`"${inner}"`);
  if (!result.ok) throw new Error('not mended');
  return { text: JSON.parse(result.literal), repairs: result.repairs };
};

describe('mendString', () => {
  test.each([
    ['a line feed', 'a\nb', 'a\nb'],
    ['CR', 'a\rb', 'a\rb'],
    ['CRLF', 'a\r\nb', 'a\r\nb'],
    ['a tab', 'a\tb', 'a\tb'],
    ['ESC and NUL', '\u001b[31m\0', '\u001b[31m\0'],
    ['every control character', '\u0001\b\v\f\u001f', '\u0001\b\v\f\u001f'],
    ['a valid escape beside one', 'a\\n\nb\\u00e9\\"', 'a\n\nbé"'],
    ['an escaped backslash before one', 'a\\\\\nb', 'a\\\nb'],
  ])('writes %s as its escape', (_, inner, text) => {
    expect(mended(inner)).toEqual({ text, repairs: ['control-characters'] });
  });

  test.each([
    ['a line feed', 'curl \\\n -H', 'curl \\\n -H'],
    ['CRLF', 'a\\\r\nb', 'a\\\r\nb'],
    ['CR', 'a\\\rb', 'a\\\rb'],
    ['a tab', 'a\\\tb', 'a\\\tb'],
    ['a line feed beside valid escapes', 'a\\\nb\\tc\\\\', 'a\\\nb\tc\\'],
  ])('keeps a backslash before %s as text', (_, inner, text) => {
    expect(mended(inner)).toEqual({ text, repairs: ['backslash-newline'] });
  });

  test.each([
    ['a path', 'C:\\Users\\x', 'C:\\Users\\x'],
    ['a path with \\u that is no escape', 'C:\\users\\x', 'C:\\users\\x'],
    ['a share', '\\\\server\\share\\x', '\\\\server\\share\\x'],
    ['a regular expression', '^\\d+\\/\\w$', '^\\d+\\/\\w$'],
    ['a shell escape', 'echo \\$HOME', 'echo \\$HOME'],
    ['escaped quotes', 'grep \\"\\d\\"', 'grep "\\d"'],
    ['a backslash before an emoji', '\\😀', '\\😀'],
  ])('takes backslashes for text in %s', (_, inner, text) => {
    expect(mended(inner)).toEqual({ text, repairs: ['path-backslashes'] });
  });

  test('mends a path and a raw line break in one string', () => {
    expect(mended('C:\\Users\nD:\\x \\\n')).toEqual({
      text: 'C:\\Users\nD:\\x \\\n',
      repairs: ['control-characters', 'backslash-newline', 'path-backslashes'],
    });
  });

  test.each([
    ['C:\\Users\\new', 3],
    ['C:\\temp\\x', 8],
    ['\\d\\u00e9', 1],
    ['a\\nb\\q', 5],
  ])('leaves %j alone, where an escape may be meant', (inner, offset) => {
    expect(mendString(`"${inner}"`)).toEqual({ ok: false, offset });
  });

  test('leaves every valid literal as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const literal = JSON.stringify(text);
        expect(mendString(literal)).toEqual({ ok: true, literal, repairs: [] });
      }),
    );
  });

  test('never changes the text around what it mends', () => {
    const raw = fc.array(
      fc.constantFrom('a', '\n', '\r', '\t', '\0', ' ', 'é', '\\\n', '\\d', '\\U'),
    );
    fc.assert(
      fc.property(raw, (parts) => {
        expect(mended(parts.join('')).text).toBe(parts.join(''));
      }),
    );
  });
});
