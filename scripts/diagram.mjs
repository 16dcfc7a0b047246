/**
 * Draws the folders of src/ and their imports into docs/architecture.md, between two markers.
 * `--write` replaces the drawing; `--check` fails when it is not what the code says.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cruiseSources } from './cruise.mjs';

const PAGE = 'docs/architecture.md';
const BEGIN = '<!-- diagram:begin (npm run diagram) -->';
const END = '<!-- diagram:end -->';

/** @param {string} source a path such as `src/log/tail.ts` */
const folderOf = (source) => source.split('/')[1] ?? source;

/**
 * Finds which folder imports which; `true` where the import is more than types.
 * @param {import('dependency-cruiser').IModule[]} modules
 */
function edgesOf(modules) {
  /** @type {Map<string, boolean>} */
  const edges = new Map();
  for (const module of modules) {
    for (const { resolved, dependencyTypes } of module.dependencies) {
      const [from, to] = [folderOf(module.source), folderOf(resolved)];
      if (!resolved.startsWith('src/') || from === to) continue;
      const edge = `${from} ${to}`;
      edges.set(edge, (edges.get(edge) ?? false) || !dependencyTypes.includes('type-only'));
    }
  }
  return edges;
}

/** @param {import('dependency-cruiser').IModule[]} modules */
function draw(modules) {
  const folders = new Set(modules.map((module) => folderOf(module.source)));
  const name = (/** @type {string} */ folder) => folder.replace(/\W/g, '_');
  const nodes = [...folders]
    .sort()
    .map((folder) => `  ${name(folder)}["${folder.includes('.') ? folder : `${folder}/`}"]`);
  const edges = edgesOf(modules);
  const arrows = [...edges.keys()].sort().map((edge) => {
    const [from = '', to = ''] = edge.split(' ');
    return `  ${name(from)} ${edges.get(edge) ? '-->' : '-.->'} ${name(to)}`;
  });
  return ['```mermaid', 'flowchart TD', ...nodes, ...arrows, '```'].join('\n');
}

const mode = process.argv[2];
if (mode !== '--write' && mode !== '--check') {
  console.error('Usage: node scripts/diagram.mjs --write | --check');
  process.exit(2);
}
const page = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '';
const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
if (begin < 0 || end < begin) {
  console.error(`${PAGE} has no place for the diagram. Give it these two lines:\n${BEGIN}\n${END}`);
  process.exit(1);
}
const { modules } = await cruiseSources();
const own = modules.filter((module) => module.source.startsWith('src/'));
const drawn = `${page.slice(0, begin + BEGIN.length)}\n\n${draw(own)}\n\n${page.slice(end)}`;
if (mode === '--write') {
  writeFileSync(PAGE, drawn);
} else if (drawn !== page) {
  console.error(`The diagram of ${PAGE} is out of date. Run \`npm run diagram\`.`);
  process.exit(1);
}
console.log(`${PAGE}: the diagram shows the ${edgesOf(own).size} imports between folders.`);
