import { join } from 'node:path';
import type { AgentId } from '../protocol/addresses.ts';

/** Absolute paths of everything in a hive. docs/format.md describes each; no other code joins names. */
export interface HiveLayout {
  root: string;
  settings: string;
  protocol: string;
  registry: string;
  fleet: string;
  board: string;
  tasks: string;
  log: string;
  logSegments: string;
  held: string;
  agents: string;
  git: string;
  router: string;
  control: string;
  historyQueue: string;
  owner: string;
  health: string;
  reported: string;
  /** Originals that no `.sent/` could take, in a directory for each sender. */
  unfiled: string;
  /** Paths of one agent's directory. */
  agent(id: AgentId): AgentLayout;
  /** Path of the held messages of one recipient. */
  heldFor(id: AgentId): string;
}

/** Absolute paths of one agent's directory. */
export interface AgentLayout {
  root: string;
  identity: string;
  memory: string;
  inbox: string;
  done: string;
  outbox: string;
  sent: string;
}

/**
 * Lays out the paths of a hive.
 * @param root - absolute path of the hive directory
 */
export function layoutOf(root: string): HiveLayout {
  const router = join(root, '.router');
  const agents = join(root, 'agents');
  const held = join(root, 'held');
  const known = new Map<AgentId, AgentLayout>();
  return {
    root,
    settings: join(root, 'hive.json'),
    protocol: join(root, 'PROTOCOL.md'),
    registry: join(root, 'registry.json'),
    fleet: join(root, 'fleet.json'),
    board: join(root, 'board.md'),
    tasks: join(root, 'tasks.json'),
    log: join(root, 'log.jsonl'),
    logSegments: join(root, 'log'),
    held,
    agents,
    git: join(root, '.git'),
    router,
    control: join(router, 'control'),
    historyQueue: join(router, 'history'),
    owner: join(router, 'owner.json'),
    health: join(router, 'health.json'),
    reported: join(router, 'reported.json'),
    unfiled: join(router, 'unfiled'),
    heldFor: (id) => join(held, id),
    agent: (id) => {
      const before = known.get(id);
      if (before !== undefined) return before;
      const layout = layoutOfAgent(join(agents, id));
      known.set(id, layout);
      return layout;
    },
  };
}

/** Joining seven paths for each of a thousand agents would be most of what an idle pass costs. */
function layoutOfAgent(dir: string): AgentLayout {
  return {
    root: dir,
    identity: join(dir, 'identity.md'),
    memory: join(dir, 'memory.md'),
    inbox: join(dir, 'inbox'),
    done: join(dir, 'inbox', '.done'),
    outbox: join(dir, 'outbox'),
    sent: join(dir, 'outbox', '.sent'),
  };
}
