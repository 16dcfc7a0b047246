import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keepNumbers } from '../../src/letter/exact-numbers.ts';
import type { JsonObject } from '../../src/letter/json-object.ts';

function keep(text: string) {
  return keepNumbers(JSON.parse(text) as JsonObject, text);
}

describe('a number in a letter', () => {
  test.each([
    '0',
    '-0.0',
    '1.50',
    '1e3',
    '1E+21',
    '5e-324',
    '1.7976931348623157e308',
    '9007199254740992',
    '123456789012345680000',
    '0.1000000000000000000',
    '0e999',
  ])('%s stays one, for a double holds it', (literal) => {
    const text = `{"n":${literal}}`;
    expect(keep(text)).toEqual({ fields: JSON.parse(text), changed: false });
  });

  test.each([
    '9007199254740993',
    '-12345678901234567890',
    '12345678901234567000000',
    '0.12345678901234567',
    '0.1000000000000000055511151231257827',
    '1e309',
    '-1e999',
    '1e-400',
    '3.141592653589793238',
  ])('%s becomes the text of its digits, for no double holds it', (literal) => {
    expect(keep(`{"a":[{"n": ${literal} }]}`)).toEqual({
      fields: { a: [{ n: literal }] },
      changed: true,
    });
  });

  test('is left alone inside of texts and names', () => {
    const text = '{"12345678901234567890":"12345678901234567890, 1e999","n":1}';
    expect(keep(text)).toEqual({ fields: JSON.parse(text), changed: false });
  });

  test('in a field of the router is not worth a word', () => {
    expect(keep('{"hops":1e999,"body":"b"}').changed).toBe(false);
    expect(keep('{"hops":1e999,"x":1e999}').changed).toBe(true);
  });

  test('of a million zeros or digits is read in time', () => {
    expect(keep(`{"n":1${'0'.repeat(1_000_000)}1}`).changed).toBe(true);
    expect(keep(`{"n":0.${'0'.repeat(1_000_000)}}`).changed).toBe(false);
  });

  test('as JavaScript writes it always stays one', () => {
    const double = fc.double({ noDefaultInfinity: true, noNaN: true });
    fc.assert(
      fc.property(double, (n) => {
        const text = JSON.stringify({ n });
        expect(keep(text)).toEqual({ fields: JSON.parse(text), changed: false });
      }),
    );
  });
});
