import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tempDir } from '../helpers/temp-dir.ts';

/** The project's own folder. */
export const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

/** How long a tool may take on a busy machine, in milliseconds. */
export const TOOL_MS = 120_000;

/** What a command printed and how it ended. */
export interface Run {
  status: number | null;
  stdout: string;
  stderr: string;
  /** Both, the second behind the first. */
  output: string;
}

/** Runs a program in a folder and waits for it. */
export function run(cwd: string, command: string, ...args: string[]): Run {
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', env });
  return { status, stdout, stderr, output: stdout + stderr };
}

/**
 * Makes a project under the rules of this one, with the given files in it.
 * @param files - content by path
 * @returns its folder
 */
export function scratchProject(files: Record<string, string>): string {
  const dir = tempDir();
  const rules = ['.dependency-cruiser.mjs', '.oxlintrc.json', 'package.json', 'vitest.config.ts'];
  const kept = [...rules, 'tsconfig.json', 'tsconfig.build.json', 'scripts', 'test/helpers'];
  for (const path of kept) cpSync(join(PROJECT, path), join(dir, path), { recursive: true });
  symlinkSync(join(PROJECT, 'node_modules'), join(dir, 'node_modules'), 'junction');
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
  return dir;
}
