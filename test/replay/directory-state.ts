import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What lies where, by its path in the hive: what each letter holds. */
export type DirectoryState = Record<string, unknown>;

/** Reads what lies in the inboxes, in `.done` and in `held/` of a hive. */
export function readDirectoryState(dir: string): DirectoryState {
  const state: DirectoryState = {};
  const agents = namesIn(join(dir, 'agents'));
  const boxes = agents.flatMap((agent) => [`agents/${agent}/inbox`, `agents/${agent}/inbox/.done`]);
  for (const box of [...boxes, ...namesIn(join(dir, 'held')).map((name) => `held/${name}`)]) {
    for (const name of namesIn(join(dir, box)).filter((each) => each.endsWith('.json'))) {
      state[`${box}/${name}`] = JSON.parse(readFileSync(join(dir, box, name), 'utf8'));
    }
  }
  return state;
}

function namesIn(dir: string): string[] {
  return existsSync(dir) ? readdirSync(dir).sort() : [];
}
