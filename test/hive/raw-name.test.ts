import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeName, rawPath } from '../../src/hive/raw-name.ts';

function backToBytes(path: string): Buffer {
  return Buffer.from(rawPath(path));
}

describe('raw names', () => {
  it('gives every byte string back as it was', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      // Mostly lead and continuation bytes, where the hard cases lie.
      fc.array(fc.constantFrom(0x61, 0x80, 0xbf, 0xc3, 0xe2, 0xed, 0xa0, 0xb2, 0xf0, 0x9f, 0xf5)),
    );
    fc.assert(
      fc.property(bytes, (input) => {
        const name = decodeName(Uint8Array.from(input));
        expect([...backToBytes(name)]).toEqual([...input]);
      }),
      { numRuns: 2000 },
    );
  });
  it('leaves every well-formed name as it is, and hands it over as text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        expect(decodeName(Buffer.from(name))).toBe(name);
        expect(rawPath(name)).toBe(name);
      }),
    );
  });
  it('gives different names to different bytes, also for encoded surrogates', () => {
    expect(decodeName(Uint8Array.from([0x61, 0xff]))).toBe('a\udcff');
    expect(decodeName(Uint8Array.from([0xed, 0xb3, 0xbf]))).toBe('\udced\udcb3\udcbf');
    expect(decodeName(Uint8Array.from([0xc0, 0xaf]))).toBe('\udcc0\udcaf');
    expect(decodeName(Uint8Array.from([0xf0, 0x9f, 0x98]))).toBe('\udcf0\udc9f\udc98');
    expect(decodeName(Uint8Array.from([0xef, 0xbf, 0xbd]))).toBe('\ufffd');
  });
  it('keeps emoji whole beside an escaped byte', () => {
    const bytes = Buffer.concat([Buffer.from('😀'), Buffer.from([0xfe]), Buffer.from('😀/é')]);
    expect(backToBytes(decodeName(bytes)).equals(bytes)).toBe(true);
  });
});
