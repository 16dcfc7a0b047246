import { createHash } from 'node:crypto';

/**
 * SHA-256 of every PROTOCOL.md that a release has shipped, the current one last. A hive's copy that is
 * one of them was not edited and may be refreshed; any other holds house rules and stays.
 */
const SHIPPED: readonly string[] = [
  '01a65164ecc0e5dd11e60c8246926928409be050da2656a216ace51cf6aec9be',
  '4b94a84d05946604d2d10a28ba95eb34b52a77a873d46d9d40ea120ce2224338',
];

/** Tells whether a PROTOCOL.md is one that a release has shipped, whatever its line ends. */
export function isShippedProtocol(text: string): boolean {
  return SHIPPED.includes(protocolDigest(text));
}

/** Digests a PROTOCOL.md for comparison, as SHA-256 in hexadecimal. */
function protocolDigest(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
}
