import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { HiveFs } from '../hive/hive-fs.ts';

/** Makes a small directory durable with all that is in it; links are not followed. */
export async function syncTree(fs: HiveFs, dir: string): Promise<void> {
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) await syncTree(fs, path);
    else if (entry.isFile()) await syncWritten(path);
  }
  await fs.syncDir(dir);
}

/** Makes the content of a file durable that another program has written. */
export async function syncWritten(path: string): Promise<void> {
  // Windows syncs only what is open for writing; elsewhere packs can't be opened for it.
  const file = await open(path, process.platform === 'win32' ? 'r+' : 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
