import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { repairText } from '../../src/letter/repair.ts';
import { writtenLetter } from './arbitrary-letter.ts';

describe('repairText', () => {
  test.each([
    ['{"a":1,}', { a: 1 }, ['trailing-comma']],
    ['{"a":[1,2,],\n}', { a: [1, 2] }, ['trailing-comma']],
    ['{"a":1, /* x */ }', { a: 1 }, ['comments', 'trailing-comma']],
    ['// x\n{"a":1 // y\r\n}', { a: 1 }, ['comments']],
    ['{"a":"// no","b":"/* no */"/**/}', { a: '// no', b: '/* no */' }, ['comments']],
    ['{} // x', {}, ['comments']],
    ['```json\n{"a":"```"}\n```\n', { a: '```' }, ['code-fence']],
    ['```\n{}\n```', {}, ['code-fence']],
    ['~~~ json5\n{}\n~~~ ', {}, ['code-fence']],
    ['~~~jsonc\n{}\n~~~', {}, ['code-fence']],
    ['````JSON{"a":1}````', { a: 1 }, ['code-fence']],
    ['```json\n{}', {}, ['code-fence']],
    ['{}\n```', {}, ['code-fence']],
    ['\u00a0{\u2028"a":\f1}', { a: 1 }, ['odd-white-space']],
    ['{"a\n":"b\tc"}', { 'a\n': 'b\tc' }, ['control-characters']],
    ['[1,]', [1], ['trailing-comma']],
  ])('makes %j parse', (text, value, repairs) => {
    const repaired = repairText(text);
    expect(repaired).toMatchObject({ ok: true, repairs });
    expect(repaired.ok && JSON.parse(repaired.text)).toEqual(value);
  });

  test.each([
    ['{"a":1', 'cut-off', 0],
    ['{"a":{"b":[1,', 'cut-off', 10],
    ['{"a":"x', 'cut-off', 5],
    ['{"a":tru', 'cut-off', 5],
    ['{"a":1 // }', 'cut-off', 0],
    ['{"a":1 /* }', 'cut-off', 7],
    ['{} /* x', 'cut-off', 3],
    ['```json\n', 'cut-off', 0],
    ['', 'cut-off', 0],
    ['{"a":"C:\\Users\\new"}', 'bad-escape', 8],
    ['{}{}', 'more-follows', 2],
    ['{} and more', 'more-follows', 3],
    ['{},', 'more-follows', 2],
    ['{}}', 'more-follows', 2],
    ['{}\n```\n```', 'more-follows', 7],
    ['```\n```\n{}', 'syntax', 4],
    ['```a b\n{}\n```', 'syntax', 5],
    ['{}\n```done', 'more-follows', 3],
    ['Here: {}', 'syntax', 0],
    ["{'a':1}", 'syntax', 1],
    ['{a:1}', 'syntax', 1],
    ['{"a" 1}', 'syntax', 5],
    ['{"a":}', 'syntax', 5],
    ['{"a":1 "b":2}', 'syntax', 7],
    ['{"a":1]', 'syntax', 6],
    ['{,}', 'syntax', 1],
    ['{"a":1,,}', 'syntax', 7],
    ['[,]', 'syntax', 1],
    ['{"a":01}', 'syntax', 5],
    ['{"a":True}', 'syntax', 5],
    ['{"a":NaN}', 'syntax', 5],
    ['{"a":```x```}', 'syntax', 5],
    ['{\0"a":1}', 'syntax', 1],
    ['{"a":"say "hi" now"}', 'syntax', 11],
  ])('leaves %j alone', (text, kind, offset) => {
    expect(repairText(text)).toMatchObject({ ok: false, fault: { kind, offset } });
  });

  test('returns any JSON as it is', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom('', '\n', ' '), (json, space) => {
        const text = `${space}${json}${space}`;
        expect(repairText(text)).toEqual({ ok: true, text, repairs: [] });
      }),
    );
  });

  test('passes only what parses', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '1',
      'null',
      ' ',
      '\n',
      '//',
      '/*x*/',
      '```',
      '"\n"',
      '"\\d"',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const repaired = repairText(pieces.join(''));
        if (repaired.ok) expect(() => JSON.parse(repaired.text)).not.toThrow();
      }),
      { numRuns: 5_000 },
    );
  });

  test('passes no part of a letter, from its beginning', () => {
    fc.assert(
      fc.property(writtenLetter, (written) => {
        const text = JSON.stringify(written, undefined, 1).replaceAll('\\n', '\n');
        const parts = Array.from(text, (_, index) => text.slice(0, index));
        expect(parts.filter((part) => repairText(part).ok)).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    '[',
    '{"a":',
    '"',
    '\\',
    '"\\',
    '/* ',
    '//',
    '/',
    '```',
    '~',
    '`',
    '[1,',
    '"a"',
    ' ',
    '\u00a0',
    'a',
    ',',
    '-',
    '1',
  ])('comes to an end with a megabyte of %j', (piece) => {
    const text = piece.repeat(Math.floor((1024 * 1024) / piece.length));
    expect(repairText(text).ok).toBe(piece === '1');
    expect(repairText(`{"a":${text}`).ok).toBe(false);
  });

  test.each(['\n', '\\d', '\\\n', '\\\\', '\\"', 'x'])(
    'mends a megabyte of %j in one string',
    (piece) => {
      const text = `{"a":"${piece.repeat(Math.floor((1024 * 1024) / piece.length))}",}`;
      expect(repairText(text).ok).toBe(true);
    },
  );
});
