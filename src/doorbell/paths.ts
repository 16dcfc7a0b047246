import { join } from 'node:path';
import { layoutOfAgent } from '../hive/layout.ts';

/** Absolute paths of an agent's doorbell; all of it is the agent's own. */
export interface DoorbellPaths {
  inbox: string;
  /** Numbered states, see state-file.ts. */
  state: string;
  /** What the router is to write into the log. */
  events: string;
  /** How the agent wants to be told. */
  settings: string;
  /** Which settings files of clients hooks were installed into. */
  installed: string;
  /** The letters of a probe under way, see probe.ts. */
  probe: string;
}

/**
 * Lays out the paths of an agent's doorbell.
 * @param root - the agent's directory
 */
export function doorbellPaths(root: string): DoorbellPaths {
  const { inbox, doorbell, doorbellState, doorbellEvents, doorbellSettings } = layoutOfAgent(root);
  return {
    inbox,
    state: doorbellState,
    events: doorbellEvents,
    settings: doorbellSettings,
    installed: join(doorbell, 'installed'),
    probe: join(doorbell, 'probe.json'),
  };
}
