/**
 * What a router gets to know: answers of the file system, the clocks and the random numbers. Those it
 * got before are given again, in their order; then the files are asked, and the answers kept.
 */
import type { Anchor, AppendFile, HiveFs } from '../../src/hive/hive-fs.ts';
import type { MemoryFs } from '../helpers/memory-fs.ts';

/** What is around the routers. */
export interface Surroundings {
  files: MemoryFs;
  now: () => number;
  monotonic: () => number;
  random: () => string;
  /** Changes what a router does to the files; for the wrong protocols. */
  rewrite?: ((fs: HiveFs) => HiveFs) | undefined;
}

/** How far a router is to go. */
export interface Stretch {
  /** So many whole passes more. */
  passes?: number | undefined;
  /** So many operations that change something; it is stopped before the next. */
  changes?: number | undefined;
  /** How much of what it was about to write is there when it is stopped; nothing when left out. */
  torn?: 'half' | 'all but a byte' | undefined;
  /** The operation it stood at had its paths resolved when it was stopped. */
  inFlight?: boolean | undefined;
  /** One change that fails, or that is done and said to have failed. */
  fault?: { at: number; code: string; when: 'before' | 'after' } | undefined;
}

const KEEP = {
  half: (length: number) => length / 2,
  'all but a byte': (length: number) => length - 1,
};

type Answer = { value: unknown } | { error: unknown };

/** A router is to stop here; has no code, so nothing handles it. */
export class Halt extends Error {
  override readonly name = 'Halt';
}

interface Change {
  paths: string[];
  act: (paths: string[]) => unknown;
  tear?: (paths: string[], keep: (length: number) => number) => unknown;
}

/** See the head of this file. */
export class Replay {
  readonly answers: Answer[];
  halted = false;
  operations = 0;
  /** What the router uses. */
  readonly fs: HiveFs;
  readonly #around: Surroundings;
  #next = 0;
  #stretch: Stretch = {};
  #changes = 0;
  #resolved = false;

  constructor(around: Surroundings, answers: Answer[]) {
    this.#around = around;
    this.answers = answers;
    this.fs = around.rewrite?.(this.#files()) ?? this.#files();
  }

  readonly clock = {
    now: (): number => this.#ask(() => this.#around.now()) as number,
    monotonic: (): number => this.#ask(() => this.#around.monotonic()) as number,
  };

  readonly random = (): string => this.#ask(() => this.#around.random()) as string;

  begin(stretch: Stretch): void {
    this.#stretch = stretch;
    this.#changes = 0;
    this.#resolved = stretch.inFlight === true;
  }

  #files(): HiveFs {
    const { files } = this.#around;
    return {
      list: (dir, most) => this.#ask(() => files.list(dir, most)) as string[],
      stat: (path) => this.#ask(() => files.stat(path)) as ReturnType<HiveFs['stat']>,
      read: (path, most, from) =>
        this.#ask(() => files.read(path, most, from)) as ReturnType<HiveFs['read']>,
      anchor: (dir) => this.#ask(() => files.anchor(dir)) as Anchor,
      rename: (from, to) =>
        void this.#change({ paths: [from, to], act: ([a = '', b = '']) => files.rename(a, b) }),
      mkdir: (dir) => void this.#change({ paths: [dir], act: ([a = '']) => files.mkdir(a) }),
      rmdir: (dir) => void this.#change({ paths: [dir], act: ([a = '']) => files.rmdir(a) }),
      unlink: (path) => void this.#change({ paths: [path], act: ([a = '']) => files.unlink(a) }),
      create: async (path, bytes) => {
        this.#change({
          paths: [path],
          act: ([a = '']) => this.#createNow(a, bytes),
          tear: ([a = ''], keep) => this.#createNow(a, bytes.slice(0, keep(bytes.length))),
        });
      },
      syncDir: async (dir) => {
        this.#ask(() => files.list(dir, 0));
      },
      openAppend: (path) => this.#append(path),
    };
  }

  /** The memory's own promise settles at once, but its error has to be known now. */
  #createNow(path: string, bytes: string | Uint8Array): void {
    const { files } = this.#around;
    if (files.stat(path) !== undefined) {
      throw Object.assign(new Error(`EEXIST: ${path}`), { code: 'EEXIST' });
    }
    const parent = path.slice(0, path.lastIndexOf('/'));
    if (files.stat(parent) === undefined) {
      throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
    }
    files.write(path, bytes);
  }

  #append(path: string): AppendFile {
    const file = this.#ask(() => this.#around.files.openAppend(path)) as AppendFile;
    return {
      append: async (bytes) => {
        // In memory it is done before its promise is there.
        this.#change({
          paths: [],
          act: () => void file.append(bytes),
          tear: (_, keep) => void file.append(bytes.slice(0, keep(bytes.length))),
        });
      },
      stat: () => this.#ask(() => file.stat()) as ReturnType<AppendFile['stat']>,
      truncate: (sizeBytes) =>
        void this.#change({ paths: [], act: () => file.truncate(sizeBytes) }),
      close: () => {},
    };
  }

  #change(change: Change): unknown {
    if (this.halted) throw new Halt();
    if (this.#next < this.answers.length) return this.#ask(() => undefined);
    const paths = this.#resolved
      ? change.paths.map((path) => this.#whereItWas(path))
      : change.paths;
    this.#resolved = false;
    const { changes = Number.POSITIVE_INFINITY, torn, fault } = this.#stretch;
    if (this.#changes >= changes) {
      this.halted = true;
      if (torn !== undefined) change.tear?.(paths, KEEP[torn]);
      throw new Halt();
    }
    this.#changes += 1;
    this.operations += 1;
    return this.#ask(() => {
      if (fault?.at !== this.#changes) return change.act(paths);
      if (fault.when === 'after') change.act(paths);
      throw Object.assign(new Error(`${fault.code}: as told`), { code: fault.code });
    });
  }

  /** An operation under way holds the directories it has found, also when they were renamed since. */
  #whereItWas(path: string): string {
    const epoch = /^\/hive\/\.router\/e\d+-[a-z0-9]+(?=\/|$)/.exec(path)?.[0];
    const { files } = this.#around;
    if (epoch === undefined || files.stat(epoch) !== undefined) return path;
    return files.stat(`${epoch}.f`) === undefined ? path : `${epoch}.f${path.slice(epoch.length)}`;
  }

  #ask(act: () => unknown): unknown {
    if (this.halted) throw new Halt();
    const old = this.answers[this.#next];
    this.#next += 1;
    if (old === undefined) return this.#askNow(act);
    if ('error' in old) throw old.error;
    return old.value;
  }

  #askNow(act: () => unknown): unknown {
    try {
      const value = act();
      this.answers.push({ value });
      return value;
    } catch (error) {
      this.answers.push({ error });
      throw error;
    }
  }
}
