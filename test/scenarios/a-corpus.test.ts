import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Letter } from '../../src/letter/letter.ts';
import type { Message } from '../../src/protocol/message.ts';
import type { OutcomeCode } from '../../src/protocol/outcomes.ts';
import { checkLetter, type LetterCase, type SentLetter, sendEach } from './sent-letters.ts';

/** What `expected.json` of a case says that shows outside. */
interface Expected {
  limits?: Record<string, number>;
  repairs: string[];
  letter?: Letter;
  issues?: { code: OutcomeCode; line?: number; column?: number }[];
}

const CORPUS = new URL('../corpus/', import.meta.url);
const cases = readdirSync(CORPUS).map((name) => {
  const read = (file: string) => readFileSync(new URL(`${name}/${file}`, CORPUS));
  const expected = JSON.parse(read('expected.json').toString()) as Expected;
  const limits = JSON.stringify(expected.limits ?? {});
  return { name, text: read('letter'), limits, expected };
});

/** What a parsed letter is as a message. */
function asMessage({ act, subject, body, inReplyTo, replyBy, extra }: Letter): Partial<Message> {
  return {
    act,
    subject,
    body,
    in_reply_to: inReplyTo ?? null,
    ...(replyBy === undefined ? {} : { reply_by: replyBy }),
    ...(extra === undefined ? {} : { extra }),
  };
}

function caseOf({ repairs, letter, issues }: Expected): Pick<LetterCase, 'ends' | 'repairs'> {
  const [issue] = issues ?? [];
  // The corpus replies to a message that is in nobody's mailbox.
  if (letter?.to.length === 0) return { ends: 'no-recipient', repairs: ['unknown-parent'] };
  if (letter !== undefined) return { repairs, ...{ arrives: asMessage(letter) } };
  const { code, line, column } = issue as NonNullable<typeof issue>;
  const place = line === undefined ? {} : { at: [line, column] as const };
  return { ends: code, repairs, ...place };
}

describe('A letter of the corpus ends as its page says', () => {
  const sent = new Map<string, SentLetter>();
  beforeAll(async () => {
    for (const limits of new Set(cases.map((each) => each.limits))) {
      const group = cases.filter((each) => each.limits === limits);
      const texts = group.map(({ text }) => text);
      const ended = await sendEach(texts, { limits: JSON.parse(limits) });
      for (const [place, { name }] of group.entries()) sent.set(name, ended[place] as SentLetter);
    }
  }, 60_000);

  test.each(cases)('$name', ({ name, text, expected }) => {
    const letter = sent.get(name) as SentLetter;
    checkLetter(letter, { text, ...caseOf(expected) });
    const { to = [] } = expected.letter ?? {};
    expect(letter.copies.map((copy) => copy.to)).toEqual(to);
  });
});
