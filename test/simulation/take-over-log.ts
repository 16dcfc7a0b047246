import { join } from 'node:path';
import type { HiveFs } from '../../src/hive/hive-fs.ts';
import { systemCode } from '../../src/protocol/errors.ts';
import type { Epoch } from '../../src/spool/epoch.ts';

const MOST_BYTES = 1024 * 1024 * 1024;

/**
 * Takes over the log as the protocol says (S3): after every lower epoch is gone, and out of the own
 * epoch's directory, so that one that was fenced meanwhile can't put an old copy over a newer log.
 */
export async function takeOverLogFenced(fs: HiveFs, path: string, epoch: Epoch): Promise<void> {
  if (fs.stat(path) === undefined) return;
  const { bytes } = fs.read(path, MOST_BYTES);
  const copy = join(epoch.stage, 'log.jsonl');
  try {
    await fs.create(copy, bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1));
    fs.rename(copy, path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    throw Object.assign(new Error('A newer router has taken over.'), { code: 'fenced' });
  }
}
