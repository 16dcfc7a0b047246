import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProgram, isPassing, type Program } from '../../src/setup/program.ts';
import { tempDir } from '../helpers/temp-dir.ts';

/** Lays out a launcher and a name in PATH that leads to it. */
function programBy(namePath: string, launcherPath: string): Program & { dir: string } {
  const dir = tempDir();
  const [launcher, name] = [join(dir, launcherPath), join(dir, namePath)];
  for (const path of [launcher, name]) mkdirSync(dirname(path), { recursive: true });
  writeFileSync(launcher, '');
  symlinkSync(launcher, name);
  const env = { PATH: dirname(name) };
  const execPath = '/usr/bin/node';
  return { dir, ...findProgram({ env, execPath, launcher, platform: 'linux' }) };
}

describe.skipIf(process.platform === 'win32')('the program that hooks call', () => {
  it('is called by the name in PATH, which updates keep', () => {
    const { dir, ...program } = programBy('bin/hivemail', 'lib/hivemail/hivemail.cjs');
    expect(program.launcher).toBe(join(dir, 'bin/hivemail'));
    expect(isPassing(program)).toBe(false);
  });

  it('is called where it lies when npx has put its name into a cache for this run', () => {
    const name = '.npm/_npx/0a1b/node_modules/.bin/hivemail';
    const { dir, ...program } = programBy(name, 'clone/dist/cli/hivemail.cjs');
    expect(program.launcher).toBe(join(dir, 'clone/dist/cli/hivemail.cjs'));
    expect(isPassing(program)).toBe(false);
  });

  it('is told to pass when it lies in such a cache itself', () => {
    const cache = '.npm/_npx/0a1b/node_modules';
    const program = programBy(`${cache}/.bin/hivemail`, `${cache}/hivemail/dist/cli/hivemail.cjs`);
    expect(isPassing(program)).toBe(true);
  });
});
