import { describe, expect, test } from 'vitest';
import type { Letter, Repair } from '../../src/letter/letter.ts';
import { normalizeLetter } from '../../src/letter/normalize.ts';
import { LIMITS } from './arbitrary-letter.ts';

const WHOLE = { to: 'coder', act: 'inform', subject: 's', body: 'b' };

function accepted(fields: Record<string, unknown>): { letter: Letter; repairs: Repair[] } {
  const parsed = normalizeLetter({ ...WHOLE, ...fields }, LIMITS);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed;
}

describe('names of fields', () => {
  test.each([
    ['message', 'body'],
    ['text', 'body'],
    ['content', 'body'],
    ['Body', 'body'],
    ['title', 'subject'],
    ['thread', 'conversation'],
    ['conversation_id', 'conversation'],
    ['conversationId', 'conversation'],
  ])('%s stands for %s', (alias, field) => {
    const parsed = accepted({ [field]: undefined, [alias]: 'said' });
    expect(parsed.letter).toMatchObject({ [field]: 'said' });
    expect(parsed.letter.extra).toBeUndefined();
    expect(parsed.repairs).toEqual(['field-alias']);
  });

  test.each([
    ['type', 'act', 'query', { act: 'query' }],
    ['recipient', 'to', 'tester', { to: ['tester'] }],
    ['recipients', 'to', ['a', 'b'], { to: ['a', 'b'] }],
    ['replyTo', 'in_reply_to', 'x', { inReplyTo: 'x' }],
    ['reply_to', 'in_reply_to', 'x', { inReplyTo: 'x' }],
    ['inReplyTo', 'in_reply_to', 'x', { inReplyTo: 'x' }],
    ['In-Reply-To', 'in_reply_to', 'x', { inReplyTo: 'x' }],
    ['replyBy', 'reply_by', 'noon', { replyBy: 'noon' }],
  ])('%s stands for %s', (alias, field, value, letter) => {
    expect(accepted({ [field]: null, [alias]: value })).toMatchObject({
      letter,
      repairs: ['field-alias'],
    });
  });

  test('that stand for one that is there arrive under extra', () => {
    const others = { message: 'm', text: 't', type: 'bug', Recipient: 'x', title: 'y', thread: 1 };
    expect(accepted({ conversation: 'c', ...others })).toMatchObject({
      letter: { ...WHOLE, to: ['coder'], extra: others },
      repairs: [],
    });
  });

  test('for one field twice: the first is taken, the second arrives under extra', () => {
    const { letter } = accepted({ body: undefined, text: 't', message: 'm' });
    expect(letter).toMatchObject({ body: 'm', extra: { text: 't' } });
  });

  test('that only the router fills are ignored', () => {
    const forged = {
      id: 'x',
      from: 'god',
      hops: Number.POSITIVE_INFINITY,
      created_at: 'never',
      requires_reply: false,
      needs_human: true,
      to_all: ['x'],
      notice: { of: 'x' },
      held: {},
    };
    expect(accepted(forged)).toEqual({
      ok: true,
      letter: { ...WHOLE, to: ['coder'] },
      repairs: [],
    });
  });
});

describe('extra', () => {
  test('holds every other field verbatim', () => {
    const others = { priority: 5, tags: ['a', { b: null }], cc: 'x', '': '', From: 'me' };
    expect(accepted(others).letter.extra).toEqual(others);
  });

  test('of a message sent on stays where it was', () => {
    const { letter } = accepted({ extra: { a: 1, b: 2 }, b: 3 });
    expect(letter.extra).toEqual({ a: 1, b: 3 });
  });

  test('that is no object is a field like any other', () => {
    expect(accepted({ extra: [1] }).letter.extra).toEqual({ extra: [1] });
  });
});
