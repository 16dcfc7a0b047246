/**
 * The folder rules of src/, as data: who may import whom, and the one home of each package.
 * `npm run check:deps` holds them; docs/architecture.md shows the graph that they leave.
 */

/**
 * What each folder may import of src/ besides itself; `types` only as types.
 * @type {Record<string, { folders: string[], types?: string[] }>}
 */
const FOLDERS = {
  protocol: { folders: [] },
  letter: { folders: ['protocol'] },
  routing: { folders: ['protocol'], types: ['letter'] },
  hive: { folders: ['protocol'], types: ['routing'] },
  log: { folders: ['protocol', 'hive'] },
  spool: { folders: ['protocol', 'letter', 'routing', 'hive'] },
  history: { folders: ['protocol', 'hive'] },
  doorbell: { folders: ['protocol', 'hive'] },
  router: { folders: ['protocol', 'letter', 'routing', 'hive', 'log', 'spool', 'history'] },
};

/** Folders that compute from their arguments alone: no clock, no files, no network, no processes. */
const PURE = ['protocol', 'letter', 'routing'];

/** Folders that show the product to people and programs; they use it as any library user would. */
const SURFACES = ['cli', 'mcp', 'web'];

/**
 * Where a package or built-in may be imported; anything not named here is not imported at all.
 * @type {{ name: string, module: string, home: string }[]}
 */
const HOMES = [
  { name: 'zod', module: 'zod', home: '^src/(protocol|letter|routing|hive|log)/' },
  { name: 'chokidar', module: 'chokidar', home: '^src/router/watch\\.ts$' },
  { name: 'fast-glob', module: 'fast-glob', home: '^src/hive/' },
  { name: 'nanoid', module: 'nanoid', home: '^src/hive/random\\.ts$' },
  { name: 'pino', module: 'pino(-pretty)?', home: '^src/cli/daemon-log\\.ts$' },
  { name: 'commander', module: 'commander', home: '^src/cli/' },
  { name: 'hono', module: '(hono|@hono/[^/]+)', home: '^src/web/' },
  { name: 'mcp', module: '@modelcontextprotocol/[^/]+', home: '^src/mcp/' },
  { name: 'nats', module: '@nats-io/[^/]+', home: '^src/[^/]+/nats\\.ts$' },
];

/** Built-ins that a pure folder may not reach, by whatever way. */
const IMPURE_BUILTINS = [
  ...['fs', 'net', 'http', 'http2', 'https', 'dns', 'dgram', 'tls', 'child_process', 'cluster'],
  ...['worker_threads', 'timers', 'os', 'process', 'readline', 'inspector', 'perf_hooks'],
].map((name) => `^(node:)?${name}(/|$)`);

/** @param {string} name */
const folder = (name) => `^src/${name}/`;
/** @param {string} module */
const packaged = (module) => `(^|/)node_modules/${module}/`;

const folderRules = Object.entries(FOLDERS).map(([name, { folders, types = [] }]) => ({
  name: `folder-${name}`,
  severity: 'error',
  comment: `src/${name} imports only ${[name, ...folders, ...types.map((type) => `types of ${type}`)].join(', ')}.`,
  from: { path: folder(name) },
  to: { path: '^src/', pathNot: [name, ...folders, ...types].map(folder) },
}));

const typeOnlyRules = Object.entries(FOLDERS).flatMap(([name, { types = [] }]) =>
  types.map((type) => ({
    name: `types-only-${name}-${type}`,
    severity: 'error',
    comment: `src/${name} knows src/${type} by its types alone: use \`import type\`.`,
    from: { path: folder(name) },
    to: { path: folder(type), dependencyTypesNot: ['type-only'] },
  })),
);

const surfaceRules = SURFACES.map((name) => ({
  name: `surface-${name}`,
  severity: 'error',
  comment: `src/${name} is a surface: of src/ it sees only index.ts and its own folder.`,
  from: { path: folder(name), pathNot: '^src/cli/(hook|hook-.+|hivemail)\\.c?ts$' },
  to: { path: '^src/', pathNot: [folder(name), '^src/index\\.ts$'] },
}));

const homeRules = HOMES.map(({ name, module, home }) => ({
  name: `home-${name}`,
  severity: 'error',
  comment: `${name} has one home: ${home}`,
  from: { path: '^src/', pathNot: home },
  to: { path: packaged(module) },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...folderRules,
    ...typeOnlyRules,
    ...surfaceRules,
    ...homeRules,
    {
      name: 'surface-hook',
      severity: 'error',
      comment: 'The hook entry must start fast: it sees doorbell/ alone, and its own folder.',
      from: { path: '^src/cli/(hook|hook-.+|hivemail)\\.c?ts$' },
      to: { path: '^src/', pathNot: ['^src/doorbell/', '^src/cli/'] },
    },
    {
      name: 'index-without-surfaces',
      severity: 'error',
      comment: 'The library does not know its surfaces.',
      from: { path: '^src/', pathNot: SURFACES.map(folder) },
      to: { path: SURFACES.map(folder) },
    },
    {
      name: 'index-for-surfaces-only',
      severity: 'error',
      comment: 'index.ts is what others see; the inside imports the module that it means.',
      from: { path: Object.keys(FOLDERS).map(folder) },
      to: { path: '^src/index\\.ts$' },
    },
    {
      name: 'pure',
      severity: 'error',
      comment: 'protocol, letter and routing compute from their arguments, even transitively.',
      from: { path: PURE.map(folder) },
      to: { path: IMPURE_BUILTINS, reachable: true },
    },
    {
      name: 'pure-imports',
      severity: 'error',
      comment: 'A pure folder imports its own kind and zod, and no built-in.',
      from: { path: PURE.map(folder) },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'home-child-process',
      severity: 'error',
      comment: 'Children are started by the history, and asked about by the identity of the lock.',
      from: { path: '^src/', pathNot: ['^src/history/', '^src/hive/process-[^/]+\\.ts$'] },
      to: { path: '^(node:)?child_process$' },
    },
    {
      name: 'home-of-packages',
      severity: 'error',
      comment: 'A new package gets a home in .dependency-cruiser.mjs before it is imported.',
      from: { path: '^src/' },
      to: { path: packaged('.+'), pathNot: HOMES.map(({ module }) => packaged(module)) },
    },
    {
      name: 'one-watcher',
      severity: 'error',
      comment: 'A package with a single file for its home has a single importer.',
      from: { path: '^src/' },
      module: {
        path: [packaged('chokidar'), packaged('nanoid'), packaged('@nats-io/[^/]+')],
        numberOfDependentsMoreThan: 1,
      },
    },
    {
      name: 'no-dev-dependency',
      severity: 'error',
      comment: 'Users do not get the devDependencies.',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm'] },
    },
    {
      name: 'no-undeclared-package',
      severity: 'error',
      comment: 'package.json names every package that src/ imports.',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'undetermined'] },
    },
    {
      name: 'resolvable',
      severity: 'error',
      comment: 'Every import leads somewhere.',
      from: { path: '^src/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'no-outside',
      severity: 'error',
      comment: 'src/ is compiled on its own; nothing outside it comes along.',
      from: { path: '^src/' },
      to: { dependencyTypes: ['local'], pathNot: '^src/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Modules that need each other are one module, or lack a third.',
      from: { path: '^src/' },
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment: 'A module that nothing imports and that imports nothing is not part of the product.',
      from: { path: '^src/', orphan: true, pathNot: '^src/(index\\.ts|cli/hivemail\\.cts)$' },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
