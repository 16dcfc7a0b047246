/**
 * Hive files in memory that remember what a power cut would leave: beside the live files it keeps,
 * for each content, what was synced of it, and each change of a directory's entries in order, with
 * whether a sync of that directory has made it durable.
 *
 * Two models of a disk. `ordered`: changes of entries reach the disk in their order, as in ext4 and xfs,
 * so what is left is what was there at some moment since the last sync of a directory. `unordered`: each
 * change that no sync of its directory covers may be there or not; of a rename both halves or none.
 * In both, content is there only as far as it was synced.
 */
import type { AppendFile, HiveFs } from '../../src/hive/hive-fs.ts';
import { createMemoryFs, type MemoryFs } from './memory-fs.ts';

/** How a disk orders what it has not been asked to sync. */
export type DiskModel = 'ordered' | 'unordered';

/** Decides on a sync that a wrong protocol leaves out. */
export type LeavesOut = (sync: { kind: 'create' | 'append' | 'syncDir'; path: string }) => boolean;

/** A content, whatever names it has. */
interface Content {
  live: Uint8Array;
  synced: Uint8Array;
}

type Node = { kind: 'file'; content: Content } | { kind: 'directory'; dir: Directory };

interface Directory {
  id: number;
  entries: Map<string, Node>;
}

/** One change of entries: names set or removed in one or two directories, at once. */
interface Change {
  sets: { dir: Directory; name: string; node: Node | undefined }[];
  durable: boolean;
}

/** Chooses which of `count` changes that are not durable yet are there; by their place among them. */
export type Survives = (place: number, count: number) => boolean;

/** See the head of this file. */
export class RecordingFs {
  readonly live: MemoryFs;
  /** What the router uses. */
  readonly fs: HiveFs;
  readonly #root: Directory = { id: 0, entries: new Map() };
  readonly #durable: Directory = { id: 0, entries: new Map() };
  readonly #model: DiskModel;
  readonly #leavesOut: LeavesOut;
  #changes: Change[] = [];

  /** @param live - files that are on the disk already */
  constructor(live: MemoryFs, model: DiskModel, leavesOut: LeavesOut = () => false) {
    this.live = live;
    this.#model = model;
    this.#leavesOut = leavesOut;
    this.fs = this.#wrap();
    this.adopt();
  }
}
