import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { examineLetter } from '../../src/letter/examine.ts';
import type { LetterIssue } from '../../src/letter/letter.ts';
import { parseLetter } from '../../src/letter/parse.ts';
import {
  bytesOf,
  LIMITS,
  prefixesOf,
  type WrittenLetter,
  writtenLetter,
} from './arbitrary-letter.ts';

const parse = (text: string): ReturnType<typeof parseLetter> =>
  parseLetter(examineLetter(bytesOf(text), LIMITS));

function firstIssue(bytes: Uint8Array): LetterIssue {
  const parsed = parseLetter(examineLetter(bytes, LIMITS));
  if (parsed.ok) throw new Error('accepted');
  return parsed.issues[0];
}

function meant({ to, act, subject, body, in_reply_to: inReplyTo, note }: WrittenLetter): unknown {
  const extra =
    note === undefined ? undefined : { note: JSON.parse(JSON.stringify(note)) as unknown };
  return { to, act, subject, body, inReplyTo, extra };
}

const utf16 = (text: string): Uint8Array => new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'));

describe('parseLetter', () => {
  test.each([
    ['', 'empty-file'],
    [' \n', 'empty-file'],
    ['\0\0', 'empty-file'],
    ['null', 'not-an-object'],
    ['[]', 'not-an-object'],
    ['"hi"', 'not-an-object'],
    ['42', 'not-an-object'],
    ['[{"to":"coder"}]', 'not-an-object'],
    ['[{"to":"coder",},]', 'not-an-object'],
    ['{"to":"coder"', 'cut-off'],
    ['```json\n', 'cut-off'],
    ['{to: coder}', 'not-json'],
    ['To: coder', 'not-json'],
    ['{"to":"a"}\n{"to":"b"}', 'not-json'],
  ])('rejects %j as %s', (text, code) => {
    const issue = firstIssue(bytesOf(text));
    expect(issue).toMatchObject({ code, path: '' });
    expect(issue.message).toMatch(/^[A-Z].*\.$/);
    expect(issue.hint).toMatch(/^[A-Z].*\.$/);
  });

  test('asks who wrote a list of letters to write one file each', () => {
    expect(firstIssue(bytesOf('[{}]')).hint).toContain('one file for each letter');
  });

  test('names the line and column of what can not be read', () => {
    const text = '{\r\n  "to": "coder",\n  "body": "C:\\Users\\new"\n}';
    const issue = firstIssue(bytesOf(text));
    expect(issue).toMatchObject({ code: 'not-json', line: 3, column: 14 });
    expect(issue.message).toContain('line 3, column 14');
  });

  test('names the line and column of bytes that are no text', () => {
    const bytes = Uint8Array.from([...bytesOf('{"to":"a",\n"body":"caf'), 0xe9, ...bytesOf('"}')]);
    expect(firstIssue(bytes)).toMatchObject({ code: 'not-text', line: 2, column: 12 });
  });

  test('names what a text that ends too early left open', () => {
    const bytes = bytesOf('{"to":"a",\n"body":"é');
    expect(firstIssue(bytes)).toMatchObject({ code: 'cut-off', line: 2, column: 8 });
    expect(firstIssue(bytes.subarray(0, -1))).toMatchObject({
      code: 'cut-off',
      line: 2,
      column: 8,
    });
  });

  test('rejects half a character after the object', () => {
    expect(firstIssue(Uint8Array.from([...bytesOf('{}'), 0xc3])).code).toBe('not-text');
    expect(firstIssue(Uint8Array.from([...utf16('{}'), 0x0a])).code).toBe('not-text');
  });

  test('takes a letter of the largest size, and not of a byte more', () => {
    const limits = { ...LIMITS, letterBytes: 100 };
    const text = '{"to":"a","act":"inform","body":"b"}';
    expect(parseLetter(examineLetter(bytesOf(text.padEnd(100)), limits)).ok).toBe(true);
    expect(parseLetter(examineLetter(bytesOf(text.padEnd(101)), limits))).toMatchObject({
      ok: false,
      issues: [{ code: 'too-large', path: '' }],
    });
  });

  test('takes a letter of the deepest nesting, and not of a level more', () => {
    const nested = (levels: number): string =>
      `{"to":"a","act":"inform","body":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect(parse(nested(63)).ok).toBe(true);
    expect(firstIssue(bytesOf(nested(64)))).toMatchObject({ code: 'too-deep', column: 96 });
    expect(firstIssue(bytesOf(nested(10_000))).code).toBe('too-deep');
    expect(firstIssue(bytesOf('['.repeat(1024 * 1024))).code).toBe('too-deep');
    expect(firstIssue(bytesOf('{"a":'.repeat(200_000))).code).toBe('too-deep');
  });

  test('takes the last of two fields of one name, and says so', () => {
    expect(parse('{"to":"a","act":"inform","body":"b","to":"c"}')).toMatchObject({
      letter: { to: ['c'] },
      repairs: ['duplicate-fields'],
    });
  });

  test('takes no field that names a prototype for a duplicate', () => {
    const text = '{"to":"a","act":"inform","body":"b","__proto__":{"c":1}}';
    expect(parse(text)).toMatchObject({ ok: true, repairs: ['proto-key'] });
  });

  test('names every repair, those of the text first', () => {
    const text = '\ufeff```json\n{"recipient":"a","act":"INFORM","body":"x\ny",}\n```';
    expect(parse(text)).toEqual({
      ok: true,
      letter: { to: ['a'], act: 'inform', subject: '', body: 'x\ny' },
      repairs: [
        'bom',
        'code-fence',
        'control-characters',
        'trailing-comma',
        'field-alias',
        'act-case',
      ],
    });
  });

  test('names the repairs of a letter that it refuses', () => {
    expect(parse('{"to":"a","act":"x","body":"b",}')).toMatchObject({
      ok: false,
      issues: [{ code: 'bad-act' }],
      repairs: ['trailing-comma'],
    });
  });

  test('leaves a letter that parses as it is', () => {
    fc.assert(
      fc.property(writtenLetter, fc.constantFrom(0, 2, '\t'), (written, indent) => {
        const parsed = parse(JSON.stringify(written, undefined, indent));
        expect(parsed).toEqual({ ok: true, letter: meant(written), repairs: [] });
      }),
    );
  });

  test('never takes a part of a letter, from its beginning, for a letter', () => {
    fc.assert(
      fc.property(writtenLetter, fc.boolean(), (written, isRaw) => {
        const strict = JSON.stringify(written, undefined, 1);
        const bytes = bytesOf(isRaw ? strict.replaceAll('\\n', '\n') : strict);
        expect(
          prefixesOf(bytes).filter((part) => parseLetter(examineLetter(part, LIMITS)).ok),
        ).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  test('never throws, whatever the bytes', () => {
    const part = fc.constantFrom(
      '{"to":"a",',
      '"act":"inform",',
      '"body":',
      '"x\n"',
      '}',
      '[',
      ',',
      '```',
      '/*',
      '\\',
      '\ufeff',
      '\0',
      '1e999',
      '"__proto__":',
    );
    fc.assert(
      fc.property(fc.array(part), fc.uint8Array({ maxLength: 4 }), (parts, bytes) => {
        const whole = Uint8Array.from([...bytesOf(parts.join('')), ...bytes]);
        expect(typeof parseLetter(examineLetter(whole, LIMITS)).ok).toBe('boolean');
      }),
      { numRuns: 2_000 },
    );
  });
});

