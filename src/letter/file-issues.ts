import type { LetterIssue } from './letter.ts';
import { type Position, positionAt } from './position.ts';
import type { Fault } from './repair.ts';

const WRITE_AGAIN =
  'Write the whole letter again as one JSON object; write it under another name and rename it, so that it is never half there.';

/** A file larger than a letter may be. */
export function tooLarge(limitBytes: number): LetterIssue {
  return {
    code: 'too-large',
    path: '',
    message: `The file is larger than ${limitBytes} bytes.`,
    hint: 'Leave the bulk in a file of your own, and write where it is.',
  };
}

/** A file without anything in it. */
export function emptyFile(): LetterIssue {
  return {
    code: 'empty-file',
    path: '',
    message: 'The file is empty, or holds nothing but white space.',
    hint: WRITE_AGAIN,
  };
}

/** Bytes that are not text. */
export function notText(text: string, offset: number): LetterIssue {
  return at(positionAt(text, offset), ({ line, column }) => ({
    code: 'not-text',
    path: '',
    message: `The file is not UTF-8 text: the bytes at line ${line}, column ${column} are no character.`,
    hint: 'Write the letter again as UTF-8.',
  }));
}

/** Objects and arrays in one another beyond the limit. */
export function tooDeep(text: string, offset: number, limit: number): LetterIssue {
  return at(positionAt(text, offset), ({ line, column }) => ({
    code: 'too-deep',
    path: '',
    message: `The JSON nests deeper than ${limit} levels at line ${line}, column ${column}.`,
    hint: 'Write deeply nested data into `body` as text.',
  }));
}

/** JSON that is something else than an object. */
export function notAnObject(value: unknown): LetterIssue {
  const isList = Array.isArray(value);
  return {
    code: 'not-an-object',
    path: '',
    message: `The file holds ${isList ? 'an array' : kindOf(value)}, and a letter is a JSON object.`,
    hint: isList
      ? 'Write one file for each letter, and the letter itself as a JSON object.'
      : 'Write the letter as a JSON object with `to`, `act`, `subject` and `body`.',
  };
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : `a ${typeof value}`;
}

/** Text that neither parses nor can be repaired. */
export function unparsable(text: string, { kind, offset }: Fault): LetterIssue {
  return at(positionAt(text, offset), ({ line, column }) => {
    const place = `line ${line}, column ${column}`;
    const code = kind === 'cut-off' ? 'cut-off' : 'not-json';
    return { code, path: '', message: SENTENCES[kind](place), hint: FAULT_HINTS[kind] };
  });
}

const SENTENCES: Readonly<Record<Fault['kind'], (place: string) => string>> = {
  'cut-off': (place) => `The text ends before what begins at ${place} is closed.`,
  'bad-escape': (place) => `The backslash at ${place} begins no JSON escape.`,
  'more-follows': (place) => `Something follows the letter's JSON at ${place}.`,
  syntax: (place) => `The text is not JSON at ${place}.`,
};

const FAULT_HINTS: Readonly<Record<Fault['kind'], string>> = {
  'cut-off': WRITE_AGAIN,
  'bad-escape': 'Write each backslash in a JSON string twice, as in C:\\\\Users.',
  'more-follows': 'Write one JSON object into each file, and nothing before or after it.',
  syntax:
    'Correct it there: names and texts in double quotes, commas between fields, a double quote inside a text as \\".',
};

function at(position: Position, build: (position: Position) => LetterIssue): LetterIssue {
  return { ...build(position), ...position };
}
