import { join } from 'node:path';
import type { HiveLayout } from '../hive/layout.ts';
import type { AgentId } from '../protocol/addresses.ts';

/** Where the history keeps the small files of a hive, under the names that they have in it. */
export const STATE = 'state';

const SHARED_BYTES = 4 * 1024 * 1024;
const OWN_BYTES = 256 * 1024;

/** A small file of the hive that the history keeps as it was at each change. */
export interface StateFile {
  /** Its path in the hive: `board.md`, `agents/coder/memory.md`. */
  name: string;
  /** Whose it is; nothing for a file that is shared. */
  agent?: AgentId;
  /** Absolute path. */
  file: string;
  /** A file of more bytes is not recorded. */
  mostBytes: number;
}

/** Lists the shared files: roster, tasks and plan. */
export function sharedStateFiles({ registry, tasks, board }: HiveLayout): StateFile[] {
  return [
    { name: 'registry.json', file: registry, mostBytes: SHARED_BYTES },
    { name: 'tasks.json', file: tasks, mostBytes: SHARED_BYTES },
    { name: 'board.md', file: board, mostBytes: SHARED_BYTES },
  ];
}

/** Lists the two files of an agent; nothing else of its directory is ever looked at. */
export function agentStateFiles(layout: HiveLayout, agent: AgentId): StateFile[] {
  const { identity, memory } = layout.agent(agent);
  const own = (name: string, file: string): StateFile => ({
    name: `agents/${agent}/${name}`,
    agent,
    file,
    mostBytes: OWN_BYTES,
  });
  return [own('identity.md', identity), own('memory.md', memory)];
}

/** Names the file in the history. */
export function statePath({ name }: Pick<StateFile, 'name'>): string {
  return join(STATE, name).replaceAll('\\', '/');
}
