import { execFileSync } from 'node:child_process';

const ASKING_MS = 15_000;

/**
 * Asks a program for its version.
 * @param program - a name in PATH
 * @returns the first thing like `1.2.3` that `--version` prints; nothing when it can't be had
 */
export function versionOf(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  try {
    const text = execFileSync(program, ['--version'], {
      encoding: 'utf8',
      env,
      timeout: ASKING_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
      // On Windows clients are `.cmd` shims; the name is one of ours, so there is nothing to quote.
      shell: process.platform === 'win32',
    });
    return /\d+(?:\.\d+)+/.exec(text)?.[0];
  } catch {
    // Not there, not executable, too slow, or ended otherwise: in any case there is no answer.
    return undefined;
  }
}

/** Compares versions of dotted numbers; parts that are missing count as 0. */
export function isAtLeast(version: string, least: string): boolean {
  const [have, want] = [version, least].map((text) => text.split('.').map(Number));
  for (let at = 0; at < Math.max(have?.length ?? 0, want?.length ?? 0); at += 1) {
    const difference = (have?.[at] ?? 0) - (want?.[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
