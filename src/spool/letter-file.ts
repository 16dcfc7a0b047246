import type { FileContent, FileStat, HiveFs } from '../hive/hive-fs.ts';
import { type ExaminedLetter, examineLetter } from '../letter/examine.ts';
import type { LetterLimits } from '../letter/letter.ts';

/** A letter file as it was read. */
export interface LetterFile {
  content: FileContent;
  examined: ExaminedLetter;
}

/**
 * Reads a letter file and examines it.
 * @throws the system's error when it can't be read
 */
export function readLetterFile(fs: HiveFs, path: string, limits: LetterLimits): LetterFile {
  const content = fs.read(path, limits.letterBytes + 1);
  return { content, examined: examineLetter(content.bytes, limits) };
}

/** Tells whether two looks met the same file, and nobody had written into it in between. */
export function isSameFile(a: FileStat, b: FileStat): boolean {
  const [before, after] = [a, b].map(
    ({ kind, device, inode, sizeBytes, mtimeNs }) =>
      `${kind}:${device}:${inode}:${sizeBytes}:${mtimeNs}`,
  );
  return before === after;
}
