import { HivemailError } from '../protocol/errors.ts';
import { escapeUnsafe } from '../protocol/escape.ts';
import { isMessageId } from '../protocol/ids.ts';
import type { HistoryRecord, RecordedBatch } from '../protocol/record.ts';
import { commitMessage } from './commit-message.ts';
import { messagePath, originalPath } from './paths.ts';

/** The one branch of a hive's history. */
export const BRANCH = 'refs/heads/main';

const COMMITTER = 'Hivemail <hivemail@localhost>';

/** A file of the history: where it stands in the tree, and what it holds. */
export interface HistoryFile {
  path: string;
  bytes: Uint8Array;
}

/**
 * Lists the files that the history keeps of one letter. Paths come from the id alone: fast-import
 * takes `../x` and `.git/x` without complaint.
 * @returns the message, the original, or both, in this order
 * @throws HivemailError `internal` for an id that no router issues
 */
export function historyFiles({ id, message, original }: HistoryRecord): HistoryFile[] {
  if (!isMessageId(id)) throw new HivemailError('internal', 'A record for the history has no id.');
  const files: HistoryFile[] = [];
  if (message !== undefined) {
    const text = `${escapeUnsafe(JSON.stringify(message, undefined, 2))}\n`;
    files.push({ path: messagePath(id), bytes: Buffer.from(text, 'utf8') });
  }
  if (original !== undefined) {
    files.push({ path: originalPath(id), bytes: Buffer.from(original, 'base64') });
  }
  return files;
}

/** A change of a file in a commit: its new content, or that it is gone. */
export interface FileChange {
  path: string;
  bytes: Uint8Array | undefined;
}

/** A commit to be made. */
export interface PlannedCommit {
  message: string;
  /** Milliseconds since the epoch. */
  atMs: number;
  changes: readonly FileChange[];
}

/** Plans the commit of a batch. */
export function batchCommit(batch: RecordedBatch): PlannedCommit {
  return {
    message: commitMessage(batch),
    atMs: Date.parse(batch.at),
    changes: batch.records.flatMap(historyFiles),
  };
}

/**
 * Renders commits as input for `git fast-import --done`, one upon the other, each when it is asked for:
 * what git has taken need not be kept.
 * @param parent - the commit the first one stands on; nothing begins a history. Were the branch
 *   elsewhere by then, fast-import would refuse, as that is no fast-forward
 * @returns a chunk for each commit, in order, and one that ends the stream
 * @see https://git-scm.com/docs/git-fast-import
 */
export function* commitStream(
  commits: Iterable<PlannedCommit>,
  parent: string | undefined,
): Generator<Uint8Array> {
  let mark = 0;
  for (const planned of commits) {
    const from = mark === 0 ? parent : `:${mark}`;
    mark += 1;
    yield Buffer.concat(commit(planned, mark, from));
  }
  yield line('done');
}

/** A file that is too large to be held in memory. */
export interface LargeFile {
  path: string;
  sizeBytes: number;
  /** All of its bytes, in their order. */
  stretches: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/**
 * Renders one commit as input for `git fast-import --done`, with a large file besides what is planned.
 * @param parent - as of {@link commitStream}
 * @throws HivemailError `io` when the file turns out to be of another size; git then records nothing
 */
export async function* largeFileStream(
  planned: PlannedCommit,
  { path, sizeBytes, stretches }: LargeFile,
  parent: string | undefined,
): AsyncGenerator<Uint8Array> {
  yield Buffer.concat(commit(planned, 1, parent));
  yield line(`M 100644 inline ${path}`);
  yield line(`data ${sizeBytes}`);
  let left = sizeBytes;
  for await (const stretch of stretches) {
    left -= stretch.length;
    if (left < 0) break;
    yield stretch;
  }
  if (left !== 0) {
    throw new HivemailError('io', `${path} was changed while it was recorded. It is tried again.`);
  }
  yield line('');
  yield line('done');
}

function commit(
  { message, atMs, changes }: PlannedCommit,
  mark: number,
  from: string | undefined,
): Uint8Array[] {
  const seconds = Math.max(0, Math.floor(atMs / 1000));
  return [
    line(`commit ${BRANCH}`),
    line(`mark :${mark}`),
    line(`committer ${COMMITTER} ${seconds} +0000`),
    ...data(Buffer.from(message, 'utf8')),
    ...(from === undefined ? [] : [line(`from ${from}`)]),
    ...changes.flatMap(change),
  ];
}

function change({ path, bytes }: FileChange): Uint8Array[] {
  if (bytes === undefined) return [line(`D ${path}`)];
  return [line(`M 100644 inline ${path}`), ...data(bytes)];
}

/** Counted in bytes: no content can end its own block and become a command. */
function data(bytes: Uint8Array): Uint8Array[] {
  return [line(`data ${bytes.length}`), bytes, line('')];
}

function line(text: string): Uint8Array {
  return Buffer.from(`${text}\n`, 'utf8');
}
