/**
 * The hive's files in memory: quick, with nothing left to chance, and copied in an instant, so that a
 * test can try every operation of a pass. Holds the same contract as the real ones.
 *
 * What agents and people do to the files, and a {@link HiveFs} can't, is done with `write`, `link`,
 * `pipe` and `chmod`.
 */
import { dirname, join } from 'node:path';
import type { Anchor, AppendFile, FileStat, HiveFs } from '../../src/hive/hive-fs.ts';
import { rawPath } from '../../src/hive/raw-name.ts';

/** Files in memory, and what others than the router do to them. */
export interface MemoryFs extends HiveFs {
  /** Writes a file in place, keeping its inode, or makes it; parents are made too. */
  write(path: string, content: string | Uint8Array): void;
  /** Makes a symbolic link. */
  link(path: string, target: string): void;
  /** Makes a named pipe. */
  pipe(path: string): void;
  /** Forbids to read or change what stands at a path, or allows it again. */
  chmod(path: string, mode: { read: boolean; write: boolean }): void;
  /** Content of a file as text; nothing when there is no such file. */
  text(path: string): string | undefined;
  /** Paths of everything below a directory, files and links as they are, directories with a slash. */
  tree(dir?: string): string[];
  /** Makes a copy that shares nothing with this one; inodes and mtimes stay. */
  copy(): MemoryFs;
}

/** What a memory file system takes from outside. */
export interface MemoryFsOptions {
  /** Time of changes, in nanoseconds; each change is a millisecond after the last when left out. */
  nowNs?: () => bigint;
}

interface Node {
  kind: FileStat['kind'];
  inode: bigint;
  mtimeNs: bigint;
  bytes: Uint8Array;
  entries: Map<string, Node>;
  target: string;
  readable: boolean;
  writable: boolean;
}

interface Place {
  parent: Node;
  name: string;
  node: Node | undefined;
}

const MOST_NAME_BYTES = 255;
const MOST_LINKS = 16;
const DEVICE = 7n;

function fail(code: string, syscall: string, path: string): never {
  // A stack is most of what an error costs, and a sweep meets a million of them.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const error = new Error(`${code}: in memory, ${syscall} '${path}'`);
  Error.stackTraceLimit = stackTraceLimit;
  throw Object.assign(error, { code, syscall });
}

/** Makes an empty file system; its root exists. */
export function createMemoryFs(options: MemoryFsOptions = {}): MemoryFs {
  return new Memory(options.nowNs);
}

class Memory implements MemoryFs {
  #root: Node;
  #lastInode = 1n;
  #ticks = 0n;
  readonly #nowNs: () => bigint;

  constructor(nowNs?: () => bigint) {
    this.#nowNs = nowNs ?? (() => (this.#ticks += 1_000_000n));
    this.#root = this.#node('directory');
  }

  list = (dir: string, most = Number.POSITIVE_INFINITY): string[] => {
    const node = this.#find(dir, 'scandir');
    if (node.kind !== 'directory') fail('ENOTDIR', 'scandir', dir);
    if (!node.readable) fail('EACCES', 'scandir', dir);
    const names: string[] = [];
    for (const name of node.entries.keys()) {
      if (names.length >= most) break;
      names.push(name);
    }
    return names;
  };

  stat = (path: string): FileStat | undefined => {
    const place = this.#walk(path, 0);
    if (typeof place !== 'string') return place.node && statOf(place.node);
    return place === 'ELOOP' ? fail(place, 'lstat', path) : undefined;
  };

  read = (path: string, most: number, from = 0) => {
    const node = this.#openable(path, 'EINVAL');
    if (!node.readable) fail('EACCES', 'open', path);
    return { bytes: node.bytes.slice(from, from + most), stat: statOf(node) };
  };

  create = async (path: string, content: string | Uint8Array): Promise<void> => {
    const place = this.#place(path, 'open');
    if (place.node !== undefined) fail('EEXIST', 'open', path);
    const node = this.#node('file');
    node.bytes = bytesOf(content);
    this.#put(place, node, path);
  };

