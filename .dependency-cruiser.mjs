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
  setup: { folders: ['protocol', 'hive', 'doorbell'] },
  doctor: {
    folders: ['protocol', 'hive', 'log', 'spool', 'history', 'doorbell', 'setup'],
    types: ['routing'],
  },
  router: {
    folders: ['protocol', 'letter', 'routing', 'hive', 'log', 'spool', 'history', 'doorbell'],
  },
  replay: {
    folders: ['protocol', 'routing', 'hive', 'log', 'spool', 'history'],
  },
  api: {
    folders: [
      ...['protocol', 'letter', 'routing', 'hive', 'log', 'spool', 'history', 'router', 'doorbell'],
      'replay',
    ],
  },
};

/** Folders that compute from their arguments alone: no clock, no files, no network, no processes. */
const PURE = ['protocol', 'letter', 'routing'];

/** Folders that show the product to people and programs; they use it as any library user would. */
const SURFACES = ['cli', 'mcp', 'web'];

/** Entries that must start at once; they see doorbell/ instead of index.ts. */
const FAST_ENTRIES = '^src/cli/(hook|hook-.+|hivemail)\\.c?ts$';

/**
 * Where a package or built-in may be imported; anything not named here is not imported at all.
 * @type {{ name: string, module: string, home: string }[]}
 */
const HOMES = [
  { name: 'zod', module: 'zod', home: '^src/(protocol|letter|routing|hive|log|mcp)/' },
  { name: 'chokidar', module: 'chokidar', home: '^src/router/watch\\.ts$' },
  { name: 'fast-glob', module: 'fast-glob', home: '^src/hive/' },
  { name: 'nanoid', module: 'nanoid', home: '^src/hive/random\\.ts$' },
  { name: 'pino', module: 'pino(-pretty)?', home: '^src/cli/daemon-log\\.ts$' },
  { name: 'commander', module: 'commander', home: '^src/cli/' },
  { name: 'jsonc-parser', module: 'jsonc-parser', home: '^src/setup/json-[^/]+\\.ts$' },
  { name: 'hono', module: '(hono|@hono/[^/]+)', home: '^src/web/' },
  { name: 'mcp', module: '@modelcontextprotocol/[^/]+', home: '^src/mcp/' },
  { name: 'nats', module: '@nats-io/[^/]+', home: '^src/[^/]+/nats\\.ts$' },
];

/** Built-ins that a pure folder may not reach, by whatever way. */
const IMPURE_BUILTINS = [
  'child_process',
  'cluster',
  'dgram',
  'dns',
  'fs',
  'http',
  'http2',
  'https',
  'inspector',
  'net',
  'os',
  'perf_hooks',
  'process',
  'readline',
  'timers',
  'tls',
  'worker_threads',
].map((name) => `^(node:)?${name}(/|$)`);

/** @param {string} name */
const folder = (name) => `^src/${name}/`;
/** @param {string} module */
const packaged = (module) => `(^|/)node_modules/${module}/`;

/** @typedef {import('dependency-cruiser').IForbiddenRuleType} Rule */

/**
 * @param {string} name
 * @param {string} comment
 * @param {object} from who
 * @param {object} to what may not be imported from there
 */
const forbid = (name, comment, from, to) =>
  /** @type {Rule} */ ({ name, severity: 'error', comment, from, to });

const folderRules = Object.entries(FOLDERS).map(([name, { folders, types = [] }]) => {
  const seen = [name, ...folders, ...types];
  const comment = `Of src/, ${name} imports only ${seen.join(', ')}.`;
  return forbid(
    `folder-${name}`,
    comment,
    { path: folder(name) },
    { path: '^src/', pathNot: seen.map(folder) },
  );
});

const typeOnlyRules = Object.entries(FOLDERS).flatMap(([name, { types = [] }]) =>
  types.map((type) =>
    forbid(
      `types-only-${name}-${type}`,
      `${name} knows ${type} by its types alone: use \`import type\`.`,
      { path: folder(name) },
      { path: folder(type), dependencyTypesNot: ['type-only'] },
    ),
  ),
);

/**
 * The command line starts the other surfaces, each by the one module that serves it.
 * @param {string} name
 */
