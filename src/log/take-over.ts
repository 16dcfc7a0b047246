import type { HiveFs } from '../hive/hive-fs.ts';
import { replaceFile } from '../hive/replace-file.ts';
import { HivemailError } from '../protocol/errors.ts';

const MOST_LOG_BYTES = 1024 * 1024 * 1024;

/**
 * Puts a copy of the log's whole lines in its place, so that a predecessor that may still live goes on
 * appending to the file without a name. Only for a takeover from an owner that could not be ended.
 * @throws HivemailError `io` when the log is longer than a gibibyte
 */
export async function takeOverLog(fs: HiveFs, path: string, random: () => string): Promise<void> {
  if (fs.stat(path) === undefined) return;
  const { bytes, stat } = fs.read(path, MOST_LOG_BYTES);
  if (stat.sizeBytes > bytes.length) {
    throw new HivemailError(
      'io',
      `${path} is too long to be taken over. Move it away; a new one is begun.`,
    );
  }
  await replaceFile(fs, path, bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1), random);
}
