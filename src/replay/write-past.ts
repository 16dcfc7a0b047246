import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HiveLayout } from '../hive/layout.ts';
import type { AgentId } from '../protocol/addresses.ts';
import type { MessageId } from '../protocol/ids.ts';
import { renderMessage } from '../protocol/message.ts';
import type { Past } from './past.ts';
import { copyFor, type PastCopies, type PastCopy } from './past-copies.ts';

/** How many copies lay where; `lost`: nothing has their messages any more. */
export type CopyCounts = Record<'inbox' | 'done' | 'held' | 'owed' | 'removed' | 'lost', number>;

/** What letters are written with. */
export interface WriteCopiesOptions {
  past: Past;
  /** The hive that they are written into. */
  target: HiveLayout;
  orchestrator: string | undefined;
  /** Told how far it is, from 0 to 1. */
  onProgress: (share: number) => void;
}

/** Writes each copy to where it lay; those that were owed or removed were in no mailbox. */
export async function writeCopies(
  copies: PastCopies,
  { past, target, orchestrator, onProgress }: WriteCopiesOptions,
): Promise<CopyCounts> {
  const counts: CopyCounts = { inbox: 0, done: 0, held: 0, owed: 0, removed: 0, lost: 0 };
  const messages = copies.messages();
  const wanted = messages.map(([id, to]) => ({ id, agents: [...to.keys()] }));
  let place = 0;
  for await (const message of past.findAll(wanted)) {
    const [id, to] = messages[place++] as (typeof messages)[number];
    for (const [agent, copy] of to) {
      const path = pathOf(target, { agent, id, copy });
      const isLost = path !== undefined && message === undefined;
      counts[isLost ? 'lost' : copy.place] += 1;
      if (path === undefined || message === undefined) continue;
      writeFile(path, renderMessage(copyFor(agent, { message, copy }, orchestrator)));
    }
    onProgress(place / messages.length);
  }
  return counts;
}

interface PlacedCopy {
  agent: string;
  id: MessageId;
  copy: PastCopy;
}

function pathOf(target: HiveLayout, { agent, id, copy }: PlacedCopy): string | undefined {
  const { inbox, done } = target.agent(agent as AgentId);
  const dirs = { inbox, done, held: target.heldFor(agent as AgentId) };
  const dir = copy.place in dirs ? dirs[copy.place as keyof typeof dirs] : undefined;
  return dir === undefined ? undefined : join(dir, `${id}.json`);
}

/** Makes a directory of a picture, and those above it. */
export function makeDir(path: string): void {
  mkdirSync(path, { mode: 0o700, recursive: true });
}

/** Writes a file of a picture, for its owner alone; unsynced, since it can be made again. */
export function writeFile(path: string, bytes: string | Uint8Array): void {
  makeDir(dirname(path));
  writeFileSync(path, bytes, { mode: 0o600 });
}
