import * as z from 'zod';
import { ACTS } from '../protocol/acts.ts';
import { CONVERSATION } from '../protocol/message.ts';

// Well over any id, role or display name, and too short to burden the search for near names.
const ADDRESS_LENGTH = 200;
const REFERENCE_LENGTH = 200;
const REPLY_BY_LENGTH = 100;
const NO_CONTROL_CHARACTERS = /^\P{Cc}*$/u;

const address = z
  .string('A recipient is not a text.')
  .max(ADDRESS_LENGTH, `A recipient is longer than ${ADDRESS_LENGTH} characters.`)
  .regex(NO_CONTROL_CHARACTERS, 'A recipient holds a control character.');

/**
 * Defines what an agent supplies in a letter: the seven fields that are its own, in the shape they have
 * once aliases, single names and the case of the act are mended. Everything else is the router's, or extra.
 * Each error is a sentence without any of the letter's own text, since it may end up in a log.
 */
export const letterSchema = z.object({
  to: z.array(address, '`to` is neither a name nor a list of names.'),
  act: z.enum(ACTS, {
    error: ({ input }) =>
      input === undefined ? 'The letter has no `act`.' : '`act` is not one of the seven acts.',
  }),
  subject: z.string('`subject` is not a text.').default(''),
  body: z.string('`body` is not a text.').default(''),
  conversation: z
    .string('`conversation` is not a text.')
    .regex(
      CONVERSATION,
      '`conversation` is not 1 to 128 letters, digits, dots, colons, dashes and underscores.',
    )
    .optional(),
  in_reply_to: z
    .string('`in_reply_to` is not a text.')
    .max(REFERENCE_LENGTH, `\`in_reply_to\` is longer than ${REFERENCE_LENGTH} characters.`)
    .optional(),
  reply_by: z
    .string('`reply_by` is not a text.')
    .max(REPLY_BY_LENGTH, `\`reply_by\` is longer than ${REPLY_BY_LENGTH} characters.`)
    .optional(),
});

/** A field that an agent supplies. */
export type LetterField = keyof typeof letterSchema.shape;

/** Every {@link LetterField}, in the order a message shows them. */
export const LETTER_FIELDS = Object.keys(letterSchema.shape) as readonly LetterField[];
