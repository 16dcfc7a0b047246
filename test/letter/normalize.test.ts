import { describe, expect, test } from 'vitest';
import type { Letter, LetterIssue, Repair } from '../../src/letter/letter.ts';
import { normalizeLetter } from '../../src/letter/normalize.ts';
import { ACTS } from '../../src/protocol/acts.ts';
import { LIMITS } from './arbitrary-letter.ts';

const WHOLE = { to: 'coder', act: 'inform', subject: 's', body: 'b' };

function accepted(fields: Record<string, unknown>): { letter: Letter; repairs: Repair[] } {
  const parsed = normalizeLetter({ ...WHOLE, ...fields }, LIMITS);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed;
}

function issuesOf(fields: Record<string, unknown>): LetterIssue[] {
  const parsed = normalizeLetter({ ...WHOLE, ...fields }, LIMITS);
  return parsed.ok ? [] : parsed.issues;
}

const placesOf = (fields: Record<string, unknown>): string[] =>
  issuesOf(fields).map(({ code, path }) => `${code} ${path}`);

describe('the recipients', () => {
  test.each([
    ['coder', ['coder']],
    [' coder\n', ['coder']],
    ['@coder', ['coder']],
    ['a, @b ,,c', ['a', 'b', 'c']],
    [
      ['coder', ' @tester '],
      ['coder', 'tester'],
    ],
    [
      ['a,b', 'c'],
      ['a', 'b', 'c'],
    ],
    [
      ['coder', 'coder'],
      ['coder', 'coder'],
    ],
    ['role:tester', ['role:tester']],
    ['*', ['*']],
    ['coder/../god', ['coder/../god']],
    ['CODER', ['CODER']],
    ['Ada Lovelace', ['Ada Lovelace']],
  ])('%j are read as written, split and trimmed', (to, addresses) => {
    expect(accepted({ to })).toMatchObject({ letter: { to: addresses }, repairs: [] });
  });

  test.each([null, undefined, '', ' ', ',', '@', [], [' ']])('%j are none', (to) => {
    expect(placesOf({ to })).toEqual(['no-recipient to']);
    expect(accepted({ to, in_reply_to: 'x' }).letter).toMatchObject({ to: [], inReplyTo: 'x' });
  });

  test.each([
    [7, 'to'],
    [true, 'to'],
    [{ id: 'coder' }, 'to'],
    ['coder\0', 'to'],
    ['\u001b[31mcoder', 'to'],
    ['a, b\u0085c', 'to'],
    ['x'.repeat(201), 'to'],
    [['a', 'b', 'c', 7], 'to[3]'],
    [[['a']], 'to[0]'],
    [[null], 'to[0]'],
    [['a', 'b\0'], 'to[1]'],
  ])('%j are refused with the place', (to, path) => {
    expect(placesOf({ to })).toEqual([`bad-recipient ${path}`]);
  });

  test('are refused when a reply does not say to what', () => {
    expect(placesOf({ to: null, in_reply_to: 7 })).toEqual([
      'no-recipient to',
      'bad-field in_reply_to',
    ]);
    expect(placesOf({ to: null, in_reply_to: ' ' })).toEqual(['no-recipient to']);
  });

  test('are at most as many as the limit', () => {
    const names = Array.from({ length: 256 }, (_, index) => `a${index}`);
    expect(accepted({ to: names }).letter.to).toEqual(names);
    expect(placesOf({ to: [...names, 'one-more'] })).toEqual(['too-many-recipients to']);
    expect(placesOf({ to: `${names.join()},x` })).toEqual(['too-many-recipients to']);
    expect(placesOf({ to: Array(400_000).fill(1) })).toEqual(['too-many-recipients to']);
  });

  test('that are wrong give at most 20 issues', () => {
    expect(issuesOf({ to: Array(256).fill(1) })).toHaveLength(20);
  });
});

describe('the act', () => {
  test.each(ACTS)('%s is taken', (act) => {
    expect(accepted({ act })).toMatchObject({ letter: { act }, repairs: [] });
  });

  test.each(['REQUEST ', ' Request', 'request\n'])('%j is a request', (act) => {
    expect(accepted({ act })).toMatchObject({ letter: { act: 'request' }, repairs: ['act-case'] });
  });

  test.each(['yell', '', 5, true, ['inform'], { act: 'inform' }, null, undefined])(
    '%j is refused with the list of acts',
    (act) => {
      const [issue, ...others] = issuesOf({ act });
      expect(issue).toMatchObject({ code: 'bad-act', path: 'act' });
      expect(issue?.hint).toContain(ACTS.join(', '));
      expect(others).toEqual([]);
    },
  );

  test('that is misspelt is answered with the nearest', () => {
    expect(issuesOf({ act: 'Reqest' })[0]?.hint).toMatch(/nearest to yours is request\.$/);
  });
});

