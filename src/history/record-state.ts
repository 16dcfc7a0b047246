/**
 * Records the small files of a hive as they are: what the branch holds of them is made equal to what lies
 * in the hive, in a commit of its own. Nothing waits in a queue for it, so a router that ends in between
 * costs at most what a file held for a while; the next one compares again.
 */
import { createHash } from 'node:crypto';
import type { Dialogue } from '../hive/process-run.ts';
import { stateMessage } from './commit-message.ts';
import { commitStream, type FileChange } from './import-stream.ts';
import type { StateContent } from './read-state.ts';
import { importInto, type Repository, readTip } from './recorder.ts';
import { STATE, statePath } from './state-files.ts';

/** What the branch holds of the small files: path → name of the object. */
export interface RecordedState {
  objects: Map<string, string>;
  algorithm: 'sha1' | 'sha256';
}

/** Reads what the branch holds of the small files. */
export async function readRecordedState(
  repository: Repository,
  signal?: AbortSignal,
): Promise<RecordedState> {
  const tip = await readTip(repository, signal);
  const objects = new Map<string, string>();
  if (tip === undefined) return { objects, algorithm: 'sha1' };
  const args = ['ls-tree', '-r', '-z', tip, `${STATE}/`];
  const { stdout } = await repository.git.run(args, { signal });
  for (const entry of stdout.split('\0')) {
    const [, oid, path] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
    if (oid !== undefined && path !== undefined) objects.set(path, oid);
  }
  return { objects, algorithm: tip.length === 64 ? 'sha256' : 'sha1' };
}

/**
 * Records small files that differ from what the branch holds of them; none of them may differ.
 * @param recorded - brought up to date
 * @param now - milliseconds since the epoch: when they were read
 * @returns whether there was anything to record
 * @throws HivemailError `git`; then `recorded` is as it was
 */
export async function recordState(
  repository: Repository,
  contents: readonly StateContent[],
  { recorded, now, signal }: { recorded: RecordedState; now: number; signal?: AbortSignal },
): Promise<boolean> {
  const changes: FileChange[] = [];
  const objects = new Map(recorded.objects);
  for (const content of contents) {
    if ('skipped' in content) continue;
    const path = statePath(content.file);
    const oid = content.bytes && nameOf(content.bytes, recorded.algorithm);
    if (objects.get(path) === oid) continue;
    changes.push({ path, bytes: content.bytes });
    if (oid === undefined) objects.delete(path);
    else objects.set(path, oid);
  }
  if (changes.length === 0) return false;
  const tip = await readTip(repository, signal);
  const message = stateMessage(changes);
  const stream = commitStream([{ message, atMs: now, changes }], tip);
  const dialogue: Dialogue = async function* () {
    yield* stream;
  };
  await importInto(repository, dialogue, { ...(signal === undefined ? {} : { signal }) });
  recorded.objects = objects;
  return true;
}

/** Names content as git does. @see https://git-scm.com/book/en/v2/Git-Internals-Git-Objects */
function nameOf(bytes: Uint8Array, algorithm: RecordedState['algorithm']): string {
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
