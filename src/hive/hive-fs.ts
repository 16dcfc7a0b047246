/**
 * The narrow file interface under the spool: everything the router does to the hive's files goes
 * through these operations, so that a test can fail, delay, record or simulate each of them.
 *
 * Quick metadata operations are synchronous: on a local disk they are two to five times cheaper than
 * their promises and take microseconds. What waits for the disk (syncs) is asynchronous.
 * Errors are the system's own, with `code`; callers narrow by {@link systemCode}.
 *
 * Paths are absolute strings. A name that is not valid UTF-8 is carried with each bad byte as a lone
 * surrogate U+DC80 to U+DCFF, and finds its file again under that spelling.
 */
export interface HiveFs {
  /**
   * Names in a directory, in no order.
   * @param most - stop after so many names; a huge directory then costs no more than that
   */
  list(dir: string, most?: number): string[];
  /** What stands at a path, never following a link; nothing when there is nothing. */
  stat(path: string): FileStat | undefined;
  /**
   * Reads a regular file, never following a link and never blocking on a pipe or device.
   * @param most - bytes at most; a longer file comes back cut, and its `stat.sizeBytes` tells
   * @param from - offset in bytes to begin at; 0 when left out
   * @param into - may be read into where it has room, so that the bytes last until it is used again: fresh
   *   memory costs several times what copying a file out of the cache into it does
   * @throws the system's error; `ELOOP` for a link, `EINVAL` for what is no regular file
   */
  read(path: string, most: number, from?: number, into?: Buffer): FileContent;
  /**
   * Creates a new file with mode 0600, writes all of it and syncs it. Never overwrites (`EEXIST`).
   * After an error the file may be partly there: it must be given up, not synced again, since a
   * failed fsync marks its pages clean (https://wiki.postgresql.org/wiki/Fsync_Errors).
   */
  create(path: string, bytes: string | Uint8Array): Promise<void>;
  /** Opens a file for appending, created with mode 0600 when it is missing. */
  openAppend(path: string): AppendFile;
  /** Renames a file or directory, replacing a file at the new name; waits out `EPERM`/`EBUSY` of scanners. */
  rename(from: string, to: string): void;
  /** Makes one directory with mode 0700; never its parents. */
  mkdir(dir: string): void;
  /** Removes an empty directory. */
  rmdir(dir: string): void;
  /** Removes a file or link. */
  unlink(path: string): void;
  /**
   * Takes hold of a directory, so that what is reached through {@link Anchor.path} lies in that very one,
   * whatever its name comes to mean meanwhile.
   * @throws the system's error; `ENOTDIR` for a link and for whatever else is no directory
   */
  anchor(dir: string): Anchor;
  /**
   * Makes the entries of a directory durable, also those of files whose {@link HiveFs.create} was called
   * before and is not yet done: that has made its entry when this begins. Does nothing where the platform
   * can't sync directories.
   */
  syncDir(dir: string): Promise<void>;
}

/** A hold on a directory. */
export interface Anchor extends Disposable {
  /** Path of the directory while it is held; after that it may lead anywhere. */
  readonly path: string;
  /**
   * False where the platform has no such path, and {@link Anchor.path} is the one given: then the directory
   * was looked at, and its name can still be given to another before it is used.
   */
  readonly holds: boolean;
}

/** What stands at a path. */
export interface FileStat {
  kind: 'file' | 'directory' | 'link' | 'other';
  sizeBytes: number;
  /** Time of the last change of its content, in nanoseconds; compare it with other mtimes only. */
  mtimeNs: bigint;
  /** Time of the last change of it or of its attributes, in nanoseconds, which nobody can set. */
  ctimeNs: bigint;
  inode: bigint;
  device: bigint;
  /** Names that lead to it. */
  links: number;
}

/** Bytes of a file, and what it was when they were read. */
export interface FileContent {
  bytes: Uint8Array;
  stat: FileStat;
}

/** A file open for appending. */
export interface AppendFile {
  /** Appends all bytes and syncs them. */
  append(bytes: Uint8Array): Promise<void>;
  /** Current size in bytes and inode of the open file, whatever its name points to now. */
  stat(): FileStat;
  /** Cuts the file back to a size, after an append that failed half way. */
  truncate(sizeBytes: number): void;
  close(): void;
}
