import { join, sep } from 'node:path';
import type { AgentId } from '../protocol/addresses.ts';
import type { Anchor, HiveFs } from './hive-fs.ts';
import type { AgentLayout, HiveLayout } from './layout.ts';

/** A directory of an agent. */
export type AgentPlace =
  | 'root'
  | 'inbox'
  | 'done'
  | 'outbox'
  | 'sent'
  | 'doorbell'
  | 'doorbellState'
  | 'doorbellEvents';

/** Open at once; as many outboxes have letters in most passes. */
const MOST_ANCHORS = 64;

/**
 * Reaches into the directories of agents by the directories themselves and not by their names. An agent
 * may swap its outbox, or what is above or below it, for a link at any moment: through the name the router
 * would take a file out of any place that it may write to, and put one there.
 *
 * What {@link AnchoredPaths.of} returns is good until the next call and no longer.
 */
export class AnchoredPaths implements Disposable {
  readonly #fs: HiveFs;
  readonly #layout: HiveLayout;
  readonly #anchors = new Map<string, Anchor>();

  constructor(fs: HiveFs, layout: HiveLayout) {
    this.#fs = fs;
    this.#layout = layout;
  }

  /**
   * Finds a directory of an agent; no step on the way to it is a link.
   * @returns a path to be used at once
   * @throws the system's error; `ENOTDIR` when a link or a file stands in its place or above it
   */
  of(agent: AgentId, place: AgentPlace): string {
    const paths = this.#layout.agent(agent);
    const held = this.#anchors.get(paths[place]);
    if (held !== undefined) return held.path;
    const anchor = this.#walk(paths, place);
    if (anchor.holds) {
      if (this.#anchors.size >= MOST_ANCHORS) this[Symbol.dispose]();
      this.#anchors.set(paths[place], anchor);
    }
    return anchor.path;
  }

  /** Lets go of a directory, so that it is looked for anew: it may have been removed and made again. */
  forget(agent: AgentId, place: AgentPlace): void {
    const dir = this.#layout.agent(agent)[place];
    this.#anchors.get(dir)?.[Symbol.dispose]();
    this.#anchors.delete(dir);
  }

  [Symbol.dispose](): void {
    for (const anchor of this.#anchors.values()) anchor[Symbol.dispose]();
    this.#anchors.clear();
  }

  #walk(paths: AgentLayout, place: AgentPlace): Anchor {
    let anchor = this.#fs.anchor(paths.root);
    for (const step of paths[place].slice(paths.root.length).split(sep).filter(Boolean)) {
      using above = anchor;
      anchor = this.#fs.anchor(join(above.path, step));
    }
    return anchor;
  }
}
