import { join } from 'node:path';
import { type HiveLayout, layoutOf } from '../../src/hive/layout.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import { createIdSource, type IdSource } from '../../src/protocol/ids.ts';
import type { Copy, Plan, PlannedBatch } from '../../src/routing/plan.ts';
import { copyName } from '../../src/routing/plan.ts';
import { type Epoch, openEpoch } from '../../src/spool/epoch.ts';
import { createFaultyFs, type FaultyFs } from '../helpers/faulty-fs.ts';
import { createMemoryFs, type MemoryFs } from '../helpers/memory-fs.ts';

/** A hive's directories and an open epoch, in memory. */
export interface SpoolScene {
  /** Without faults: agents and people. */
  files: MemoryFs;
  /** With faults: the router. */
  fs: FaultyFs;
  layout: HiveLayout;
  epoch: Epoch;
  ids: IdSource;
}

export const NOON = Date.parse('2026-11-30T12:00:00.000Z');

export const agentId = (name: string): AgentId => name as AgentId;

/** Makes mailboxes for some agents, and opens an epoch. */
export async function makeSpool(...agents: string[]): Promise<SpoolScene> {
  const files = createMemoryFs();
  const fs = createFaultyFs(files);
  const layout = layoutOf('/hive');
  for (const dir of ['/hive', layout.router, layout.agents, layout.held, layout.historyQueue]) {
    files.mkdir(dir);
  }
  for (const agent of agents) {
    const { root, inbox, done, outbox, sent } = layout.agent(agentId(agent));
    for (const dir of [root, inbox, done, outbox, sent]) files.mkdir(dir);
  }
  let drawn = 0;
  const random = () => (drawn++).toString(36).padStart(8, '0');
  const ids = createIdSource({ now: () => NOON, random });
  const epoch = await openEpoch({ fs, layout }, { after: 0, tail: 'first' });
  return { files, fs, layout, epoch, ids };
}

/** A batch that owes a copy to each of some agents; content and plan are as small as can be. */
export function planFor(scene: SpoolScene, copies: Record<string, string>): PlannedBatch {
  const contents = new Map<string, string>();
  const owed = Object.entries(copies).map(([to, content]): Copy => {
    const id = scene.ids.next();
    const name = copyName(id, agentId(to), 'inbox');
    contents.set(name, content);
    return { name, id, to: agentId(to), place: 'inbox' };
  });
  const plan: Plan = {
    version: 1,
    batch: scene.ids.next(),
    at: new Date(NOON).toISOString(),
    logSeq: 0,
    moves: [],
    copies: owed,
    rows: [],
    records: [],
  };
  return { plan, contents };
}

/** Puts a file into `claim/` as a claim of an agent's letter. */
export function putClaim(scene: SpoolScene, agent: string, file: string, content: string): string {
  const name = `${scene.ids.next()}~${agent}~${file}`;
  scene.files.write(join(scene.epoch.claim, name), content);
  return name;
}
