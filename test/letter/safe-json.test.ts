import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/letter/json-object.ts';
import type { Repair } from '../../src/letter/letter.ts';
import { makeSafe } from '../../src/letter/safe-json.ts';

function safe(text: string): { fields: JsonObject; repairs: Repair[] } {
  const repairs = new Set<Repair>();
  const fields = makeSafe(JSON.parse(text) as JsonObject, text, repairs);
  return { fields, repairs: [...repairs] };
}

/** Writes any letter of a JSON text's strings as an escape, or as it is. */
function spelled(text: string, escapes: (at: number) => boolean): string {
  const escape = (letter: string): string =>
    `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return [...text].map((letter, at) => (escapes(at) ? escape(letter) : letter)).join('');
}

describe('a field that names a prototype', () => {
  test.each([
    '{"__proto__":{"a":1},"b":2}',
    '{"\\u005f_proto__":{"a":1},"b":2}',
    '{"__\\u0070roto__":{"a":1},"b":2}',
  ])('is left out of %s', (text) => {
    expect(safe(text)).toEqual({ fields: { b: 2 }, repairs: ['proto-key'] });
  });

  test('is left out wherever it stands and however it is spelled', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }), (escapes) => {
        const name = spelled('__proto__', (at) => escapes[at] ?? false);
        const { fields, repairs } = safe(`{"a":[{"${name}":{"b":1},"c":2}]}`);
        expect(Object.keys((fields['a'] as JsonObject[])[0] ?? {})).toEqual(['c']);
        expect(repairs).toEqual(['proto-key']);
      }),
    );
  });

  test('reaches no prototype', () => {
    const { fields } = safe(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"deep":{"__proto__":{"polluted":1}}}',
    );
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect((Object.assign({}, fields) as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe('unpaired surrogates', () => {
  test.each(['\\ud800', '\\uDFFF', '\ud800', '\udfff'])('such as %j are replaced', (half) => {
    expect(safe(`{"${half}":["a${half}b","\\ud83d\\ude00"]}`)).toEqual({
      fields: { '\ufffd': ['a\ufffdb', '😀'] },
      repairs: ['lone-surrogates'],
    });
  });
});

test('an object in which nothing can do harm is not copied', () => {
  const text = JSON.stringify({ a: { b: ['\u001b', '😀', 'proto'] } });
  const fields = JSON.parse(text) as JsonObject;
  expect(makeSafe(fields, text, new Set())).toBe(fields);
});