/** A way in which agents damage JSON without a doubt about what they meant. */
type Damage = (text: string) => string;

/** Adds text after every comma between fields: at the top only, where `JSON.stringify` breaks lines. */
const afterFields =
  (addition: string): Damage =>
  (text) =>
    text.replaceAll(',\n "', `,${addition}\n "`);

const DAMAGES: Record<string, Damage> = {
  'control-characters': (text) =>
    text.replace(
      /\\\\|\\[nt]|\\r/g,
      (found) => ({ '\\n': '\n', '\\t': '\t', '\\r': '\r' })[found] ?? found,
    ),
  'trailing-comma': (text) => text.replace(/\n}$/, ',\n}'),
  comments: (text) => `// a letter: {\n${afterFields(' /* "next" } */ // }')(text)}`,
  'code-fence': (text) => `\`\`\`json\n${text}\n\`\`\`\n`,
  'odd-white-space': (text) => `\u00a0${afterFields('\u2003')(text)}`,
  'nul-padding': (text) => `${text}\0\0`,
};

describe('a letter damaged as agents do it', () => {
  const damages = fc.subarray(Object.keys(DAMAGES), { minLength: 1 });
  const encodings = fc.constantFrom(bytesOf, (text: string) => bytesOf(`\ufeff${text}`), utf16);

  test('is repaired to exactly the letter meant', () => {
    fc.assert(
      fc.property(writtenLetter, damages, encodings, (written, names, encode) => {
        const intact = JSON.stringify({ ...written, subject: 'raw\there' }, undefined, 1);
        const damaged = names.reduce((text, name) => DAMAGES[name]?.(text) ?? text, intact);
        const parsed = parseLetter(examineLetter(encode(damaged), LIMITS));
        expect(parsed).toMatchObject({ ok: true });
        expect(parsed.ok && parsed.letter).toEqual(meant({ ...written, subject: 'raw\there' }));
        expect(parsed.repairs).toEqual(expect.arrayContaining(names));
      }),
      { numRuns: 500 },
    );
  });

  test.each(Object.keys(DAMAGES))('is not taken from a part of it, with %s', (name) => {
    fc.assert(
      fc.property(writtenLetter, (written) => {
        const text = DAMAGES[name]?.(JSON.stringify(written, undefined, 1)) ?? '';
        const whole = bytesOf(text.slice(0, text.lastIndexOf('\n}') + 2));
        expect(
          prefixesOf(whole).filter((part) => parseLetter(examineLetter(part, LIMITS)).ok),
        ).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });
});
