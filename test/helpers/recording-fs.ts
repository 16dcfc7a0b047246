/**
 * Hive files in memory that know what a power cut would leave of them. Beside the live files they keep
 * what was synced of each content, and every change of a directory's entries in order, with whether a
 * sync has made it durable.
 *
 * Two models of a disk. `ordered`: changes of entries reach the disk in their order, as with ext4 and
 * xfs, and a sync brings all of those before it. `unordered`: a sync brings the changes in that one
 * directory; each other change is there or not, a rename as a whole. In both, content is there only
 * as far as it was synced.
 */
import { basename, dirname, join } from 'node:path';
import type { AppendFile, HiveFs } from '../../src/hive/hive-fs.ts';
import { createMemoryFs, type MemoryFs } from './memory-fs.ts';

/** How a disk orders what it has not been asked to sync. */
export type DiskModel = 'ordered' | 'unordered';

/** A sync, as a wrong protocol may leave it out. */
export interface Sync {
  kind: 'create' | 'append' | 'syncDir';
  path: string;
}

/** Chooses whether a change that is not durable has reached the disk; by its place among those. */
export type Survives = (place: number) => boolean;

/** Files in memory and what a power cut would leave of them. */
export interface RecordingFs extends HiveFs {
  /** The files as they are. */
  readonly live: MemoryFs;
  /** Someone else than the router writes a file; it is durable. */
  write(path: string, content: string): void;
  /** How many changes are not durable. */
  loose(): number;
  /** The files after a power cut. */
  cut(survives: Survives): MemoryFs;
}

interface Change {
  entries: { dir: bigint; name: string; node: bigint | undefined }[];
  durable: boolean;
  /** The directory that it removes. */
  removed?: bigint;
}

type Entries = Map<bigint, Map<string, bigint>>;

const NOTHING = new Uint8Array();

/** Records over files that are durable as they are. */
export function createRecordingFs(
  live: MemoryFs,
  model: DiskModel,
  leavesOut: (sync: Sync) => boolean = () => false,
): RecordingFs {
  return new Recording(live, model, leavesOut);
}

class Recording implements RecordingFs {
  readonly live: MemoryFs;
  readonly #model: DiskModel;
  readonly #leavesOut: (sync: Sync) => boolean;
  readonly #before: Entries = new Map();
  readonly #synced = new Map<bigint, Uint8Array>();
  readonly #changes: Change[] = [];

