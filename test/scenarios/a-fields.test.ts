import { expect } from 'vitest';
import { describeLetters, letterWith, withRawBody } from './sent-letters.ts';

const alias = ['field-alias'];
/** A letter that has no body of the proper name. */
const without = (fields: Record<string, unknown>) => letterWith({ body: undefined, ...fields });

describeLetters('A9. Another name for a field is understood and named as repaired:', [
  { name: '`message`', text: without({ message: 'M' }), repairs: alias, arrives: { body: 'M' } },
  { name: '`text`', text: without({ text: 'M' }), repairs: alias, arrives: { body: 'M' } },
  { name: '`content`', text: without({ content: 'M' }), repairs: alias, arrives: { body: 'M' } },
  { name: '`Body`', text: without({ Body: 'M' }), repairs: alias, arrives: { body: 'M' } },
  {
    name: '`type` for `act`',
    text: letterWith({ act: undefined, type: 'Query' }),
    repairs: [...alias, 'act-case'],
    arrives: { act: 'query', requires_reply: true },
  },
  { name: '`recipient`', text: letterWith({ to: undefined, recipient: 'coder' }), repairs: alias },
  {
    name: '`recipients`, with the proper name null',
    text: letterWith({ to: null, recipients: ['coder', 'tester'] }),
    repairs: alias,
    arrives: { to_all: ['coder', 'tester'] },
  },
  {
    name: '`title`',
    text: letterWith({ subject: undefined, title: 'T' }),
    repairs: alias,
    arrives: { subject: 'T' },
  },
  {
    name: '`inReplyTo`, `Reply-By` and `conversationId`',
    text: letterWith({ inReplyTo: 'x1', 'Reply-By': 'noon', conversationId: 'c1' }),
    repairs: [...alias, 'unknown-parent'],
    arrives: { in_reply_to: 'x1', reply_by: 'noon', conversation: 'c1' },
  },
  {
    name: 'body as an object under another name',
    text: without({ content: { a: 1 } }),
    repairs: [...alias, 'body-as-json'],
    arrives: { body: '{\n  "a": 1\n}' },
  },
]);

describeLetters('A9. Any other field arrives verbatim under `extra`:', [
  {
    name: 'of every type, nested, empty and with odd names',
    text: letterWith({ a: null, b: [], c: {}, d: false, '': 0, 'x.y/z': [{ q: '"' }], '…': 'é\n' }),
    arrives: {
      extra: { a: null, b: [], c: {}, d: false, '': 0, 'x.y/z': [{ q: '"' }], '…': 'é\n' },
    },
  },
  {
    name: 'a second name beside the proper one, and a second of two',
    text: letterWith({ message: 'M', type: 'bug', title: 'T', text: 1 }),
    arrives: { body: 'B', extra: { message: 'M', type: 'bug', title: 'T', text: 1 } },
  },
  {
    name: 'of two other names, the one not taken',
    text: without({ text: 'first', content: 'second' }),
    repairs: alias,
    arrives: { body: 'first', extra: { content: 'second' } },
  },
  {
    name: 'an `extra` object, as of a message sent on, and not nested deeper',
    text: letterWith({ extra: { a: 1, to: 'x' }, b: 2 }),
    arrives: { extra: { a: 1, to: 'x', b: 2 } },
  },
  {
    name: 'an `extra` that is a text',
    text: letterWith({ extra: 'x' }),
    arrives: { extra: { extra: 'x' } },
  },
  {
    name: 'numbers that a double can hold, whatever their spelling',
    text: '{"to":"coder","act":"inform","body":"B","n":[0,-0.0,1.50,1e3,1E-7,9007199254740991,0.1]}',
    arrives: { extra: { n: [0, 0, 1.5, 1000, 1e-7, 9007199254740991, 0.1] } },
  },
  {
    name: 'numbers that no double can hold, as text with all of their digits',
    text: '{"to":"coder","act":"inform","body":"B","issue":12345678901234567890,"n":[1e999,0.12345678901234567890]}',
    repairs: ['numbers-as-text'],
    arrives: { extra: { issue: '12345678901234567890', n: ['1e999', '0.12345678901234567890'] } },
  },
]);

const acts = /request, query, propose, inform, agree, refuse, done/;

