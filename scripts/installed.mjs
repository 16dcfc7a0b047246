/**
 * Tells by its exit code whether node_modules holds what package-lock.json says; needs no dependency.
 * With `--omit=dev` it asks for the runtime dependencies alone.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const runtimeOnly = process.argv.includes('--omit=dev');

/** @param {string} path */
const packagesOf = (path) => JSON.parse(readFileSync(join(root, path), 'utf8')).packages;

const hidden = 'node_modules/.package-lock.json';
if (!existsSync(join(root, hidden))) process.exit(1);
const [wanted, present] = [packagesOf('package-lock.json'), packagesOf(hidden)];
const stale = Object.entries(wanted).filter(([path, { version, dev, optional, devOptional }]) => {
  if (path === '' || optional || (runtimeOnly && (dev || devOptional))) return false;
  return present[path]?.version !== version || !existsSync(join(root, path));
});
process.exitCode = stale.length === 0 ? 0 : 1;
