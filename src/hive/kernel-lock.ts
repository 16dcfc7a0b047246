import { createHash } from 'node:crypto';
import { closeSync, constants, openSync, readlinkSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { systemCode } from '../protocol/errors.ts';
import type { HiveLayout } from './layout.ts';

/** A lock that the system frees when its holder ends, in whatever way. */
export interface KernelLock {
  /** Names all that it shuts out; nothing when that can't be told. */
  readonly reach: string | undefined;
  release(): Promise<void>;
}

/** The lock; or that another process has it; or that the platform has none. */
export type KernelLockResult = KernelLock | 'held' | 'unsupported';

/** Tries once to take the system's lock of a hive, without waiting. */
export type TakeKernelLock = (layout: HiveLayout) => Promise<KernelLockResult>;

// All of sun_path but the leading NUL. Node 20 pads a shorter name with NULs and Node 24 does not,
// so that two versions would hold "the" lock side by side.
const SOCKET_NAME_LENGTH = 107;
// Of libuv: flock on macOS, no sharing on Windows (https://docs.libuv.org/en/v1.x/fs.html).
const EXCLUSIVE_MAC = 0x20;
const EXCLUSIVE_WINDOWS = 0x1000_0000;

/**
 * Names the abstract socket of a hive by device and inode alone: the same directory has one lock
 * through a link, a bind mount, or after it was moved while a router ran.
 * @param root - the hive's directory; links are followed
 */
export function lockSocketName(root: string): string {
  const { dev, ino } = statSync(root, { bigint: true });
  const hash = createHash('sha256').update(`${dev}\0${ino}`).digest('hex');
  return `\0${`hivemail-router-${hash}`.padEnd(SOCKET_NAME_LENGTH, '.')}`;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
  });
}

async function takeSocket(root: string): Promise<KernelLockResult> {
  const server = createServer((connection) => connection.destroy());
  try {
    await new Promise<void>((resolve, reject) => {
      server.on('error', reject);
      server.listen(lockSocketName(root), resolve);
    });
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EADDRINUSE') return 'held';
    // Sandboxes that forbid unix sockets, kernels without abstract names.
    if (code === 'EPERM' || code === 'EACCES' || code === 'EAFNOSUPPORT') return 'unsupported';
    throw error;
  }
  server.unref();
  return { reach: networkNamespace(), release: () => closeServer(server) };
}

function networkNamespace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/net');
  } catch {
    // Without /proc nobody can tell; the record then counts by itself.
    return undefined;
  }
}

function takeFile(path: string, exclusive: number): KernelLockResult {
  const flags = constants.O_RDWR | constants.O_CREAT | exclusive | (constants.O_NONBLOCK ?? 0);
  try {
    const fd = openSync(path, flags, 0o600);
    return { reach: 'machine', release: async () => closeSync(fd) };
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EAGAIN' || code === 'EBUSY') return 'held';
    if (code === 'ENOTSUP') return 'unsupported';
    throw error;
  }
}

/**
 * Tries once to take the system's lock of a hive. On Linux an abstract unix socket, which needs no
 * file and is free the moment its holder is dead, also by SIGKILL, while a stopped holder keeps it.
 * It reaches as far as the network namespace: containers that share a hive don't see each other's.
 * The lock keeps no process running.
 */
export async function takeKernelLock(
  layout: HiveLayout,
  platform: NodeJS.Platform = process.platform,
): Promise<KernelLockResult> {
  if (platform === 'linux') return takeSocket(layout.root);
  const file = join(layout.router, 'lock');
  if (platform === 'darwin') return takeFile(file, EXCLUSIVE_MAC);
  if (platform === 'win32') return takeFile(file, EXCLUSIVE_WINDOWS);
  return 'unsupported';
}