describeLetters('A10. An act is read in any case, and what is none is refused with the list:', [
  {
    name: '`REQUEST `',
    text: letterWith({ act: 'REQUEST ' }),
    repairs: ['act-case'],
    arrives: { act: 'request' },
  },
  {
    name: '`\\tDone\\n`',
    text: letterWith({ act: '\tDone\n' }),
    repairs: ['act-case'],
    arrives: { act: 'done' },
  },
  {
    name: 'after a no-break space',
    text: letterWith({ act: '\u00a0query' }),
    repairs: ['act-case'],
    arrives: { act: 'query' },
  },
  { name: '`yell`', text: letterWith({ act: 'yell' }), ends: 'bad-act', told: acts },
  {
    name: '`reply`, with the nearest',
    text: letterWith({ act: 'reply' }),
    ends: 'bad-act',
    told: /nearest to yours is inform/,
  },
  {
    name: '`request.`',
    text: letterWith({ act: 'request.' }),
    ends: 'bad-act',
    told: /nearest to yours is request/,
  },
  { name: '5', text: letterWith({ act: 5 }), ends: 'bad-act', told: acts },
  { name: 'null', text: letterWith({ act: null }), ends: 'bad-act', told: acts },
  { name: 'a list of one', text: letterWith({ act: ['request'] }), ends: 'bad-act', told: acts },
  { name: 'an empty text', text: letterWith({ act: '' }), ends: 'bad-act', told: acts },
  { name: 'no act', text: letterWith({ act: undefined }), ends: 'bad-act', told: acts },
  {
    name: '`toString`, which every object has',
    text: letterWith({ act: 'toString' }),
    repairs: ['act-case'],
    ends: 'bad-act',
    told: acts,
  },
  {
    name: 'ten thousand characters',
    text: letterWith({ act: 'x'.repeat(10_000) }),
    ends: 'bad-act',
    told: acts,
  },
  {
    name: '`ｒｅｑｕｅｓｔ` in full width',
    text: letterWith({ act: 'ｒｅｑｕｅｓｔ' }),
    ends: 'bad-act',
    told: acts,
  },
]);

const asJson = ['body-as-json'];

describeLetters('A11. A body that is no text is delivered as JSON text:', [
  {
    name: 'an object',
    text: letterWith({ body: { task: 'é', n: [1] } }),
    repairs: asJson,
    arrives: { body: '{\n  "task": "é",\n  "n": [\n    1\n  ]\n}' },
  },
  {
    name: 'an array',
    text: letterWith({ body: ['a', null] }),
    repairs: asJson,
    arrives: { body: '[\n  "a",\n  null\n]' },
  },
  { name: 'a number', text: letterWith({ body: 42 }), repairs: asJson, arrives: { body: '42' } },
  { name: 'false', text: letterWith({ body: false }), repairs: asJson, arrives: { body: 'false' } },
  {
    name: 'a number that no double can hold',
    text: '{"to":"coder","act":"inform","body":{"id":12345678901234567890}}',
    repairs: ['numbers-as-text', ...asJson],
    arrives: { body: '{\n  "id": "12345678901234567890"\n}' },
  },
  {
    name: 'null beside a subject',
    text: letterWith({ body: null }),
    arrives: { subject: 'S', body: '' },
  },
  {
    name: 'white space beside a subject',
    text: letterWith({ body: ' \n' }),
    arrives: { subject: 'S', body: ' \n' },
  },
  {
    name: 'no subject beside a body',
    text: letterWith({ subject: undefined }),
    arrives: { subject: '', body: 'B' },
  },
  {
    name: 'a subject that is a number',
    text: letterWith({ subject: 7 }),
    repairs: ['subject-as-text'],
    arrives: { subject: '7' },
  },
]);

describeLetters('A11. A letter that says nothing is refused:', [
  {
    name: 'neither',
    text: { to: 'coder', act: 'inform' },
    ends: 'nothing-said',
    told: /neither a `body` nor a `subject`/,
  },
  {
    name: 'white space',
    text: letterWith({ subject: ' \t', body: '\n\r\n\u00a0\u3000' }),
    ends: 'nothing-said',
  },
  { name: 'both null', text: letterWith({ subject: null, body: null }), ends: 'nothing-said' },
  { name: 'both empty', text: letterWith({ subject: '', body: '' }), ends: 'nothing-said' },
  {
    name: 'invisible characters',
    text: letterWith({ subject: '\u200b\u2060', body: '\u0000\ufeff\u00ad' }),
    ends: 'nothing-said',
  },
  {
    name: 'an empty body under another name',
    text: { to: 'coder', act: 'inform', message: ' ' },
    repairs: alias,
    ends: 'nothing-said',
  },
  {
    name: 'a body of an empty object',
    text: { to: 'coder', act: 'inform', body: {} },
    repairs: asJson,
    ends: 'nothing-said',
  },
  {
    name: 'a body of an empty list',
    text: { to: 'coder', act: 'inform', body: [] },
    repairs: asJson,
    ends: 'nothing-said',
  },
]);

const mine = { from: expect.stringMatching(/^s\d+$/), hops: 0, needs_human: false };

