import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACTS } from '../../src/protocol/acts.ts';
import { CONVERSATION, type Message, renderMessage } from '../../src/protocol/message.ts';
import { parseMessage } from '../../src/protocol/parse-message.ts';

const MESSAGE = {
  id: '1m8p570ga000-uie2dxy0',
  conversation: 'c1',
  in_reply_to: null,
  from: 'planner',
  to: 'coder',
  act: 'request',
  subject: 'Split',
  body: 'In two.\nThen test.',
  hops: 0,
  requires_reply: true,
  needs_human: false,
  created_at: '2026-11-30T12:00:00.000Z',
} as Message;

const text = fc.string({ unit: 'binary', maxLength: 60 });

describe('rendering a message', () => {
  it('gives indented JSON with one line feed at the end, in the order of the contract', () => {
    const rendered = renderMessage(MESSAGE);
    expect(rendered.endsWith('}\n')).toBe(true);
    expect(rendered.split('\n')[1]).toBe('  "id": "1m8p570ga000-uie2dxy0",');
    expect(Object.keys(JSON.parse(rendered))).toEqual(Object.keys(MESSAGE));
  });
  it('is read back as the same message, whatever its texts hold', () => {
    const extra = fc.dictionary(text, fc.jsonValue(), { maxKeys: 3 });
    const anyMessage = fc.record({
      subject: text,
      body: text,
      extra,
      act: fc.constantFrom(...ACTS),
    });
    fc.assert(
      fc.property(anyMessage, (fields) => {
        const message = { ...MESSAGE, ...fields };
        const back = parseMessage(renderMessage(message as Message));
        expect(JSON.stringify(back)).toBe(JSON.stringify(message));
      }),
    );
  });
  it('lets no character through that a terminal acts on or that reorders text', () => {
    fc.assert(
      fc.property(text, text, (subject, body) => {
        const rendered = renderMessage({ ...MESSAGE, subject, body });
        expect(rendered).not.toMatch(
          /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
        );
      }),
    );
    const rendered = renderMessage({ ...MESSAGE, body: '\u001b]0;x\u0007\u009b31m\u202e' });
    expect(rendered).toContain('\\u001b]0;x\\u0007\\u009b31m\\u202e');
  });
});

describe('parsing a message', () => {
  it('keeps fields that it does not know, as another system may write them', () => {
    expect(parseMessage(JSON.stringify({ ...MESSAGE, mood: 'fine' }))).toMatchObject({
      mood: 'fine',
    });
  });
  it('finds none in what is no JSON, no object, or lacks a field', () => {
    const { from: _, ...senderless } = MESSAGE;
    const others = ['', '{', 'null', '[]', '"x"', JSON.stringify(senderless)];
    for (const other of others) expect(parseMessage(other), other).toBeUndefined();
  });
  it('finds none where a field is of a wrong kind', () => {
    for (const wrong of [{ hops: -1 }, { hops: 1.5 }, { act: 'yell' }, { to: ['a'] }, { id: '' }]) {
      expect(parseMessage(JSON.stringify({ ...MESSAGE, ...wrong }))).toBeUndefined();
    }
  });
});

describe('the name of a conversation', () => {
  it('is 1 to 128 word characters, dots, colons and dashes', () => {
    for (const name of ['a', 'a.b:c-d_E', 'x'.repeat(128)]) expect(name).toMatch(CONVERSATION);
    for (const name of ['', 'a b', 'a/b', 'a\n', 'é', 'x'.repeat(129)]) {
      expect(name).not.toMatch(CONVERSATION);
    }
  });
});
