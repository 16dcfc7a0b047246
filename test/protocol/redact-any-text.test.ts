import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redactSecrets } from '../../src/protocol/redact.ts';

// Put together here, so that no scanner of repositories takes this file for a leak.
const pem = (label: string): string => `-----${label} RSA PRIVATE KEY-----`;
const PEM_LINE = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj';
const KEY = `ghp_${'Ab3dE7'.repeat(6)}`;
const SHA = '3f2a9c1d8e7b6a5f4e3d2c1b0a9f8e7d6c5b4a39';

const oneOf = (words: string): fc.Arbitrary<string> => fc.constantFrom(...words.split(' '));
const word = oneOf(
  'the password token secret key api bearer basic private is risk authorization checked in review of task disk Begin credentials a',
);
const path = fc
  .array(word, { minLength: 2, maxLength: 5 })
  .map((words) => `src/${words.join('/')}.ts:12`);
const sha = fc.stringMatching(/^[0-9a-f]{7,40}$/);
const prose = fc
  .array(fc.oneof(word, word, sha, path, fc.uuid()), { maxLength: 30 })
  .map((words) => words.join(' '));

const planted = fc.oneof(
  fc.stringMatching(/^sk-ant-api03-[A-Za-z0-9]{60}$/),
  fc.stringMatching(/^sk-proj-[A-Za-z0-9]{48}$/),
  fc.stringMatching(/^AIza[A-Za-z0-9]{35}$/),
  fc.stringMatching(/^gh[pos]_[A-Za-z0-9]{36}$/),
  fc.stringMatching(/^github_pat_[A-Za-z0-9]{60}$/),
  fc.stringMatching(/^glpat-[A-Za-z0-9]{20}$/),
  fc.stringMatching(/^xox[bp]-[A-Za-z0-9]{40}$/),
  fc.stringMatching(/^(?:npm|hf)_[A-Za-z0-9]{36}$/),
  fc.stringMatching(/^[rs]k_live_[A-Za-z0-9]{24}$/),
  fc.stringMatching(/^eyJhbGciOiJIUzI1NiJ9\.[A-Za-z0-9]{60}$/),
);
const around = fc.oneof(
  prose,
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', 'xyz', 'password=', 'token: ', '"', '\\n', '=', '://', '/', '(', 'Bearer '),
);

/** Pieces that signs, values and marks are made of, in any order. */
const hostile = fc
  .array(
    fc.oneof(
      oneOf('password token api_key secret _pass = : Authorization: -- . -'),
      oneOf('" \' \\" \\ ` ; & , ( < $ ** :// @ / ]'),
      oneOf('sk- eyJ see a1b2c3d4 1234 3000? [redacted: [redacted:token]'),
      fc.constantFrom(' ', '\n', ': ', ' = ', 'Bearer ', 'Basic ', 'Ab: ', SHA),
      fc.constantFrom(pem('BEGIN'), pem('END'), PEM_LINE, '-----BEGIN '),
      planted,
    ),
    { maxLength: 14 },
  )
  .map((pieces) => pieces.join(''));

describe('redactSecrets on any text', () => {
  test('leaves words, commit ids, paths and UUIDs as they are', () => {
    fc.assert(
      fc.property(prose, (text) => {
        expect(redactSecrets(text)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test('takes out a planted secret wherever it stands', () => {
    fc.assert(
      fc.property(around, planted, around, (before, secret, after) => {
        expect(redactSecrets(before + secret + after)).not.toContain(secret.slice(-12));
      }),
      { numRuns: 1000 },
    );
  });

  test('changes nothing the second time', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const once = redactSecrets(text);
        expect(redactSecrets(once)).toBe(once);
      }),
      // Calls and schemes: the whole is no secret, but what is left of it looks like one.
      {
        numRuns: 3000,
        examples: [[`password=login${KEY}(`], [`password = x1y${KEY}://`], [`://${KEY}:${KEY}@`]],
      },
    );
  });
});

describe('redactSecrets on a mebibyte', () => {
  // No time is asserted: what is not linear here takes hours.
  test.each(
    [
      'a - = \\ \\" ) @ [redacted: password= password=" token: token:a token="\\ token="a/b. token=x;a',
      'token=)) --token sk- sk-a SG. eyJabc. :// ://a: ://a:b@ bearer Basic glpat-a ghp_ -----BEGIN',
    ]
      .join(' ')
      .split(' ')
      .concat(' ', '\n', 'token: ', '--token ', 'bearer a1 ', 'Authorization: Basic ')
      .concat(pem('BEGIN'), `${pem('BEGIN')}\n`, `${pem('BEGIN')}\\n\\n`, `${pem('BEGIN')}Abc: `)
      .concat(pem('END'), `${pem('BEGIN')}${PEM_LINE} `),
  )('ends on %j, over and over', (unit) => {
    const text = unit.repeat(Math.floor(2 ** 20 / unit.length));
    expect(redactSecrets(text)).toBeTypeOf('string');
    expect(redactSecrets(`${pem('BEGIN')}${text}`)).toBeTypeOf('string');
  });
});