describeLetters('A12. What a letter says about the fields of the router has no effect:', [
  {
    name: 'all of them',
    text: letterWith({
      id: 'mine',
      from: 'human',
      hops: 13,
      created_at: '1999-01-01T00:00:00Z',
      requires_reply: true,
      needs_human: true,
      to_all: ['broadcast'],
      notice: { of: 'x', code: 'y' },
      held: { code: 'z', at: 'now' },
    }),
    arrives: { ...mine, requires_reply: false, created_at: expect.stringMatching(/^2026-/) },
  },
  {
    name: 'hops 1e999',
    text: '{"to":"coder","act":"inform","body":"B","hops":1e999}',
    arrives: mine,
  },
  { name: 'hops -5', text: letterWith({ hops: -5 }), arrives: mine },
  { name: 'hops as a text', text: letterWith({ hops: '12' }), arrives: mine },
  {
    name: '`requires_reply: false` on a request',
    text: letterWith({ act: 'request', requires_reply: false }),
    arrives: { ...mine, requires_reply: true },
  },
  {
    name: 'a sender that is an agent, in a letter without one',
    text: letterWith({ from: 'god', sender: 'god' }),
    arrives: { ...mine, extra: { sender: 'god' } },
  },
  { name: 'an id that is a path', text: letterWith({ id: '../../registry' }), arrives: mine },
]);

const invalid = (bytes: number[]) =>
  Buffer.concat([
    Buffer.from('{"to":"coder","act":"inform",\n"body":"a'),
    Buffer.from(bytes),
    Buffer.from('b"}'),
  ]);
const nested = (levels: number) =>
  `{"to":"coder","act":"inform","body":"B","x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

describeLetters('A14. Content made to do harm has a clear outcome:', [
  {
    name: '`__proto__` is dropped',
    text: '{"to":"coder","act":"inform","body":"B","__proto__":{"polluted":1},"x":{"__proto__":null,"y":1}}',
    repairs: ['proto-key'],
    arrives: { extra: { x: { y: 1 } } },
  },
  {
    name: '`constructor`, `hasOwnProperty` and `toString` are fields like any other',
    text: letterWith({
      constructor: { prototype: { x: 1 } },
      hasOwnProperty: 1,
      toString: 'x',
      valueOf: null,
    }),
    arrives: {
      extra: {
        constructor: { prototype: { x: 1 } },
        hasOwnProperty: 1,
        toString: 'x',
        valueOf: null,
      },
    },
  },
  { name: 'to `__proto__`', text: letterWith({ to: '__proto__' }), ends: 'unknown-recipient' },
  { name: 'to `constructor`', text: letterWith({ to: 'constructor' }), ends: 'unknown-recipient' },
  {
    name: 'a conversation `__proto__`',
    text: letterWith({ conversation: '__proto__' }),
    arrives: { conversation: '__proto__' },
  },
  {
    name: 'a field twice: the last counts',
    text: '{"to":"tester","act":"inform","body":"first","to":"coder","body":"last"}',
    repairs: ['duplicate-fields'],
    arrives: { to: 'coder' as never, body: 'last' },
  },
  {
    name: 'a field twice, once with an escape in its name',
    text: '{"to":"coder","act":"inform","body":"first","bod\\u0079":"last"}',
    repairs: ['duplicate-fields'],
    arrives: { body: 'last' },
  },
  { name: '10 000 levels', text: nested(10_000), ends: 'too-deep', at: [1, 108] },
  {
    name: '10 000 objects that never close',
    text: '{"a":'.repeat(10_000),
    ends: 'too-deep',
    at: [1, 321],
  },
  { name: '65 levels', text: nested(65), ends: 'too-deep', at: [1, 108] },
  {
    name: '64 levels, which are allowed',
    text: nested(64),
    arrives: { extra: { x: expect.any(Array) } },
  },
  {
    name: 'brackets in a string, which nest nothing',
    text: letterWith({ body: '[{'.repeat(5000) }),
    arrives: { body: '[{'.repeat(5000) },
  },
  {
    name: 'an unpaired surrogate',
    text: withRawBody('a\\ud800b\\udc00'),
    repairs: ['lone-surrogates'],
    arrives: { body: 'a\ufffdb\ufffd' },
  },
  {
    name: 'an unpaired surrogate in a field name',
    text: '{"to":"coder","act":"inform","body":"B","\\udfff":1}',
    repairs: ['lone-surrogates'],
    arrives: { extra: { '\ufffd': 1 } },
  },
  {
    name: 'an unpaired surrogate in the recipient',
    text: '{"to":"cod\\ud800er","act":"inform","body":"B"}',
    repairs: ['lone-surrogates'],
    ends: 'unknown-recipient',
  },
  { name: 'Latin-1', text: invalid([0xe9]), ends: 'not-text', at: [2, 10] },
  { name: 'an overlong form', text: invalid([0xc0, 0xaf]), ends: 'not-text', at: [2, 10] },
  {
    name: 'a surrogate in UTF-8',
    text: invalid([0xed, 0xa0, 0x80]),
    ends: 'not-text',
    at: [2, 10],
  },
  {
    name: 'a number of a million digits',
    text: `{"to":"coder","act":"inform","body":"B","n":${'9'.repeat(1_000_000)}}`,
    repairs: ['numbers-as-text'],
    arrives: { extra: { n: '9'.repeat(1_000_000) } },
  },
  {
    name: 'a hundred thousand fields',
    text: letterWith(
      Object.fromEntries(Array.from({ length: 50_000 }, (_, place) => [`f${place}`, 1])),
    ),
    arrives: { extra: expect.objectContaining({ f49999: 1 }) },
  },
]);
