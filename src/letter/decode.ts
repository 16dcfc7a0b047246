/**
 * From the bytes of a letter file to its text.
 *
 * Invariants: never throws; a byte that is not text is a fault to report, never a guess; what was taken
 * off or converted is named. Not here: whether the text is JSON.
 */
import type { Repair } from './letter.ts';

/** The text of a letter file, and whether every byte of it was text. */
export interface DecodedLetter {
  /** The text, byte order marks and NUL padding taken off; stand-ins (U+FFFD) for what is not text. */
  text: string;
  /**
   * `cut`: the bytes end inside a character, so the text may be the beginning of a good one.
   * `not-text`: bytes that no continuation can turn into text.
   */
  fault: 'cut' | 'not-text' | undefined;
  /** Offset in `text` of the first byte that is not text; only with a fault. */
  faultAt: number | undefined;
  repairs: Repair[];
}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

const BYTE_ORDER_MARK = '\ufeff';
const LINE_FEED = 0x0a;

/**
 * Decodes the bytes of a letter file: strict UTF-8, or UTF-16 as PowerShell's `>` writes it.
 * NULs around the text are what a preallocating writer or a truncated open file leaves, and carry nothing.
 * Never throws; bytes that are not text are a fault to report, not to guess about.
 */
export function decodeLetter(bytes: Uint8Array): DecodedLetter {
  const encoding = sniffEncoding(bytes);
  const decoded = encoding === 'utf-8' ? decodeUtf8(bytes) : decodeUtf16(bytes, encoding);
  const repairs: Repair[] = encoding === 'utf-8' ? [] : ['utf-16'];
  let start = 0;
  while (decoded.text[start] === BYTE_ORDER_MARK) start += 1;
  if (start > 0 && encoding === 'utf-8') repairs.push('bom');
  const marks = start;
  while (decoded.text[start] === '\0') start += 1;
  let end = decoded.text.length;
  while (end > start && decoded.text[end - 1] === '\0') end -= 1;
  if (start > marks || end < decoded.text.length) repairs.push('nul-padding');
  const faultAt = decoded.faultAt === undefined ? undefined : Math.max(0, decoded.faultAt - start);
  return { text: decoded.text.slice(start, end), fault: decoded.fault, faultAt, repairs };
}

/**
 * Tells the encoding by the byte order mark, or by NULs in every other byte: text whose first two
 * characters are ASCII has them in UTF-16 only (RFC 4627, section 3).
 */
function sniffEncoding(bytes: Uint8Array): Encoding {
  const [first, second] = [bytes[0], bytes[1]];
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (bytes.length < 4 || (first === 0) === (second === 0)) return 'utf-8';
  const [third, fourth] = [bytes[2], bytes[3]];
  const isAlternating = (third === 0) === (first === 0) && (fourth === 0) === (second === 0);
  if (!isAlternating) return 'utf-8';
  return first === 0 ? 'utf-16be' : 'utf-16le';
}

type DecodedText = Pick<DecodedLetter, 'text' | 'fault' | 'faultAt'>;

const STRICT = { fatal: true, ignoreBOM: true };
/** Whole texts are decoded by one for all: making one takes longer than a short letter. */
const strictDecoder = new TextDecoder('utf-8', STRICT);

function decodeUtf8(bytes: Uint8Array): DecodedText {
  const whole = orUndefined(() => strictDecoder.decode(bytes));
  if (whole !== undefined) return { text: whole, fault: undefined, faultAt: undefined };
  const unfinished = new TextDecoder('utf-8', STRICT);
  const text = orUndefined(() => unfinished.decode(bytes, { stream: true }));
  if (text === undefined) return notUtf8(bytes);
  return { text, fault: 'cut', faultAt: text.length };
}

function notUtf8(bytes: Uint8Array): DecodedText {
  const lenient = new TextDecoder('utf-8', { ignoreBOM: true });
  let before = 0;
  let start = 0;
  while (start < bytes.length) {
    const lineFeed = bytes.indexOf(LINE_FEED, start);
    const end = lineFeed < 0 ? bytes.length : lineFeed + 1;
    const line = bytes.subarray(start, end);
    if (orUndefined(() => strictDecoder.decode(line)) === undefined) {
      const faultAt = before + lenient.decode(line).indexOf('\ufffd');
      return { text: lenient.decode(bytes), fault: 'not-text', faultAt };
    }
    before += lenient.decode(line).length;
    start = end;
  }
  return { text: lenient.decode(bytes), fault: 'not-text', faultAt: 0 };
}

/** Keeps unpaired surrogates, which TextDecoder would replace unseen: the caller names that repair. */
function decodeUtf16(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): DecodedText {
  const whole = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  if (encoding === 'utf-16be') whole.swap16();
  const text = whole.toString('utf16le');
  if (whole.length === bytes.length) return { text, fault: undefined, faultAt: undefined };
  return { text, fault: 'cut', faultAt: text.length };
}

function orUndefined(decode: () => string): string | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
