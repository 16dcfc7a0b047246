import type { HiveFs } from '../hive/hive-fs.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';
import { parseRow } from './rows.ts';

const MOST_LOG_BYTES = 1024 * 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * Puts a copy of the log's whole rows in its place, so that a predecessor that may still live goes on
 * appending to the file without a name. Only for a takeover from an owner that could not be ended, and
 * after every lower epoch is gone.
 * @param copy - absolute path of the copy, in the directory of one's own epoch: one that was fenced
 *   meanwhile can't put an old copy over a newer log
 * @throws HivemailError `io` when the log is longer than a gibibyte, `fenced` when another took over
 */
export async function takeOverLog(fs: HiveFs, path: string, copy: string): Promise<void> {
  if (fs.stat(path) === undefined) return;
  const { bytes, stat } = fs.read(path, MOST_LOG_BYTES);
  if (stat.sizeBytes > bytes.length) {
    throw new HivemailError(
      'io',
      `${path} is too long to be taken over. Move it away; a new one is begun.`,
    );
  }
  try {
    await fs.create(copy, wholeRows(bytes));
    fs.rename(copy, path);
  } catch (cause) {
    if (systemCode(cause) !== 'ENOENT') throw cause;
    throw new HivemailError('fenced', 'A newer router has taken over this hive; this one ends.', {
      cause,
    });
  }
}

/** Cuts a torn end off; a row that lacks only its line feed gets it. */
function wholeRows(bytes: Uint8Array): Uint8Array {
  const end = bytes.lastIndexOf(LINE_FEED) + 1;
  const rest = Buffer.from(bytes.subarray(end));
  if (parseRow(rest.toString('utf8')) === undefined) return bytes.subarray(0, end);
  return Buffer.concat([bytes, Buffer.of(LINE_FEED)]);
}
