import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** A file system of its own in a file. */
export interface LoopImage {
  path: string;
  /** Where it is mounted. */
  mounted: string;
}

function run(file: string, args: string[]): void {
  execFileSync(file, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Makes an image of ext4 and mounts it; throws where that is not possible. */
export function makeImage(dir: string, name: string): LoopImage {
  const path = join(dir, `${name}.img`);
  run('truncate', ['-s', '32M', path]);
  run('mkfs.ext4', ['-q', '-F', path]);
  return mount(dir, path, name);
}

/**
 * Copies an image as its disk holds it at this moment, and mounts the copy. What was not synced is in
 * the memory of the mounted file system alone, so it is not in the copy: a power cut.
 */
export function copyImage(dir: string, from: LoopImage, name: string): LoopImage {
  const path = join(dir, `${name}.img`);
  run('cp', ['--sparse=always', from.path, path]);
  return mount(dir, path, name);
}

function mount(dir: string, path: string, name: string): LoopImage {
  const mounted = join(dir, name);
  mkdirSync(mounted, { recursive: true });
  run('mount', ['-o', 'loop', path, mounted]);
  return { path, mounted };
}

/** Unmounts an image, which gives its loop device back; at once, or as soon as nothing uses it. */
export function unmount({ mounted, path }: LoopImage): void {
  try {
    run('umount', [mounted]);
  } catch {
    run('umount', ['-l', mounted]);
  }
  run('rm', ['-f', path]);
}
