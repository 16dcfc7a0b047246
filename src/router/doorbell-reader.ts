import { readDoorbell, type SeenDoorbell } from '../doorbell/read-doorbell.ts';
import { versionOf } from '../hive/file-version.ts';
import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import type { AgentId } from '../protocol/addresses.ts';

/** Within this time a directory can change without a change of its mtime. */
const MTIME_TRUST_MS = 2000;

interface Kept {
  version: string;
  /** When this version was first seen, monotonic. */
  sinceMs: number;
  seen: SeenDoorbell | undefined;
}

/** Reads doorbells again and again, each only when it has changed. */
export class DoorbellReader {
  readonly #kept = new Map<AgentId, Kept>();

  /**
   * Reads an agent's doorbell.
   * @param nowMs - monotonic
   * @returns nothing when the agent has none
   * @throws the system's error
   */
  read(
    { fs, layout }: { fs: HiveFs; layout: HiveLayout },
    agent: AgentId,
    nowMs: number,
  ): SeenDoorbell | undefined {
    const { doorbell, doorbellState, doorbellSettings } = layout.agent(agent);
    if (fs.stat(doorbell) === undefined) {
      this.#kept.delete(agent);
      return undefined;
    }
    const version = [doorbellState, doorbellSettings]
      .map((path) => versionOf(fs.stat(path)))
      .join(' ');
    const kept = this.#kept.get(agent);
    const isSame = kept?.version === version;
    if (isSame && nowMs - kept.sinceMs > MTIME_TRUST_MS) return kept.seen;
    const seen = readDoorbell(fs, layout, agent);
    this.#kept.set(agent, { version, sinceMs: isSame ? kept.sinceMs : nowMs, seen });
    return seen;
  }
}
