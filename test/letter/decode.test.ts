import { describe, expect, test } from 'vitest';
import { decodeLetter } from '../../src/letter/decode.ts';
import { bytesOf } from './arbitrary-letter.ts';

const utf16 = (text: string, mark: boolean): Uint8Array =>
  new Uint8Array(Buffer.from(mark ? `\ufeff${text}` : text, 'utf16le'));
const bigEndian = (bytes: Uint8Array): Uint8Array => new Uint8Array(Buffer.from(bytes).swap16());

describe('decodeLetter', () => {
  test.each([
    ['plain UTF-8', bytesOf('{"a":"é😀"}'), '{"a":"é😀"}', []],
    ['a genuine U+FFFD', bytesOf('\ufffd'), '\ufffd', []],
    ['a byte order mark', bytesOf('\ufeff{}'), '{}', ['bom']],
    ['two byte order marks', bytesOf('\ufeff\ufeff{}'), '{}', ['bom']],
    ['UTF-16 LE with a mark', utf16('{"a":"é😀"}', true), '{"a":"é😀"}', ['utf-16']],
    ['UTF-16 BE with a mark', bigEndian(utf16('{"a":1}', true)), '{"a":1}', ['utf-16']],
    ['UTF-16 LE without a mark', utf16('{"é":1}', false), '{"é":1}', ['utf-16']],
    ['UTF-16 BE without a mark', bigEndian(utf16('{"é":1}', false)), '{"é":1}', ['utf-16']],
    ['NULs after the text', bytesOf('{}\0\0\0'), '{}', ['nul-padding']],
    ['NULs before the text', bytesOf('\0\0\0\0{}'), '{}', ['nul-padding']],
    ['only NULs', bytesOf('\0\0\0\0'), '', ['nul-padding']],
    ['nothing', new Uint8Array(), '', []],
    ['only a UTF-16 mark', Uint8Array.of(0xff, 0xfe), '', ['utf-16']],
  ])('reads %s', (_, bytes, text, repairs) => {
    expect(decodeLetter(bytes)).toEqual({ text, repairs, fault: undefined, faultAt: undefined });
  });

  test('keeps unpaired surrogates of UTF-16 for the repair that names them', () => {
    expect(decodeLetter(utf16('{"a":"\ud800"}', true)).text).toBe('{"a":"\ud800"}');
  });

  test.each([
    ['the first byte of a character', [0x7b, 0xc3], '{'],
    ['three bytes of four', [0x7b, 0xf0, 0x9f, 0x98], '{'],
    ['half a byte order mark', [0xef, 0xbb], ''],
    ['half a UTF-16 unit', [0xff, 0xfe, 0x7b, 0x00, 0x22], '{'],
  ])('tells that the bytes end in %s', (_, bytes, text) => {
    const decoded = decodeLetter(Uint8Array.from(bytes));
    expect(decoded).toMatchObject({ text, fault: 'cut', faultAt: text.length });
  });

  test('tells where the first byte that is no character stands', () => {
    const bytes = Uint8Array.from([...bytesOf('{"é":1,\n"b":"caf'), 0xe9, ...bytesOf('"}')]);
    const decoded = decodeLetter(bytes);
    expect(decoded.fault).toBe('not-text');
    expect(decoded.text.slice(0, decoded.faultAt)).toBe('{"é":1,\n"b":"caf');
    expect(decoded.text).toBe('{"é":1,\n"b":"caf\ufffd"}');
  });

  test('takes no encoded surrogate and no overlong form for text', () => {
    expect(decodeLetter(Uint8Array.of(0xed, 0xa0, 0x80, 0x7d)).fault).toBe('not-text');
    expect(decodeLetter(Uint8Array.of(0xc0, 0xaf, 0x7d)).fault).toBe('not-text');
  });
});
