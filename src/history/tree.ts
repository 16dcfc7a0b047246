import type { GitObject } from './object-reader.ts';

/** What stands in a directory of the history. */
export interface TreeEntry {
  name: string;
  oid: string;
  isDirectory: boolean;
}

const NUL = 0;
const DIRECTORY = '40000';

/**
 * Reads a directory as git stores it: `<mode> <name>`, a zero byte, the object's name in binary.
 * @returns entries in git's order, by name
 */
export function parseTree({ oid, bytes }: GitObject): TreeEntry[] {
  const oidBytes = oid.length / 2;
  const entries: TreeEntry[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(NUL, at);
    if (end < 0) break;
    const head = bytes.toString('utf8', at, end);
    const space = head.indexOf(' ');
    at = end + 1 + oidBytes;
    entries.push({
      name: head.slice(space + 1),
      oid: bytes.toString('hex', end + 1, at),
      isDirectory: head.slice(0, space) === DIRECTORY,
    });
  }
  return entries;
}
