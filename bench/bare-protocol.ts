/**
 * The system calls of the commit protocol and nothing else: the machine's own limit for routing. Each
 * call is the one that docs/durability.md names, made once, in the arrangement that is quickest: no look
 * at what is there, no check of what was written, nothing of the product's own code.
 */
import {
  closeSync,
  constants,
  fsync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What the bare protocol works on. */
export interface BareBatch {
  /** Absolute path of an empty working directory on the same disk. */
  dir: string;
  /** Outboxes, each with letters. */
  outboxes: string[];
  /** Inboxes, as many. */
  inboxes: string[];
  /** Letters at most in one batch. */
  size: number;
}

interface BareLetter {
  outbox: string;
  owner: number;
  name: string;
}

/** Files open for syncing at once, as in the product: a batch must not need a descriptor a letter. */
const OPEN_FILES = 64;
/** Bytes of a row of log.jsonl, as measured. */
const ROW_BYTES = 400;

const sync = promisify(fsync);

/** Moves every letter through claim, stage, commit, archive, publish, log and record. */
export async function runBareProtocol({
  dir,
  outboxes,
  inboxes,
  size,
}: BareBatch): Promise<number> {
  for (const place of ['claim', 'stage', 'owed', 'history']) mkdirSync(join(dir, place));
  const log = openSync(join(dir, 'log'), 'a');
  const letters = outboxes.flatMap((outbox, owner) =>
    readdirSync(outbox)
      .filter((name) => name.endsWith('.json'))
      .map((name): BareLetter => ({ outbox, owner, name })),
  );
  for (let from = 0; from < letters.length; from += size) {
    const batch = letters.slice(from, from + size);
    await commit(batch, { dir, id: `b${from}` });
    await finish(batch, { dir, id: `b${from}`, inboxes, log });
  }
  closeSync(log);
  return letters.length;
}

/** Claim, stage and commit. */
async function commit(
  batch: readonly BareLetter[],
  { dir, id }: { dir: string; id: string },
): Promise<void> {
  const stage = join(dir, 'stage', id);
  const contents = batch.map(({ outbox, name }) => readFileSync(join(outbox, name)));
  for (const { outbox, name } of batch) renameSync(join(outbox, name), join(dir, 'claim', name));
  mkdirSync(stage);
  const files = contents.map((bytes, place) => ({ path: join(stage, `${place}`), bytes }));
  files.push({ path: join(stage, 'plan.json'), bytes: Buffer.concat(contents) });
  await Promise.all([syncDirectory(join(dir, 'claim')), createAll(stage, files)]);
  renameSync(stage, join(dir, 'owed', id));
  await syncDirectory(join(dir, 'owed'));
}

/** Archive, publish, log and record. */
async function finish(
  batch: readonly BareLetter[],
  { dir, id, inboxes, log }: { dir: string; id: string; inboxes: string[]; log: number },
): Promise<void> {
  const owed = join(dir, 'owed', id);
  for (const { outbox, name } of batch) {
    renameSync(join(dir, 'claim', name), join(outbox, '.sent', name));
  }
  for (const [place, { owner, name }] of batch.entries()) {
    const inbox = inboxes[(owner + 1) % inboxes.length] as string;
    renameSync(join(owed, `${place}`), join(inbox, name));
  }
  writeSync(log, Buffer.alloc(batch.length * ROW_BYTES, 'x'));
  const sent = new Set(batch.map(({ outbox }) => join(outbox, '.sent')));
  await Promise.all([...[...sent, owed].map(syncDirectory), sync(log)]);
  renameSync(join(owed, 'plan.json'), join(dir, 'history', id));
  rmdirSync(owed);
}

/** Creates files in a directory, so many at a time, and syncs them and, once all are made, the directory. */
async function createAll(
  dir: string,
  files: readonly { path: string; bytes: Uint8Array }[],
): Promise<void> {
  let made = 0;
  const syncs: Promise<void>[] = [];
  const worker = async (): Promise<void> => {
    for (let file = files[made++]; file !== undefined; file = files[made++]) {
      const fd = openSync(file.path, 'wx', 0o600);
      writeSync(fd, file.bytes);
      if (made === files.length) syncs.push(syncDirectory(dir));
      await sync(fd);
      closeSync(fd);
    }
  };
  await Promise.all(Array.from({ length: OPEN_FILES }, worker));
  await Promise.all(syncs);
}

async function syncDirectory(dir: string): Promise<void> {
  const fd = openSync(dir, constants.O_RDONLY);
  await sync(fd);
  closeSync(fd);
}
