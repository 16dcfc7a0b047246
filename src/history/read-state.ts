import { basename, join } from 'node:path';
import { AnchoredPaths } from '../hive/anchored-paths.ts';
import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { systemCode } from '../protocol/errors.ts';
import type { StateFile } from './state-files.ts';

/** What a small file holds now. */
export type StateContent =
  | { file: StateFile; bytes: Uint8Array }
  /** There is none. */
  | { file: StateFile; bytes: undefined }
  /** It is not recorded; a sentence says why. `again`: the machine refused it, which may be over soon. */
  | { file: StateFile; skipped: string; again: boolean };

/**
 * Reads small files, each when it is wanted, following no link on the way to them: an agent may swap its
 * directory for one.
 * @returns in the order of the files
 */
export function* readStateFiles(
  fs: HiveFs,
  layout: HiveLayout,
  files: readonly StateFile[],
): Generator<StateContent> {
  using anchors = new AnchoredPaths(fs, layout);
  for (const file of files) yield readStateFile(fs, anchors, file);
}

function readStateFile(fs: HiveFs, anchors: AnchoredPaths, file: StateFile): StateContent {
  try {
    const path =
      file.agent === undefined
        ? file.file
        : join(anchors.of(file.agent, 'root'), basename(file.file));
    const { bytes, stat } = fs.read(path, file.mostBytes);
    return stat.sizeBytes > file.mostBytes ? tooLarge(file) : { file, bytes };
  } catch (error) {
    return refused(file, systemCode(error), error);
  }
}

function refused(file: StateFile, code: string | undefined, error: unknown): StateContent {
  if (code === undefined) throw error;
  if (code === 'ENOENT') return { file, bytes: undefined };
  const skipped = NO_FILE.has(code)
    ? `${file.name} is no regular file, or lies behind a link. The history does not follow it.`
    : `${file.name} can't be read (${code}); the history keeps what it has of it.`;
  return { file, skipped, again: !NO_FILE.has(code) };
}

/** A link, a directory or pipe, a link or file in the place of the agent's directory. */
const NO_FILE = new Set(['ELOOP', 'EINVAL', 'EISDIR', 'ENOTDIR']);

function tooLarge(file: StateFile): StateContent {
  const most = `${file.mostBytes / 1024} kB`;
  const skipped = `${file.name} is larger than ${most}; the history keeps what it has of it.`;
  return { file, skipped, again: false };
}
