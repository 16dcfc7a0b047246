import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeScene } from './scene.ts';

it('docs/operations.md has a line for each check, and for no other, in the order shown', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  const table = page.slice(page.indexOf('| Check |'), page.indexOf('## Backup'));
  const documented = [...table.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
  const { look } = await makeScene();
  expect(documented).toEqual((await look()).map(({ check }) => check));
});