  constructor(live: MemoryFs, model: DiskModel, leavesOut: (sync: Sync) => boolean) {
    [this.live, this.#model, this.#leavesOut] = [live, model, leavesOut];
    this.#before.set(this.#inode('/'), new Map());
    for (const path of live.tree('/')) this.#adopt(path);
  }

  list = (dir: string, most?: number) => this.live.list(dir, most);
  stat = (path: string) => this.live.stat(path);
  read: HiveFs['read'] = (...call) => this.live.read(...call);
  anchor = (dir: string) => this.live.anchor(dir);

  create = async (path: string, content: string | Uint8Array): Promise<void> => {
    // In memory it is there before its promise is.
    const written = this.live.create(path, content);
    if (this.live.stat(path) !== undefined) this.#added(path);
    await written;
    await this.#reach();
    this.#syncContent({ kind: 'create', path }, this.#inode(path), Buffer.from(content));
  };

  openAppend = (path: string): AppendFile => {
    const isNew = this.live.stat(path) === undefined;
    const file = this.live.openAppend(path);
    if (isNew) this.#added(path);
    return {
      ...file,
      append: async (bytes) => {
        await file.append(bytes);
        await this.#reach();
        const { inode } = file.stat();
        if (this.live.stat(path)?.inode !== inode) return;
        const all = this.live.read(path, Number.MAX_SAFE_INTEGER).bytes;
        this.#syncContent({ kind: 'append', path }, inode, all);
      },
    };
  };

  rename = (from: string, to: string): void => {
    const node = this.live.stat(from)?.inode;
    this.live.rename(from, to);
    this.#changed([this.#entry(from, undefined), this.#entry(to, node)]);
  };

  mkdir = (dir: string): void => {
    this.live.mkdir(dir);
    this.#before.set(this.#inode(dir), new Map());
    this.#changed([this.#entry(dir, this.#inode(dir))]);
  };

  rmdir = (dir: string): void => {
    const removed = this.live.stat(dir)?.inode ?? -1n;
    this.live.rmdir(dir);
    this.#changes.push({ entries: [this.#entry(dir, undefined)], durable: false, removed });
  };

  unlink = (path: string): void => {
    this.live.unlink(path);
    this.#changed([this.#entry(path, undefined)]);
  };

  syncDir = async (dir: string): Promise<void> => {
    // What is changed after the call may miss the sync.
    const inode = this.live.stat(dir)?.inode;
    const covered = this.#changes.filter(
      ({ entries }) => this.#model === 'ordered' || entries.some((each) => each.dir === inode),
    );
    await this.live.syncDir(dir);
    await this.#reach();
    if (this.#leavesOut({ kind: 'syncDir', path: dir })) return;
    for (const change of covered) change.durable = true;
  };

  write(path: string, content: string): void {
    this.live.write(path, content);
    this.#changed([this.#entry(path, this.#inode(path))], true);
    this.#synced.set(this.#inode(path), Buffer.from(content));
  }

  loose(): number {
    return this.#changes.filter(({ durable }) => !durable).length;
  }

  cut(survives: Survives): MemoryFs {
    const entries: Entries = new Map(
      [...this.#before].map(([inode, names]) => [inode, new Map(names)]),
    );
    let place = 0;
    for (const change of this.#changes) {
      if (!change.durable && !survives(place++)) continue;
      // A directory goes only when what was in it has gone.
      if ((entries.get(change.removed ?? -1n)?.size ?? 0) > 0) continue;
      for (const { dir, name, node } of change.entries) {
        if (node === undefined) entries.get(dir)?.delete(name);
        else entries.get(dir)?.set(name, node);
      }
    }
    const files = createMemoryFs();
    this.#lay(files, '/', this.#inode('/'), entries);
    return files;
  }

  #lay(files: MemoryFs, dir: string, inode: bigint, entries: Entries): void {
    const byAge = [...(entries.get(inode) ?? [])].sort(([, a], [, b]) => (a < b ? -1 : 1));
    for (const [name, node] of byAge) {
      const path = join(dir, name);
      if (!entries.has(node)) files.write(path, this.#synced.get(node) ?? NOTHING);
      else {
        files.mkdir(path);
        this.#lay(files, path, node, entries);
      }
    }
  }

  /** A sync takes its time, in which the power may go. */
  async #reach(): Promise<void> {
    await Promise.resolve();
  }

  #syncContent(sync: Sync, inode: bigint, bytes: Uint8Array): void {
    if (this.#leavesOut(sync)) return;
    this.#synced.set(inode, bytes);
    if (this.#model === 'ordered') for (const change of this.#changes) change.durable = true;
  }

  #adopt(told: string): void {
    const path = told.replace(/\/$/, '');
    const inode = this.#inode(path);
    this.#before.get(this.#inode(dirname(path)))?.set(basename(path), inode);
    if (path !== told) this.#before.set(inode, new Map());
    else this.#synced.set(inode, Buffer.from(this.live.text(path) ?? ''));
  }

  #added(path: string): void {
    this.#changed([this.#entry(path, this.#inode(path))]);
  }

  #entry(path: string, node: bigint | undefined): Change['entries'][number] {
    return { dir: this.#inode(dirname(path)), name: basename(path), node };
  }

  #changed(entries: Change['entries'], durable = false): void {
    this.#changes.push({ entries, durable });
  }

  #inode(path: string): bigint {
    const stat = this.live.stat(path);
    if (stat === undefined) throw new Error(`${path} is not there.`);
    return stat.inode;
  }
}
