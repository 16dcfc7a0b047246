import { HivemailError } from '../protocol/errors.ts';
import { escapeLine } from '../protocol/escape.ts';
import { parseStrictly } from '../protocol/parse-strictly.ts';
import type { HiveFs } from './hive-fs.ts';
import type { HiveLayout } from './layout.ts';
import { readText } from './read-text.ts';

/** replay.json: says that a hive is a picture of another as it stood at some time. */
export interface PastMark {
  version: 1;
  /** Absolute path of the hive that it shows. */
  of: string;
  /** ISO 8601, UTC: the moment that it shows. */
  until: string;
  /** What it lacks, in sentences. */
  missing: string[];
}

const MOST_MARK_BYTES = 1024 * 1024;

/**
 * Requires a hive to be one that mail goes through, and no picture of the past.
 * @throws HivemailError `refused`
 */
export function requirePresent(fs: HiveFs, layout: HiveLayout): void {
  if (fs.stat(layout.pastMark) === undefined) return;
  const text = readText(fs, layout.pastMark, MOST_MARK_BYTES) ?? '';
  const mark = (parseStrictly(text)?.value ?? {}) as Partial<PastMark>;
  const when = typeof mark.until === 'string' ? ` at ${escapeLine(mark.until)}` : '';
  const where = typeof mark.of === 'string' ? `: ${escapeLine(mark.of)}` : '';
  throw new HivemailError(
    'refused',
    `${layout.root} shows a hive as it stood${when}, and can only be read. Use the hive itself${where}.`,
  );
}
