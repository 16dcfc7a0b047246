import type { HiveFs } from '../hive/hive-fs.ts';
import { randomTail } from '../hive/random.ts';
import { replaceFile } from '../hive/replace-file.ts';
import { systemCode } from '../protocol/errors.ts';

const MOST_BYTES = 4 * 1024 * 1024;
const MOST_ENTRIES = 10_000;

/** Which strays their owners were told of, kept over restarts so that each is reported once. */
export class ReportedStrays {
  readonly #fs: HiveFs;
  readonly #path: string;
  readonly #keys: Set<string>;

  /** @param path - absolute path of `.router/reported.json` */
  constructor(fs: HiveFs, path: string) {
    this.#fs = fs;
    this.#path = path;
    this.#keys = new Set(readKeys(fs, path));
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Remembers keys; the oldest are forgotten when there are too many. */
  async add(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    for (const key of keys) this.#keys.add(key);
    for (const key of this.#keys) {
      if (this.#keys.size <= MOST_ENTRIES) break;
      this.#keys.delete(key);
    }
    await replaceFile(this.#fs, this.#path, JSON.stringify([...this.#keys]), randomTail);
  }
}

function readKeys(fs: HiveFs, path: string): string[] {
  try {
    const { bytes } = fs.read(path, MOST_BYTES);
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    return Array.isArray(value) ? value.map(String) : [];
  } catch (error) {
    // Nothing to remember: at worst an owner is told of a stray once more.
    if (error instanceof SyntaxError || systemCode(error) !== undefined) return [];
    throw error;
  }
}
