/** The system calls of the commit protocol and nothing else: the machine's own limit for routing. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createNodeFs } from '../src/hive/node-fs.ts';

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

/** Moves every letter through claim, stage, commit, archive, publish, log and record. */
export async function runBareProtocol({
  dir,
  outboxes,
  inboxes,
  size,
}: BareBatch): Promise<number> {
  const fs = createNodeFs();
  for (const place of ['claim', 'stage', 'owed', 'history']) mkdirSync(join(dir, place));
  const log = fs.openAppend(join(dir, 'log'));
  const letters = outboxes.flatMap((outbox, owner) =>
    readdirSync(outbox)
      .filter((name) => name.endsWith('.json'))
      .map((name) => ({ outbox, owner, name })),
  );
  for (let from = 0; from < letters.length; from += size) {
    await runBatch(letters.slice(from, from + size), `b${from}`);
  }
  log.close();
  return letters.length;

  async function runBatch(batch: typeof letters, id: string): Promise<void> {
    const stage = join(dir, 'stage', id);
    const owed = join(dir, 'owed', id);
    for (const { outbox, name } of batch) fs.rename(join(outbox, name), join(dir, 'claim', name));
    const contents = batch.map(({ name }) => fs.read(join(dir, 'claim', name), 1 << 20).bytes);
    fs.mkdir(stage);
    const plan = Buffer.concat(contents);
    await Promise.all([
      fs.syncDir(join(dir, 'claim')),
      ...contents.map((bytes, place) => fs.create(join(stage, `${place}`), bytes)),
      fs.create(join(stage, 'plan.json'), plan),
    ]);
    await fs.syncDir(stage);
    fs.rename(stage, owed);
    await fs.syncDir(join(dir, 'owed'));
    for (const { outbox, name } of batch) {
      fs.rename(join(dir, 'claim', name), join(outbox, '.sent', name));
    }
    batch.forEach(({ owner, name }, place) => {
      fs.rename(
        join(owed, `${place}`),
        join(inboxes[(owner + 1) % inboxes.length] as string, name),
      );
    });
    const sent = new Set(batch.map(({ outbox }) => join(outbox, '.sent')));
    await Promise.all([
      ...[...sent].map((path) => fs.syncDir(path)),
      log.append(Buffer.alloc(batch.length * 400, 'x')),
    ]);
    fs.rename(join(owed, 'plan.json'), join(dir, 'history', id));
    fs.rmdir(owed);
  }
}
