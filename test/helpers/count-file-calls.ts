/** Counts what code does to files, whichever module of ours does it. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** What was done to files. */
export interface FileCalls {
  /** Each call that takes a path, by its name and path, in the order of the alphabet. */
  calls: string[];
  /** Bytes that were read. */
  bytes: number;
  /** Names that listings gave. */
  names: number;
}

const WITH_PATH = [
  ...['openSync', 'opendirSync', 'readdirSync', 'readFileSync', 'lstatSync', 'statSync'],
  ...['existsSync', 'renameSync', 'unlinkSync', 'mkdirSync', 'rmdirSync', 'writeFileSync'],
] as const;
const HELD = /\/proc\/self\/fd\/\d+/;

/**
 * Counts calls of node:fs while work runs. Nothing else may use files meanwhile.
 * @param root - left out of the paths, as is what differs between two runs
 */
export async function countFileCalls(root: string, work: () => unknown): Promise<FileCalls> {
  const counted: FileCalls = { calls: [], bytes: 0, names: 0 };
  const table = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
  const before: Record<string, (...args: unknown[]) => unknown> = {};
  const replace = (name: string, note: (args: unknown[], result: unknown) => void): void => {
    const original = table[name];
    if (original === undefined) throw new Error(`There is no ${name}.`);
    before[name] = original;
    table[name] = Object.assign((...args: unknown[]) => {
      const result = original.apply(fs, args);
      note(args, result);
      return result;
    }, original);
  };
  for (const name of WITH_PATH) {
    replace(name, ([path], result) => {
      counted.calls.push(`${name} ${shown(root, String(path))}`);
      if (Array.isArray(result)) counted.names += result.length;
      if (name === 'readFileSync') counted.bytes += (result as string | Uint8Array).length;
    });
  }
  replace('readSync', (_, result) => void (counted.bytes += Number(result)));
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    Object.assign(table, before);
    syncBuiltinESMExports();
  }
  counted.calls.sort();
  return counted;
}

/** A path within the hive, without ids and numbers, which two runs never have in common. */
function shown(root: string, path: string): string {
  const inHive = path.startsWith(root) ? path.slice(root.length) : path;
  return inHive
    .replace(HELD, '<held>')
    .replace(/\/e\d+-[^/]+/, '/<epoch>')
    .replace(/[0-9a-z]{12}-[0-9a-z_-]{8}/g, '<id>')
    .replace(/\d+/g, '<n>');
}
