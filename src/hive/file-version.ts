import type { FileStat } from './hive-fs.ts';

/** Names the version of a file or directory, so that any change of it shows. */
export function versionOf(stat: FileStat | undefined): string {
  return stat === undefined ? 'missing' : `${stat.inode}:${stat.mtimeNs}:${stat.sizeBytes}`;
}
