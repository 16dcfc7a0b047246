/**
 * Reads the import graph of src/ with dependency-cruiser, and makes sure that it was really read:
 * with a compiler it does not support, dependency-cruiser finds nothing and reports no violation.
 */
import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { cruise } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config';

/**
 * Lists the source files of a project, with `/` between folders.
 * @param {string} root absolute path of the project
 * @returns {string[]}
 */
function sourcesOf(root) {
  const files = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile() && /\.[cm]?ts$/.test(file.name))
    .map((file) => relative(root, join(file.parentPath, file.name)).split(sep).join('/'))
    .sort();
}

/**
 * Cruises src/ of the project in the current directory.
 * @returns {Promise<import('dependency-cruiser').ICruiseResult>}
 * @throws an Error when a source file was passed over
 */
export async function cruiseSources() {
  const sources = sourcesOf(process.cwd());
  const options = await extractOptions('./.dependency-cruiser.mjs');
  const result = await cruise(
    ['src'],
    { ...options, validate: true },
    {},
    { tsConfig: extractTsConfig('tsconfig.build.json') },
  );
  if (typeof result.output === 'string') throw new Error('dependency-cruiser gave a text report.');
  const { modules, summary } = result.output;
  const read = new Set(modules.map((module) => module.source));
  const missed = sources.filter((source) => !read.has(source));
  if (sources.length === 0 || summary.totalCruised === 0) {
    throw new Error('dependency-cruiser read no file of src/: it proves nothing.');
  }
  if (missed.length > 0) {
    throw new Error(`dependency-cruiser passed over ${missed.join(', ')}: it proves nothing.`);
  }
  if ((summary.totalDependenciesCruised ?? 0) === 0) {
    throw new Error('dependency-cruiser saw no import in src/: it proves nothing.');
  }
  return result.output;
}
