import { describe, expect, it } from 'vitest';
import { run, scratchProject, TOOL_MS } from './scratch-project.ts';

const lines = (count: number): string => '// a line\n'.repeat(count);
const PROMISE = `async function later(): Promise<void> {}\n`;

/** For each rule the file that breaks it, and how. */
const PLANTED: [rule: string, path: string, content: string][] = [
  ['no-wall-clock', 'src/letter/now.ts', 'export const at = Date.now();\n'],
  ['no-wall-clock', 'src/protocol/new.ts', 'export const at = new Date();\n'],
  ['no-restricted-properties', 'src/routing/random.ts', 'export const x = Math.random();\n'],
  ['no-restricted-globals', 'src/protocol/env.ts', 'export const x = process.pid;\n'],
  ['no-restricted-globals', 'src/letter/timer.ts', 'setTimeout(() => undefined, 1);\n'],
  ['no-restricted-globals', 'src/routing/timer.ts', 'setInterval(() => undefined, 1);\n'],
  ['no-console', 'src/spool/print.ts', `console.log('');\n`],
  ['no-empty', 'src/spool/catch.ts', `try {\n  Number(1);\n} catch {}\n`],
  ['no-explicit-any', 'src/spool/any.ts', 'export const x = (y: any): unknown => y;\n'],
  ['no-floating-promises', 'src/spool/float.ts', `${PROMISE}later();\n`],
  [
    'no-floating-promises',
    'test/float.test.ts',
    `import { rm } from 'node:fs/promises';\nrm('x');\n`,
  ],
  [
    'consistent-type-imports',
    'src/spool/type.ts',
    `import { A } from './a.ts';\nexport type B = A;\n`,
  ],
  ['filename-case', 'src/spool/badName.ts', 'export const x = 1;\n'],
  ['max-lines', 'src/spool/long.ts', `${lines(300)}export const x = 1;\n`],
  ['max-lines-per-function', 'src/spool/body.ts', `export function f(): void {\n${lines(60)}}\n`],
  [
    'complexity',
    'src/spool/complex.ts',
    `export const f = (x: number): boolean => ${'x > 1 || '.repeat(12)}x > 2;\n`,
  ],
  [
    'max-params',
    'src/spool/params.ts',
    'export const f = (a: 1, b: 1, c: 1, d: 1, e: 1): unknown[] => [a, b, c, d, e];\n',
  ],
  [
    'max-depth',
    'src/spool/depth.ts',
    'export function f(x: number): void {\n  if (x) { if (x > 1) { if (x > 2) { if (x > 3) { f(x); } } } }\n}\n',
  ],
  [
    'switch-exhaustiveness-check',
    'src/spool/switch.ts',
    `export function f(x: 'a' | 'b'): void {\n  switch (x) {\n    case 'a':\n  }\n}\n`,
  ],
];

describe('the lint rules', { timeout: TOOL_MS }, () => {
  it('catch a violation of each kind', () => {
    const files = Object.fromEntries(PLANTED.map(([, path, content]) => [path, content]));
    const dir = scratchProject({ ...files, 'src/spool/a.ts': 'export type A = 1;\n' });
    const { status, output } = run(
      dir,
      'node_modules/.bin/oxlint',
      '--type-aware',
      '--format=unix',
      'src',
      'test',
    );
    expect(status).toBe(1);
    const reports = output.split('\n');
    const missed = PLANTED.filter(
      ([rule, path]) =>
        !reports.some((report) => report.startsWith(`${path}:`) && report.includes(`(${rule})`)),
    );
    expect(missed, output).toEqual([]);
  });

  it('let pure conversions of time, and printing where it is due, pass', () => {
    const dir = scratchProject({
      'src/protocol/clock.ts': 'export const at = new Date(5).toISOString();\n',
      'src/cli/print.ts': `console.log('');\n`,
    });
    expect(run(dir, 'node_modules/.bin/oxlint', '--type-aware', 'src')).toMatchObject({
      status: 0,
    });
  });
});
