/** Compiles src/ into a fresh dist/, so that nothing of an earlier build survives. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

// scripts/start brings a compiler of its own where the development tools are not installed.
const home = ['node_modules', '.cache/compiler/node_modules']
  .map((folder) => join(root, folder))
  .find((folder) => existsSync(join(folder, 'typescript')));
if (home === undefined) {
  console.error('There is no TypeScript compiler here. Run `npm ci` first.');
  process.exit(1);
}

rmSync(join(root, 'dist'), { recursive: true, force: true });
const compiler = join(home, 'typescript', 'bin', 'tsc');
const args = ['-p', join(root, 'tsconfig.build.json'), '--typeRoots', join(home, '@types')];
const { status } = spawnSync(process.execPath, [compiler, ...args], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

const launcher = join(root, 'dist/cli/hivemail.cjs');
if (!existsSync(launcher)) {
  console.error('The build has no dist/cli/hivemail.cjs: src/cli/hivemail.cts is missing.');
  process.exit(1);
}
chmodSync(launcher, 0o755);
