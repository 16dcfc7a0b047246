import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutText, escapeLine, escapeUnsafe, padText } from '../../src/protocol/escape.ts';

const text = fc.string({ unit: 'binary', maxLength: 80 });
/** Also halves of surrogate pairs. */
const utf16 = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
  .map((units) => String.fromCharCode(...units));
const ACTED_ON_OR_HIDDEN =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}\u200b-\u200f\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/u;

describe('escapeUnsafe', () => {
  test.each([
    ['an escape sequence', '\u001b[31m', '\\u001b[31m'],
    ['a bell, a carriage return and a delete', '\u0007\r\u007f', '\\u0007\\u000d\\u007f'],
    ['a control sequence in one byte', '\u009b31m', '\\u009b31m'],
    ['a right-to-left override', 'a\u202eb', 'a\\u202eb'],
    ['an isolate', '\u2066a\u2069', '\\u2066a\\u2069'],
    ['a zero-width space and joiner', '\u200b\u200d', '\\u200b\\u200d'],
    ['a byte order mark', '\ufeff', '\\ufeff'],
    ['a line and a paragraph separator', '\u2028\u2029', '\\u2028\\u2029'],
    ['a soft hyphen', 'pass\u00adword', 'pass\\u00adword'],
    ['hidden tag letters', '\u{e0041}', '\\udb40\\udc41'],
    ['hidden selectors', 'a\u{e0101}', 'a\\udb40\\udd01'],
    ['a second emoji selector', '❤\ufe0f\ufe0f', '❤\ufe0f\\ufe0f'],
    ['a filler that shows nothing', '\u3164', '\\u3164'],
    ['half of a pair', '\ud83d', '\\ud83d'],
  ])('writes out %s', (_, unsafe, escaped) => {
    expect(escapeUnsafe(unsafe)).toBe(escaped);
  });

  test.each([
    'plain',
    'tab\tand\nline feed',
    'héllo wörld',
    '日本語',
    '😀 ❤\ufe0f',
    'שלום',
    '"\\u001b"',
  ])('leaves %j as it is', (safe) => {
    expect(escapeUnsafe(safe)).toBe(safe);
  });

  test('leaves nothing that a terminal acts on or that is hidden, whatever the text', () => {
    fc.assert(
      fc.property(utf16, (any) => {
        expect(escapeUnsafe(any).replace(/[\t\n]/g, '')).not.toMatch(ACTED_ON_OR_HIDDEN);
      }),
    );
  });

  test('changes nothing the second time', () => {
    fc.assert(
      fc.property(utf16, (any) => {
        expect(escapeUnsafe(escapeUnsafe(any))).toBe(escapeUnsafe(any));
      }),
    );
  });

  test('keeps the meaning of JSON text', () => {
    fc.assert(
      fc.property(utf16, (any) => {
        expect(JSON.parse(escapeUnsafe(JSON.stringify({ any }, undefined, 2)))).toEqual({ any });
      }),
    );
  });
});

describe('escapeLine', () => {
  test('keeps every text on one line, without tabs', () => {
    fc.assert(
      fc.property(utf16, (any) => {
        expect(escapeLine(any)).not.toMatch(/[\n\r\t\v\f\u0085\u2028\u2029]/);
      }),
    );
  });

  test('shows line feeds and tabs', () => {
    expect(escapeLine('a\n\tb')).toBe('a\\n\\tb');
  });
});

describe('cutText', () => {
  test('returns a text that fits as it is', () => {
    expect(cutText('abc', 3)).toBe('abc');
    expect(cutText('😀😀😀', 3)).toBe('😀😀😀');
  });

  test('marks the cut and counts the mark', () => {
    expect(cutText('abcd', 3)).toBe('ab…');
    expect(cutText('😀😀😀😀', 3)).toBe('😀😀…');
    expect(cutText('abcd', 1)).toBe('…');
  });

  test('never returns more than it may, nor half of a pair', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 100 }), (any, most) => {
        const cut = cutText(any, most);
        expect([...cut].length).toBeLessThanOrEqual(most);
        expect(cut).not.toMatch(/\p{Cs}/u);
        expect(cut === any || any.startsWith(cut.slice(0, -1))).toBe(true);
      }),
    );
  });
});

describe('padText', () => {
  test('fills up by characters and leaves a longer text whole', () => {
    expect(padText('ab', 4)).toBe('ab  ');
    expect(padText('😀', 3)).toBe('😀  ');
    expect(padText('abcdef', 4)).toBe('abcdef');
  });
});
