import { customAlphabet } from 'nanoid';

const tail = customAlphabet('0123456789abcdefghijklmnopqrstuvwxyz', 8);

/**
 * Draws eight random characters of `[0-9a-z]`: the tail of an id, of a temporary file's name, or the
 * token of a lock. 41 bits, from the system's cryptographic source.
 */
export function randomTail(): string {
  return tail();
}
