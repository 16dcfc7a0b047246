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
  /** replay.json: the hive is a picture of the past. */
  pastMark: string;
  /** What the router remembers of the wakes it asked for. */
  wakes: string;
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
  /** `.doorbell`: how the agent's sessions are told of mail. All of it is the agent's own. */
  doorbell: string;
  /** What its sessions were told, as numbered states. */
  doorbellState: string;
  /** What the router is to write into the log. */
  doorbellEvents: string;
  /** How the agent wants to be told. */
  doorbellSettings: string;
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
    pastMark: join(root, 'replay.json'),
    reported: join(router, 'reported.json'),
    wakes: join(router, 'wakes.json'),
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

/**
 * Lays out the paths of an agent's directory. Joining them for each of a thousand agents would be most of
 * what an idle pass costs, so a hive's layout keeps them.
 * @param root - its absolute path
 */
export function layoutOfAgent(root: string): AgentLayout {
  const doorbell = join(root, '.doorbell');
  return {
    root,
    identity: join(root, 'identity.md'),
    memory: join(root, 'memory.md'),
    inbox: join(root, 'inbox'),
    done: join(root, 'inbox', '.done'),
    outbox: join(root, 'outbox'),
    sent: join(root, 'outbox', '.sent'),
    doorbell,
    doorbellState: join(doorbell, 'state'),
    doorbellEvents: join(doorbell, 'events'),
    doorbellSettings: join(doorbell, 'settings.json'),
  };
}
