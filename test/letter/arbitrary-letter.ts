import fc from 'fast-check';
import type { LetterLimits } from '../../src/letter/letter.ts';
import { ACTS } from '../../src/protocol/acts.ts';

/** The limits of design.md, section 5. */
export const LIMITS: LetterLimits = { letterBytes: 1024 * 1024, depth: 64, recipients: 256 };

/** Encodes text as the bytes of a letter file. */
export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Every proper part of the bytes that begins where they begin, shortest first. */
export function prefixesOf(bytes: Uint8Array): Uint8Array[] {
  return Array.from({ length: bytes.length }, (_, length) => bytes.subarray(0, length));
}

/** A letter file's fields as an agent writes them, none of which needs mending. */
export interface WrittenLetter {
  to: string[];
  act: string;
  subject: string;
  body: string;
  in_reply_to?: string;
  note?: unknown;
}

const address = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,20}[a-z0-9]$/);
const text = fc.string({ unit: 'binary', maxLength: 60 });
const damageable = fc.array(
  fc.constantFrom(
    'a',
    'é',
    '😀',
    '"',
    '\\',
    '\n',
    '\r',
    '\t',
    '\u001b',
    '\0',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    ' ',
    '//',
    '/*',
    '*/',
    '```',
    '\u2028',
  ),
  { maxLength: 40 },
);

// Without the one name that is dropped from a valid letter.
const note = fc
  .jsonValue({ maxDepth: 3 })
  .filter((value) => !JSON.stringify(value).includes('__proto__'));

/** Letters with any body, full of what JSON text is made of. */
export const writtenLetter: fc.Arbitrary<WrittenLetter> = fc.record(
  {
    to: fc.array(address, { minLength: 1, maxLength: 4 }),
    act: fc.constantFrom(...ACTS),
    subject: fc.stringMatching(/^[\w "\\{}[\],:/`~-]{0,20}$/),
    body: fc
      .oneof(
        text,
        damageable.map((parts) => parts.join('')),
      )
      .map((body) => `said ${body}`),
    in_reply_to: address,
    note,
  },
  { requiredKeys: ['to', 'act', 'subject', 'body'] },
);