describe('the body and the subject', () => {
  test.each([
    [{ a: [1] }, '{\n  "a": [\n    1\n  ]\n}'],
    [[1, 'x'], '[\n  1,\n  "x"\n]'],
    [7, '7'],
    [false, 'false'],
  ])('deliver a body of %j as JSON text', (body, text) => {
    expect(accepted({ body })).toMatchObject({ letter: { body: text }, repairs: ['body-as-json'] });
  });

  test.each([' padded \n', '\u001b[31m\0', '\u202e', 'x'.repeat(500_000)])(
    'keep a body exactly, no. %#',
    (body) => {
      expect(accepted({ body })).toMatchObject({ letter: { body }, repairs: [] });
    },
  );

  test('turn a number or boolean subject into text', () => {
    expect(accepted({ subject: 42 }).letter.subject).toBe('42');
    expect(accepted({ subject: true }).repairs).toEqual(['subject-as-text']);
  });

  test.each([
    ['one\ntwo', 'one two'],
    ['one \r\n\r\n two\n', 'one two'],
    ['one\u2028two', 'one two'],
    ['one\u0085two\vthree', 'one two three'],
  ])('put the subject %j on one line', (subject, line) => {
    expect(accepted({ subject })).toMatchObject({
      letter: { subject: line },
      repairs: ['subject-one-line'],
    });
  });

  test('keep a long subject', () => {
    const subject = 'long '.repeat(1_000);
    expect(accepted({ subject }).letter.subject).toBe(subject);
  });

  test.each([[['a']], [{ a: 1 }]])('refuse a subject of %j', (subject) => {
    expect(placesOf({ subject })).toEqual(['bad-field subject']);
  });

  test('may each be absent', () => {
    expect(accepted({ body: null }).letter.body).toBe('');
    expect(accepted({ subject: undefined }).letter.subject).toBe('');
  });

  test.each([
    [null, null],
    ['', ''],
    [' \n\t', '\u00a0\u2003'],
    ['\u200b\ufeff', '\0\u001b'],
  ])('of %j and %j say nothing', (subject, body) => {
    expect(placesOf({ subject, body })).toEqual(['nothing-said body']);
  });
});

describe('the references', () => {
  test('are kept', () => {
    const references = { conversation: 'a.b:c-d_1', in_reply_to: ' any thing ', reply_by: 'noon' };
    expect(accepted(references).letter).toMatchObject({
      conversation: 'a.b:c-d_1',
      inReplyTo: 'any thing',
      replyBy: 'noon',
    });
  });

  test('are absent when null or empty', () => {
    const { letter } = accepted({ conversation: null, in_reply_to: '', reply_by: ' ' });
    expect(letter).toEqual({ ...WHOLE, to: ['coder'] });
  });

  test.each([
    ['conversation', 'two words'],
    ['conversation', '../../x'],
    ['conversation', 'x'.repeat(129)],
    ['conversation', 7],
    ['in_reply_to', 7],
    ['in_reply_to', 'x'.repeat(201)],
    ['reply_by', 1_700_000_000],
    ['reply_by', 'x'.repeat(101)],
  ])('refuse a %s that is no such thing, no. %#', (field, value) => {
    expect(placesOf({ [field]: value })).toEqual([`bad-field ${field}`]);
  });
});

describe('the issues', () => {
  test('name everything that is wrong', () => {
    const wrong = {
      to: 7,
      act: 'x',
      subject: [],
      body: ' ',
      conversation: '/',
      in_reply_to: {},
      reply_by: 1,
    };
    expect(placesOf(wrong)).toEqual([
      'bad-recipient to',
      'bad-act act',
      'bad-field subject',
      'bad-field conversation',
      'bad-field in_reply_to',
      'bad-field reply_by',
    ]);
    expect(placesOf({ to: null, act: null, subject: null, body: null })).toEqual([
      'no-recipient to',
      'bad-act act',
      'nothing-said body',
    ]);
  });

  test('are sentences that hold nothing of the letter', () => {
    const secret = 'sk-secret';
    const wrong = {
      to: [`${secret}\0`],
      act: secret,
      conversation: `${secret} /`,
      reply_by: secret.repeat(20),
    };
    for (const issue of issuesOf(wrong)) {
      expect(issue.message).toMatch(/^[A-Z`].*\.$/);
      expect(issue.hint).toMatch(/^[A-Z].*\.$/);
      expect(JSON.stringify(issue)).not.toContain(secret);
    }
  });
});