const startedBy = (name) => (name === 'cli' ? ['^src/(mcp|web)/serve\\.ts$'] : []);

const surfaceRules = SURFACES.map((name) =>
  forbid(
    `surface-${name}`,
    `${name} is a surface: of src/ it sees only index.ts and its own folder.`,
    { path: folder(name), pathNot: FAST_ENTRIES },
    { path: '^src/', pathNot: [folder(name), '^src/index\\.ts$', ...startedBy(name)] },
  ),
);

const homeRules = HOMES.map(({ name, module, home }) =>
  forbid(
    `home-${name}`,
    `${name} has one home: ${home}`,
    { path: '^src/', pathNot: home },
    { path: packaged(module) },
  ),
);

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...folderRules,
    ...typeOnlyRules,
    ...surfaceRules,
    ...homeRules,
    forbid(
      'folder-unknown',
      'A new folder gets its rule in .dependency-cruiser.mjs before it is imported from.',
      { path: '^src/[^/]+/', pathNot: [...Object.keys(FOLDERS), ...SURFACES].map(folder) },
      { path: '.' },
    ),
    forbid(
      'surface-hook',
      'The hook entry must start fast: it sees doorbell/ alone, and its own folder.',
      { path: FAST_ENTRIES },
      { path: '^src/', pathNot: ['^src/doorbell/', '^src/cli/'] },
    ),
    forbid(
      'hook-starts-fast',
      'What a client waits for at every tool call loads no schema, logger or command line.',
      { path: '^src/cli/hook' },
      { path: ['zod', 'pino', 'commander', 'chokidar'].map(packaged), reachable: true },
    ),
    forbid(
      'inside-without-surfaces',
      'The library does not know its surfaces.',
      { path: '^src/', pathNot: SURFACES.map(folder) },
      { path: SURFACES.map(folder) },
    ),
    forbid(
      'inside-without-index',
      'index.ts is what others see; the inside imports the module that it means.',
      { path: Object.keys(FOLDERS).map(folder) },
      { path: '^src/index\\.ts$' },
    ),
    forbid(
      'pure',
      'protocol, letter and routing compute from their arguments, even transitively.',
      { path: PURE.map(folder) },
      { path: IMPURE_BUILTINS, reachable: true },
    ),
    forbid(
      'pure-imports',
      'A pure folder imports its own kind and zod, and no built-in.',
      { path: PURE.map(folder) },
      { dependencyTypes: ['core'] },
    ),
    forbid(
      'home-child-process',
      'Children are started by the history and by what rings a client, asked about by the identity of the lock, and clients say their version.',
      {
        path: '^src/',
        pathNot: [
          '^src/history/',
          '^src/hive/process-[^/]+\\.ts$',
          '^src/setup/version\\.ts$',
          '^src/doorbell/(opencode|tmux|wake)/',
        ],
      },
      { path: '^(node:)?child_process$' },
    ),
    forbid(
      'home-of-packages',
      'A new package gets a home in .dependency-cruiser.mjs before it is imported.',
      { path: '^src/' },
      { path: packaged('.+'), pathNot: HOMES.map(({ module }) => packaged(module)) },
    ),
    forbid(
      'no-dev-dependency',
      'Users do not get the devDependencies.',
      { path: '^src/' },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm'] },
    ),
    forbid(
      'no-undeclared-package',
      'package.json names every package that src/ imports.',
      { path: '^src/' },
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'undetermined'] },
    ),
    forbid(
      'resolvable',
      'Every import leads somewhere.',
      { path: '^src/' },
      { couldNotResolve: true },
    ),
    forbid(
      'no-outside',
      'src/ is compiled on its own; nothing outside it comes along.',
      { path: '^src/' },
      { dependencyTypes: ['local'], pathNot: '^src/' },
    ),
    forbid(
      'no-cycles',
      'Modules that need each other are one module, or lack a third.',
      { path: '^src/' },
      { circular: true },
    ),
    forbid(
      'no-orphans',
      'A module that nothing imports and that imports nothing is not part of the product.',
      { path: '^src/', orphan: true, pathNot: '^src/(index\\.ts|cli/hivemail\\.cts)$' },
      {},
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.build.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
};
