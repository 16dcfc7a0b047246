import { isUtf8 } from 'node:buffer';

const ESCAPE_BASE = 0xdc00;
// With the u flag only a lone surrogate matches, never half of a pair.
const ESCAPED_BYTE = /[\udc80-\udcff]/u;

function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/**
 * Decodes a file name, carrying each byte that is no valid UTF-8 as a lone surrogate U+DC80 to U+DCFF.
 * The way of Python's `surrogateescape` (PEP 383): every byte string comes back from {@link rawPath}.
 */
export function decodeName(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(buffer)) return buffer.toString('utf8');
  let name = '';
  let at = 0;
  while (at < buffer.length) {
    const lead = buffer[at] ?? 0;
    const sequence = buffer.subarray(at, at + sequenceLength(lead));
    if (isUtf8(sequence)) {
      name += sequence.toString('utf8');
      at += sequence.length;
    } else {
      name += String.fromCharCode(ESCAPE_BASE + lead);
      at += 1;
    }
  }
  return name;
}

/**
 * Turns a path into what the system calls it: the text itself, or its bytes where it carries escapes.
 * @param path - a path of which any part may come from {@link decodeName}
 */
export function rawPath(path: string): string | Buffer {
  if (!ESCAPED_BYTE.test(path)) return path;
  const parts = Array.from(path, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return ESCAPED_BYTE.test(character)
      ? Buffer.from([code - ESCAPE_BASE])
      : Buffer.from(character, 'utf8');
  });
  return Buffer.concat(parts);
}
