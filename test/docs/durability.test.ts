import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/durability.md'), 'utf8');

/** What a claim is shown by: a test file and words of a title in it. */
function shown(): { file: string; title: string }[] {
  const [, text = ''] = page.split('\n## What shows it\n');
  const [section = ''] = text.split('\n## ');
  return section.split('\n').flatMap((line) => {
    const [, , file, title] = line.split('|').map((cell) => cell.trim());
    return file?.startsWith('`test/')
      ? [{ file: file.replaceAll('`', ''), title: title ?? '' }]
      : [];
  });
}

describe('docs/durability.md', () => {
  it('shows each claim by a test that is there', () => {
    const rows = shown();
    expect(rows.length).toBeGreaterThan(20);
    const missing = rows.filter(({ file, title }) => {
      const path = join(ROOT, file);
      return title === '' || !existsSync(path) || !readFileSync(path, 'utf8').includes(title);
    });
    expect(missing).toEqual([]);
  });

  it('names no test file that is not there', () => {
    const named = [...page.matchAll(/`(test\/[^`*]+\.ts)`/g)].map(([, file = '']) => file);
    expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});
