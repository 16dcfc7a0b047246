import { delimiter, join } from 'node:path';
import { realPathOf } from '../hive/real-path.ts';

/** What a hook's command calls: two absolute paths that hold for longer than this installation does. */
export interface Program {
  node: string;
  /** hivemail's launcher. */
  launcher: string;
}

/** What {@link findProgram} looks at. */
export interface ProgramPlace {
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the running node. */
  execPath: string;
  /** Absolute path of the running launcher. */
  launcher: string;
  platform: NodeJS.Platform;
}

/**
 * Chooses the paths by which hooks call hivemail: where a name in PATH leads to what runs here, that name,
 * since Homebrew, nvm and npm keep it over updates and remove what is behind it. Not a name that `npx` has
 * put there for this one run, though it may lead to a clone that stays. On Windows the script
 * itself: npm's `.cmd` shim cuts arguments at the first line break.
 */
export function findProgram({ env, execPath, launcher, platform }: ProgramPlace): Program {
  if (platform === 'win32') return { node: execPath, launcher };
  const dirs = (env['PATH'] ?? '').split(delimiter).filter((dir) => dir.startsWith('/'));
  const named = (name: string, target: string): string | undefined => {
    const meant = realPathOf(target) ?? target;
    const paths = dirs.map((dir) => join(dir, name));
    return paths.find((path) => !isInCache(path) && realPathOf(path) === meant);
  };
  return {
    node: named('node', execPath) ?? execPath,
    launcher: named('hivemail', launcher) ?? launcher,
  };
}

/** Tells whether a program lies where a package manager deletes it without being asked. */
export function isPassing({ launcher }: Program): boolean {
  return isInCache(launcher);
}

function isInCache(path: string): boolean {
  return /[\\/](?:_npx|dlx-[^\\/]*|bunx-[^\\/]*)[\\/]/.test(path);
}
