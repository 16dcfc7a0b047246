/** Compiles src/ into a fresh dist/, so that nothing of an earlier build survives. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

// scripts/start brings a compiler of its own where the development tools are not installed.
const home = ['node_modules', '.cache/compiler/node_modules']
  .map((folder) => join(root, folder))
  .find((folder) => existsSync(join(folder, 'esbuild')));
if (home === undefined) {
  console.error('There is no TypeScript compiler here. Run `npm ci` first.');
  process.exit(1);
}

rmSync(join(root, 'dist'), { recursive: true, force: true });
const compiler = join(home, 'typescript', 'bin', 'tsc');
const args = ['-p', join(root, 'tsconfig.build.json'), '--typeRoots', join(home, '@types')];
const { status } = spawnSync(process.execPath, [compiler, ...args], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

// A hook is waited for at every tool call of a client: one file starts faster than twenty.
const { buildSync } = await import(pathToFileURL(join(home, 'esbuild', 'lib', 'main.js')).href);
const common = { bundle: true, platform: 'node', target: 'node20.19', logLevel: 'warning' };
buildSync({
  entryPoints: [join(root, 'src/cli/hook.ts')],
  outfile: join(root, 'dist/cli/hook.cjs'),
  ...{ ...common, format: 'cjs' },
});
// A session waits for its MCP server. What the server does not use is left out; packages stay outside.
buildSync({
  entryPoints: [join(root, 'src/cli/mcp.ts')],
  outfile: join(root, 'dist/cli/mcp.js'),
  ...{ ...common, format: 'esm', packages: 'external' },
});

const launcher = join(root, 'dist/cli/hivemail.cjs');
if (!existsSync(launcher)) {
  console.error('The build has no dist/cli/hivemail.cjs: src/cli/hivemail.cts is missing.');
  process.exit(1);
}
chmodSync(launcher, 0o755);
