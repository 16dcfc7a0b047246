/** Time-sortable identity of a message, a notice or a batch. Shape: {@link MESSAGE_ID}. */
export type MessageId = string & { readonly __brand: 'MessageId' };

/** Twelve characters of time and counter, a dash, eight random ones; a valid file name on every OS. */
export const MESSAGE_ID = /^[0-9a-hjkmnp-tv-z]{12}-[0-9a-z]{8}$/;

/** The beginning of an id, or all of it. */
const PREFIX = /^(?:[0-9a-hjkmnp-tv-z]{1,12}|[0-9a-hjkmnp-tv-z]{12}-[0-9a-z]{0,8})$/;
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LENGTH = 9;
const COUNTER_LENGTH = 3;
const COUNTER_LIMIT = 32 ** COUNTER_LENGTH;

/** Tells whether a value is written like an id that a router issues. */
export function isMessageId(value: unknown): value is MessageId {
  return typeof value === 'string' && MESSAGE_ID.test(value);
}

/**
 * Reads the moment of issue out of an id.
 * @returns milliseconds since the epoch, by the (clamped) clock of the router that issued it
 */
export function messageIdTime(id: MessageId): number {
  return timeOf(id.slice(0, TIME_LENGTH));
}

function timeOf(digits: string): number {
  let time = 0;
  for (const digit of digits) time = time * 32 + DIGITS.indexOf(digit);
  return time;
}

/**
 * Writes the beginning that every id issued in a millisecond has; those issued before sort before it.
 * @param timeMs - milliseconds since the epoch
 */
export function idTimePrefix(timeMs: number): string {
  return encode(Math.max(0, Math.floor(timeMs)), TIME_LENGTH);
}

/**
 * Reads the stretch of time out of the beginning of an id.
 * @returns milliseconds since the epoch, both included; nothing when no id begins so
 */
export function idPrefixTimes(prefix: string): { firstMs: number; lastMs: number } | undefined {
  const time = prefix.slice(0, TIME_LENGTH);
  if (!PREFIX.test(prefix)) return undefined;
  const fill = (digit: string) => timeOf(time.padEnd(TIME_LENGTH, digit));
  return { firstMs: fill(DIGITS.charAt(0)), lastMs: fill(DIGITS.charAt(DIGITS.length - 1)) };
}

function encode(value: number, length: number): string {
  let text = '';
  let rest = value;
  for (let place = 0; place < length; place++) {
    text = DIGITS[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** What an id source draws on; both come in from outside so that tests can fix them. */
export interface IdSourceOptions {
  /** Wall clock in milliseconds since the epoch; may step back. */
  now: () => number;
  /** Eight characters of `[0-9a-z]`. */
  random: () => string;
  /** The greatest id known to have been issued in this hive; new ones sort after it. */
  after?: MessageId | undefined;
}

/** Issues ids, and can be told of ids it did not issue itself. */
export interface IdSource {
  /** Returns an id that sorts after every earlier one, even when the clock steps back. */
  next(): MessageId;
  /** Makes every later id sort after `id` (found on disk, issued by an earlier router). */
  observe(id: MessageId): void;
}

/**
 * Makes the source of a hive's ids: a clamped clock and a counter within the millisecond, so that
 * names sort by acceptance; the random tail keeps two routers with a broken lock apart.
 */
export function createIdSource({ now, random, after }: IdSourceOptions): IdSource {
  let time = 0;
  let counter = 0;
  const observe = (id: MessageId): void => {
    const seen = messageIdTime(id);
    const count = [...id.slice(TIME_LENGTH, TIME_LENGTH + COUNTER_LENGTH)].reduce(
      (sum, digit) => sum * 32 + DIGITS.indexOf(digit),
      0,
    );
    if (seen > time || (seen === time && count >= counter)) {
      time = seen;
      counter = count + 1;
    }
  };
  const next = (): MessageId => {
    const wall = now();
    if (wall > time) {
      time = wall;
      counter = 0;
    } else if (counter >= COUNTER_LIMIT) {
      time += 1;
      counter = 0;
    }
    const id = `${encode(time, TIME_LENGTH)}${encode(counter, COUNTER_LENGTH)}-${random()}`;
    counter += 1;
    return id as MessageId;
  };
  if (after !== undefined) observe(after);
  return { next, observe };
}