  openAppend = (path: string): AppendFile => {
    const place = this.#place(path, 'open');
    if (place.node === undefined) this.#put(place, this.#node('file'), path);
    const node = this.#openable(path, 'EISDIR');
    if (!node.writable) fail('EACCES', 'open', path);
    let open = true;
    const own = (): Node => (open ? node : fail('EBADF', 'write', path));
    return {
      append: async (bytes) => {
        own().bytes = Buffer.concat([own().bytes, bytes]);
        node.mtimeNs = this.#nowNs();
      },
      stat: () => statOf(own()),
      truncate: (sizeBytes) => {
        own().bytes = own().bytes.slice(0, sizeBytes);
        node.mtimeNs = this.#nowNs();
      },
      close: () => {
        open = false;
      },
    };
  };

  rename = (from: string, to: string): void => {
    const source = this.#place(from, 'rename');
    const { node } = source;
    if (node === undefined) fail('ENOENT', 'rename', from);
    const target = this.#place(to, 'rename');
    if (target.node === node) return;
    if (node.kind === 'directory') {
      if (holds(node, target.parent)) fail('EINVAL', 'rename', to);
      if (target.node !== undefined && target.node.kind !== 'directory')
        fail('ENOTDIR', 'rename', to);
      if ((target.node?.entries.size ?? 0) > 0) fail('ENOTEMPTY', 'rename', to);
    } else if (target.node?.kind === 'directory') {
      fail('EISDIR', 'rename', to);
    }
    this.#requireWritable(source.parent, from);
    this.#put(target, node, to);
    this.#remove(source);
  };

  mkdir = (dir: string): void => {
    const place = this.#place(dir, 'mkdir');
    if (place.node !== undefined) fail('EEXIST', 'mkdir', dir);
    this.#put(place, this.#node('directory'), dir);
  };

  rmdir = (dir: string): void => {
    const place = this.#place(dir, 'rmdir');
    if (place.node === undefined) fail('ENOENT', 'rmdir', dir);
    if (place.node.kind !== 'directory') fail('ENOTDIR', 'rmdir', dir);
    if (place.node.entries.size > 0) fail('ENOTEMPTY', 'rmdir', dir);
    this.#requireWritable(place.parent, dir);
    this.#remove(place);
  };

  unlink = (path: string): void => {
    const place = this.#place(path, 'unlink');
    if (place.node === undefined) fail('ENOENT', 'unlink', path);
    if (place.node.kind === 'directory') fail('EISDIR', 'unlink', path);
    this.#requireWritable(place.parent, path);
    this.#remove(place);
  };

  anchor = (dir: string): Anchor => {
    const { node } = this.#place(dir, 'open');
    if (node === undefined) fail('ENOENT', 'open', dir);
    if (node.kind !== 'directory') fail('ENOTDIR', 'open', dir);
    return { path: dir, holds: false, [Symbol.dispose]: () => {} };
  };

