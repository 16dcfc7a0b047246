import type { HiveFs } from '../../src/hive/hive-fs.ts';
import { systemCode } from '../../src/protocol/errors.ts';

/** Gives the file system under test, and paths in its empty directory. */
export type Subject = () => { fs: HiveFs; at: (...names: string[]) => string };

/** More bytes than any file of the contract has. */
export const LIMIT = 1_000_000;

/** Reads bytes as UTF-8. */
export function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

/** Returns the code that an operation fails with; `none` when it does not fail. */
export async function failure(operation: () => unknown): Promise<string> {
  try {
    await operation();
    return 'none';
  } catch (error) {
    return systemCode(error) ?? `not a system error: ${String(error)}`;
  }
}
