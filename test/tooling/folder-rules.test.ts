import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run, scratchProject, TOOL_MS } from './scratch-project.ts';

const CLEAN = {
  'src/protocol/ids.ts': `import * as z from 'zod';\nexport const id = z.string();\n`,
  'src/letter/letter.ts': `import type { id } from '../protocol/ids.ts';\nexport type Letter = typeof id;\n`,
  'src/routing/plan.ts': `import type { Letter } from '../letter/letter.ts';\nexport type Plan = Letter;\n`,
  'src/hive/files.ts': `import { readFileSync } from 'node:fs';\nexport const read = readFileSync;\n`,
  'src/router/watch.ts': `export { watch } from 'chokidar';\nexport { read } from '../hive/files.ts';\nexport type { Plan } from '../routing/plan.ts';\n`,
  'src/index.ts': `export { watch } from './router/watch.ts';\nexport { id } from './protocol/ids.ts';\n`,
  'src/cli/main.ts': `import '../index.ts';\nimport 'commander';\n`,
  'src/cli/hivemail.cts': `void import('./main.js');\n`,
};

/** For each rule the file that breaks it, and how. */
const PLANTED: [rule: string, path: string, content: string][] = [
  ['folder-protocol', 'src/protocol/a.ts', `import '../letter/letter.ts';\n`],
  ['folder-letter', 'src/letter/a.ts', `import '../hive/files.ts';\n`],
  ['folder-spool', 'src/spool/a.ts', `import '../router/watch.ts';\n`],
  ['folder-unknown', 'src/misplaced/a.ts', `import 'node:path';\n`],
  ['types-only-routing-letter', 'src/routing/a.ts', `import '../letter/letter.ts';\n`],
  ['types-only-hive-routing', 'src/hive/a.ts', `import '../routing/plan.ts';\n`],
  ['pure', 'src/letter/a.ts', `import '../hive/files.ts';\n`],
  ['pure', 'src/protocol/b.ts', `import { setTimeout } from 'node:timers';\nsetTimeout;\n`],
  ['pure-imports', 'src/protocol/c.ts', `import 'node:path';\n`],
  ['surface-cli', 'src/cli/a.ts', `import '../router/watch.ts';\n`],
  ['surface-web', 'src/web/a.ts', `import '../cli/main.ts';\n`],
  ['surface-hook', 'src/cli/hook.ts', `import '../index.ts';\n`],
  ['inside-without-surfaces', 'src/router/a.ts', `import '../cli/main.ts';\n`],
  ['inside-without-index', 'src/log/a.ts', `import '../index.ts';\n`],
  ['home-chokidar', 'src/router/b.ts', `import 'chokidar';\n`],
  ['home-zod', 'src/spool/b.ts', `import * as z from 'zod';\nz;\n`],
  [
    'home-nanoid',
    'src/hive/b.ts',
    `import type { nanoid } from 'nanoid';\nexport type N = typeof nanoid;\n`,
  ],
  ['home-pino', 'src/router/c.ts', `import 'pino';\n`],
  ['home-commander', 'src/hive/c.ts', `import 'commander';\n`],
  ['home-fast-glob', 'src/spool/c.ts', `import 'fast-glob';\n`],
  ['home-child-process', 'src/hive/d.ts', `import 'node:child_process';\n`],
  ['home-of-packages', 'src/hive/e.ts', `import 'vitest';\n`],
  ['no-dev-dependency', 'src/hive/e.ts', `import 'vitest';\n`],
  ['resolvable', 'src/hive/f.ts', `import './nowhere.ts';\n`],
  ['no-outside', 'src/hive/g.ts', `import '../../scripts/cruise.mjs';\n`],
  ['no-cycles', 'src/log/x.ts', `import './y.ts';\n`],
  ['no-orphans', 'src/log/alone.ts', `export const alone = 1;\n`],
  ['name', 'src/log/utils.ts', `import './x.ts';\n`],
];
const FILES = Object.fromEntries(PLANTED.map(([, path, content]) => [path, content]));

describe('the folder rules', { timeout: TOOL_MS }, () => {
  it('let a clean tree pass', () => {
    const dir = scratchProject(CLEAN);
    expect(run(dir, 'node', 'scripts/check-deps.mjs')).toMatchObject({
      status: 0,
      output: '8 modules of src/, 12 imports, 0 problems\n',
    });
  });

  it('catch a violation of each kind', () => {
    const dir = scratchProject({ ...CLEAN, ...FILES, 'src/log/y.ts': `import './x.ts';\n` });
    const { status, output } = run(dir, 'node', 'scripts/check-deps.mjs');
    expect(status).toBe(1);
    const missed = PLANTED.filter(([rule, path]) => !output.includes(`${rule}: ${path}`));
    expect(missed, output).toEqual([]);
  });

  it('fail when the tool reads nothing', () => {
    const blind = `export default { forbidden: [], options: { exclude: { path: '^src' } } };\n`;
    const dir = scratchProject({ ...CLEAN, '.dependency-cruiser.mjs': blind });
    const { status, output } = run(dir, 'node', 'scripts/check-deps.mjs');
    expect(status).toBe(1);
    expect(output).toContain('it proves nothing');
  });
});

describe('the diagram', { timeout: TOOL_MS }, () => {
  it('is drawn from the imports, and found out of date when they change', () => {
    const page = '# A\n<!-- diagram:begin (npm run diagram) -->\n<!-- diagram:end -->\n';
    const dir = scratchProject({ ...CLEAN, 'docs/architecture.md': page });
    expect(run(dir, 'node', 'scripts/diagram.mjs', '--write').status).toBe(0);
    const drawn = readFileSync(join(dir, 'docs/architecture.md'), 'utf8');
    expect(drawn).toContain('  router --> hive\n');
    expect(drawn).toContain('  routing -.-> letter\n');
    expect(run(dir, 'node', 'scripts/diagram.mjs', '--check').status).toBe(0);
    writeFileSync(
      join(dir, 'src/hive/files.ts'),
      `import '../protocol/ids.ts';\nexport const read = 1;\n`,
    );
    expect(run(dir, 'node', 'scripts/diagram.mjs', '--check').status).toBe(1);
  });
});