  syncDir = async (dir: string): Promise<void> => {
    if (this.#find(dir, 'open').kind !== 'directory') fail('ENOTDIR', 'open', dir);
  };

  write(path: string, content: string | Uint8Array): void {
    this.#makeParents(path);
    const place = this.#place(path, 'open');
    const node = place.node ?? this.#node('file');
    node.bytes = bytesOf(content);
    if (place.node === undefined) this.#put(place, node, path);
    else node.mtimeNs = this.#nowNs();
  }

  link(path: string, target: string): void {
    const node = this.#node('link');
    node.target = target;
    this.#put(this.#place(path, 'symlink'), node, path);
  }

  pipe(path: string): void {
    this.#put(this.#place(path, 'mkfifo'), this.#node('other'), path);
  }

  chmod(path: string, { read, write }: { read: boolean; write: boolean }): void {
    const node = this.#find(path, 'chmod');
    node.readable = read;
    node.writable = write;
  }

  text(path: string): string | undefined {
    if (this.stat(path)?.kind !== 'file') return undefined;
    return Buffer.from(this.#find(path, 'open').bytes).toString('utf8');
  }

  tree(dir = '/'): string[] {
    const walk = (node: Node, path: string): string[] =>
      [...node.entries].flatMap(([name, inner]) => {
        const at = join(path, name);
        return inner.kind === 'directory' ? [`${at}/`, ...walk(inner, at)] : [at];
      });
    return walk(this.#find(dir, 'scandir'), dir).sort();
  }

  copy(): MemoryFs {
    const copy = new Memory(this.#nowNs);
    copy.#root = copyNode(this.#root);
    copy.#lastInode = this.#lastInode;
    copy.#ticks = this.#ticks;
    return copy;
  }

  #node(kind: Node['kind']): Node {
    const common = { bytes: new Uint8Array(), entries: new Map(), target: '' };
    const [inode, mtimeNs] = [(this.#lastInode += 1n), this.#nowNs()];
    return { kind, inode, mtimeNs, ...common, readable: true, writable: true };
  }

  #put({ parent, name }: Place, node: Node, path: string): void {
    if (Buffer.byteLength(rawPath(name)) > MOST_NAME_BYTES) fail('ENAMETOOLONG', 'open', path);
    this.#requireWritable(parent, path);
    parent.entries.set(name, node);
    parent.mtimeNs = this.#nowNs();
  }

  #remove({ parent, name }: Place): void {
    parent.entries.delete(name);
    parent.mtimeNs = this.#nowNs();
  }

  #requireWritable(parent: Node, path: string): void {
    if (!parent.writable) fail('EACCES', 'write', path);
  }

  #openable(path: string, directoryCode: string): Node {
    const { node } = this.#place(path, 'open');
    if (node === undefined) fail('ENOENT', 'open', path);
    if (node.kind === 'link') fail('ELOOP', 'open', path);
    if (node.kind === 'directory') fail(directoryCode, 'open', path);
    return node.kind === 'file' ? node : fail('EINVAL', 'open', path);
  }

  /** What a path leads to, through a link at its end as well. */
  #find(path: string, syscall: string, links = 0): Node {
    const { node } = this.#place(path, syscall, links);
    if (node === undefined) return fail('ENOENT', syscall, path);
    if (node.kind !== 'link') return node;
    return this.#find(join(dirname(path), node.target), syscall, links + 1);
  }

  /** Where a path ends, without following a link at its end. */
  #place(path: string, syscall: string, links = 0): Place {
    const place = this.#walk(path, links);
    return typeof place === 'string' ? fail(place, syscall, path) : place;
  }

  /** The same, or the code of what stands in the way. */
  #walk(path: string, links: number): Place | string {
    if (links > MOST_LINKS) return 'ELOOP';
    const names = path.split('/');
    const name = names.pop() ?? '';
    let parent = this.#root;
    for (const [depth, step] of names.entries()) {
      if (step === '') continue;
      const next = parent.entries.get(step);
      if (next === undefined) return 'ENOENT';
      const at = () => names.slice(0, depth + 1).join('/');
      parent = next.kind === 'link' ? this.#find(at(), 'open', links + 1) : next;
      if (parent.kind !== 'directory') return 'ENOTDIR';
    }
    return { parent, name, node: name === '' ? this.#root : parent.entries.get(name) };
  }

  #makeParents(path: string): void {
    const dir = dirname(path);
    if (this.stat(dir) !== undefined) return;
    this.#makeParents(dir);
    this.mkdir(dir);
  }
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content, 'utf8') : Uint8Array.from(content);
}

function statOf({ kind, bytes, mtimeNs, inode }: Node): FileStat {
  const times = { mtimeNs, ctimeNs: mtimeNs };
  return { kind, sizeBytes: bytes.length, ...times, inode, device: DEVICE, links: 1 };
}

function holds(dir: Node, node: Node): boolean {
  return dir === node || [...dir.entries.values()].some((inner) => holds(inner, node));
}

function copyNode(node: Node): Node {
  const entries = new Map([...node.entries].map(([name, inner]) => [name, copyNode(inner)]));
  return { ...node, entries };
}
