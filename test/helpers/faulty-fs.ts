/**
 * Hive files that fail when they are told to: an error of the system's or a crash of the router, at any
 * operation, before it takes effect, half way, or after. Counts the operations, so that a test can go
 * through all of them.
 */
import type { AppendFile, HiveFs } from '../../src/hive/hive-fs.ts';

/** What an operation does. */
export type OperationKind =
  | keyof HiveFs
  | 'append'
  | 'truncate'
  | 'openStat'; /* `stat` of an open file */

/** One call of the file interface. */
export interface Operation {
  /** 1 for the first. */
  number: number;
  kind: OperationKind;
  path: string;
  /** The new name, of a rename. */
  to?: string | undefined;
}

/** How an operation goes wrong. `torn` is for those that write content: half of it gets there. */
export interface Fault {
  /** An error code of the system's, or the end of the router. */
  code: string;
  when: 'before' | 'torn' | 'after';
  /** The system call that failed; named after the operation when left out. */
  syscall?: string;
}

/** Decides on each operation whether it goes wrong. */
export type FaultPlan = (operation: Operation) => Fault | undefined;

/** The code of a fault that is a crash. */
export const CRASH = 'crash';

/** Thrown where a router would be gone; carries no system code, so nothing handles it. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

/** Hive files with faults. */
export interface FaultyFs extends HiveFs {
  /** Every operation so far, in order. */
  readonly operations: Operation[];
  /** What goes wrong from now on; nothing when left out. */
  plan: FaultPlan | undefined;
  /** A crash has happened: every call throws until {@link FaultyFs.restart}. */
  readonly crashed: boolean;
  /** Lets calls through again, without faults, and counts anew. */
  restart(): void;
}

const READING = new Set<OperationKind>(['list', 'stat', 'read', 'anchor', 'openStat']);
const WRITING_CONTENT = new Set<OperationKind>(['create', 'append']);

/** Tells whether an operation changes nothing, so that a crash after it is one before the next. */
export function onlyReads({ kind }: Operation): boolean {
  return READING.has(kind);
}

/** Tells whether an operation can get half way. */
export function canTear({ kind }: Operation): boolean {
  return WRITING_CONTENT.has(kind);
}

/** Fails one operation. */
export function failAt(number: number, code: string, when: Fault['when'] = 'before'): FaultPlan {
  return (operation) => (operation.number === number ? { code, when } : undefined);
}

/** Fails every operation that a predicate picks. */
export function failWhere(pick: (operation: Operation) => boolean, code: string): FaultPlan {
  return (operation) => (pick(operation) ? { code, when: 'before' } : undefined);
}

/** Ends the router at one operation. */
export function crashAt(number: number, when: Fault['when']): FaultPlan {
  return failAt(number, CRASH, when);
}

/** Wraps hive files. */
export function createFaultyFs(inner: HiveFs): FaultyFs {
  return new Faulty(inner);
}

function systemError({ code, syscall }: Fault, { kind, path }: Operation): Error {
  const error = new Error(`${code}: as told, ${kind} '${path}'`);
  return Object.assign(error, { code, syscall: syscall ?? kind });
}

class Faulty implements FaultyFs {
  operations: Operation[] = [];
  plan: FaultPlan | undefined;
  crashed = false;
  readonly #inner: HiveFs;

  constructor(inner: HiveFs) {
    this.#inner = inner;
  }

  restart(): void {
    this.operations = [];
    this.plan = undefined;
    this.crashed = false;
  }

  list = (dir: string, most?: number) => this.#run('list', dir, () => this.#inner.list(dir, most));
  stat = (path: string) => this.#run('stat', path, () => this.#inner.stat(path));
  read: HiveFs['read'] = (path, ...rest) =>
    this.#run('read', path, () => this.#inner.read(path, ...rest));
  anchor = (dir: string) => this.#run('anchor', dir, () => this.#inner.anchor(dir));
  rename = (from: string, to: string) =>
    this.#run('rename', from, () => this.#inner.rename(from, to), to);
  mkdir = (dir: string) => this.#run('mkdir', dir, () => this.#inner.mkdir(dir));
  rmdir = (dir: string) => this.#run('rmdir', dir, () => this.#inner.rmdir(dir));
  unlink = (path: string) => this.#run('unlink', path, () => this.#inner.unlink(path));
  syncDir = (dir: string) => this.#runAsync('syncDir', dir, () => this.#inner.syncDir(dir));
  create = (path: string, content: string | Uint8Array) =>
    this.#runAsync(
      'create',
      path,
      () => this.#inner.create(path, content),
      () => this.#inner.create(path, content.slice(0, content.length / 2)),
    );

  openAppend = (path: string): AppendFile => {
    const file = this.#run('openAppend', path, () => this.#inner.openAppend(path));
    return {
      append: (bytes) =>
        this.#runAsync(
          'append',
          path,
          () => file.append(bytes),
          () => file.append(bytes.slice(0, bytes.length / 2)),
        ),
      stat: () => this.#run('openStat', path, () => file.stat()),
      truncate: (sizeBytes) => this.#run('truncate', path, () => file.truncate(sizeBytes)),
      close: () => file.close(),
    };
  };

  #run<Result>(kind: OperationKind, path: string, act: () => Result, to?: string): Result {
    const operation = this.#begin(kind, path, to);
    const fault = this.plan?.(operation);
    if (fault === undefined) return act();
    try {
      if (fault.when !== 'before') act();
    } catch {
      // What the system said is lost; the fault is what the router gets to know.
    }
    throw this.#error(fault, operation);
  }

  async #runAsync(
    kind: OperationKind,
    path: string,
    act: () => Promise<void>,
    tear: () => Promise<void> = act,
  ): Promise<void> {
    const operation = this.#begin(kind, path);
    const fault = this.plan?.(operation);
    if (fault === undefined) {
      await act();
      // The router may have ended while the disk was at it.
      if (this.crashed) throw new Crash('The router is gone.');
      return;
    }
    try {
      if (fault.when !== 'before') await (fault.when === 'after' ? act() : tear());
    } catch {
      // As above.
    }
    throw this.#error(fault, operation);
  }

  #begin(kind: OperationKind, path: string, to?: string): Operation {
    if (this.crashed) throw new Crash('The router is gone.');
    const operation = { number: this.operations.length + 1, kind, path, to };
    this.operations.push(operation);
    return operation;
  }

  #error(fault: Fault, operation: Operation): Error {
    if (fault.code !== CRASH) return systemError(fault, operation);
    this.crashed = true;
    return new Crash(`The router ends at ${operation.kind} ${operation.path}.`);
  }
}
